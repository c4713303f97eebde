import {
  after,
  type CleanupTask,
  days,
  type EncodedManifest,
  type Instant,
  type KeptWarning,
  type Role,
  type RoleId,
  type RoleStore,
  seconds,
  type Title,
  type Version,
} from '@pinfold/core';
import { expect } from 'chai';
import { type ClauseTable, type StoreSubject, withPeer } from '../contract.ts';
import { START } from '../fixtures/clock.ts';
import {
  aClaim,
  anArchiveIdAt,
  anEvent,
  aPublication,
  aReservation,
  aRole,
  aRoleId,
  leaseOf,
  loadedRole,
  publishTo,
} from '../fixtures/roles.ts';
import { asks, END, idsOf, newestFirst, walkArchives, walkList } from './asked.ts';

/** More than a page of any size that a database, a driver or an adapter may have. */
const [COUNT, RESERVED] = [2_100, 1_100];

/** Hundreds of one instant, and of one expiration. */
async function publishMany(
  port: RoleStore,
  count = COUNT,
  expiresAtOf = (_: number): Instant => END,
): Promise<readonly Role[]> {
  const roles: Role[] = [];
  for (let n = 1; n <= count; n += 1) {
    const publishedAt = after(START, seconds(n % 3));
    const expiresAt = expiresAtOf(n);
    const more = { publishedAt, expiresAt, archive: anArchiveIdAt(n % 7, n) };
    roles.push(await publishTo(port, aPublication(n, more)));
  }
  return roles;
}

/** More than an adapter looks at in one step when it searches for a state, and places of such a list. */
const [CROWD, SPARSE] = [2_100, [2, 3, 500, 1_999, 2_001, 2_098, 2_099]];

async function claimAll(port: RoleStore, limit: number): Promise<readonly CleanupTask[]> {
  const claimed: CleanupTask[] = [];
  for (let turn = 1; ; turn += 1) {
    const tasks = await port.claimForCleanup(aClaim(turn, END, { limit }));
    expect(tasks.length, `claim ${turn}`).to.be.at.most(limit);
    if (tasks.length === 0) return claimed;
    claimed.push(...tasks);
    expect(claimed.length, 'claims do not end').to.be.at.most(COUNT);
  }
}

/** Claims all that ended, and tells that none could be removed. */
async function claimInVain(port: RoleStore, n: number): Promise<void> {
  for (const task of await port.claimForCleanup(aClaim(n, END))) {
    await port.settleCleanup(task, { kind: 'failed', retryAt: END }, [anEvent()]);
  }
}

function warningsOf(count: number): readonly KeptWarning[] {
  return Array.from({ length: count }, (_, n) => ({
    rule: 'broken_reference' as const,
    path: `${'folder/'.repeat(30)}page ${n}.html`,
    target: `${'../'.repeat(60)}style ${n}.css`,
  }));
}

export const manyClauses: ClauseTable<RoleStore, StoreSubject<RoleStore>> = {
  'role-store/many: more than a thousand roles, hundreds of them of one instant, are listed, named, counted and claimed as few are':
    withPeer(async (port, other) => {
      const roles = await publishMany(port);
      const expected = newestFirst(roles);
      for (const state of [undefined, 'published'] as const) {
        const pages = await walkList(other, asks({ state, limit: 100 }));
        expect(pages.flatMap(idsOf), `the list of ${state ?? 'all'}`).to.deep.equal(expected);
        expect(pages, `full pages of ${state ?? 'all'}`).to.have.lengthOf(Math.ceil(COUNT / 100));
      }
      const archives = roles.map(({ archive }) => archive).toSorted();
      for (const limit of [100, 1_000]) {
        expect(await walkArchives(other, limit), `${limit} archives a page`).to.deep.equal(archives);
      }
      expect((await other.whichAreNamed(archives)).size, 'named').to.equal(COUNT);
      const count = await other.countForCleanup({ now: END, endedBefore: END, begunBefore: END });
      expect(count.archives, 'counted').to.equal(COUNT);
      const claimed = (await claimAll(other, 100)).map(({ archive }) => archive);
      expect(claimed.toSorted(), 'claimed').to.deep.equal(archives);
    }),
  'role-store/list-sparse: a few of a state among thousands of others fill their pages as many do': async ({
    port,
    peer,
  }) => {
    const planned = Array.from({ length: CROWD }, (_, n) =>
      aRole(n + 1, { publishedAt: after(START, seconds((n + 1) % 3)) }),
    );
    const order = newestFirst(planned);
    const expired = SPARSE.map((place) => order[place] as RoleId);
    const early = after(START, days(1));
    await publishMany(port, CROWD, (n) => (expired.includes(aRoleId(n)) ? early : END));
    const other = await peer();
    for (const limit of [1, 2, 3, 7, 100]) {
      const pages = await walkList(other, asks({ now: early, state: 'expired', limit }));
      expect(pages.flatMap(idsOf), `${limit} a page`).to.deep.equal(expired);
      expect(pages, `${limit} a page`).to.have.lengthOf(Math.ceil(SPARSE.length / limit));
    }
  },
  'role-store/purge-many: more than a thousand reservations are counted and dropped, each time as many as the limit, until none is left':
    withPeer(async (port, other) => {
      for (let n = 1; n <= RESERVED; n += 1) await port.reserve(aReservation(n, { until: END }));
      const count = await other.countForCleanup({ now: END, endedBefore: END, begunBefore: END });
      expect(count.reservations, 'counted').to.equal(RESERVED);
      expect(await other.purge(END, 1_000), 'of the first').to.equal(1_000);
      expect(await port.purge(END, 1_000), 'of the rest').to.equal(RESERVED - 1_000);
      expect(await port.purge(END, 1_000), 'at last').to.equal(0);
    }),
  'role-store/commit-large: a manifest of tens of MiB and a thousand warnings are stored whole': async ({
    port,
    peer,
  }) => {
    const entries = Array.from({ length: 20_000 }, (_, n) => [`${'ordner ä/'.repeat(190)}${n}.html`, n, n]);
    const manifest = JSON.stringify([1, entries]) as EncodedManifest;
    const publication = { ...aPublication(1), manifest, warnings: warningsOf(1_100) };
    const request = aReservation(1);
    await port.reserve(request);
    await port.commit(publication, leaseOf(request), [anEvent()]);
    const other = await peer();
    const kept = await other.loadManifest(publication.role.archive);
    expect(kept?.length, 'the length of the manifest').to.equal(manifest.length);
    expect(kept === manifest, 'the same manifest').to.equal(true);
    const complete = { kind: 'complete', role: publication.role.id, warnings: publication.warnings };
    expect(await other.reserve(request)).to.deep.equal(complete);
  },
  'role-store/save-versions: of one role no version comes twice, however often it is saved or claimed':
    withPeer(async (port, other) => {
      await publishTo(port, aPublication(1));
      const versions = new Set<Version>();
      for (let n = 0; n < 300; n += 1) {
        const found = await loadedRole(n % 2 === 0 ? port : other, aRoleId(1));
        expect(versions.has(found.version), `the version after ${n} saves came before`).to.equal(false);
        versions.add(found.version);
        const title = `Title ${n % 2}` as Title;
        const saved = await port.save({ ...found.value, title }, found.version, [anEvent()]);
        expect(saved.kind, `save ${n}`).to.equal('saved');
        if (n % 10 === 0) await claimInVain(port, n);
      }
    }),
};
