import {
  after,
  days,
  type EncodedManifest,
  type Instant,
  type Role,
  type RoleId,
  type RoleStore,
  seconds,
  type Title,
  type Version,
  type Warning,
} from '@pinfold/core';
import type { StoreSubject } from '@pinfold/test-contracts';
import {
  anEvent,
  aPublication,
  aReservation,
  aRole,
  aRoleId,
  leaseOf,
  publishTo,
  START,
} from '@pinfold/test-contracts/fixtures';
import {
  aClaim,
  anArchiveIdAt,
  aRoleQuery,
  type ClauseTable,
  END,
  idsOf,
  loadedRole,
  newestFirst,
  walkList,
  withPeer,
} from '@pinfold/test-contracts/internal';
import { expect } from 'chai';

/** Publishes roles, hundreds of which have the same instant. */
async function publishMany(
  port: RoleStore,
  count: number,
  expiresAtOf: (n: number) => Instant,
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

/** More than an adapter reads in one step of a search by state, and positions in such a list. */
const [CROWD, SPARSE] = [2_100, [2, 3, 500, 1_999, 2_001, 2_098, 2_099]];

/** Claims all that ended, and reports that none could be removed. */
async function failClaims(port: RoleStore, n: number): Promise<void> {
  for (const task of await port.claimForCleanup(aClaim(n, END))) {
    await port.settleCleanup(task, { kind: 'failed', retryAt: END }, [anEvent()]);
  }
}

function warningsOf(count: number): readonly Warning[] {
  return Array.from({ length: count }, (_, n) => ({
    rule: 'broken_reference' as const,
    path: `${'folder/'.repeat(30)}page ${n}.html`,
    target: `${'../'.repeat(60)}style ${n}.css`,
  }));
}

export const manyClauses: ClauseTable<RoleStore, StoreSubject<RoleStore>> = {
  'role-store/list-sparse: a few roles of a state among thousands of others fill their pages as many do':
    async ({ port, peer }) => {
      const planned = Array.from({ length: CROWD }, (_, n) =>
        aRole(n + 1, { publishedAt: after(START, seconds((n + 1) % 3)) }),
      );
      const order = newestFirst(planned);
      const expired = SPARSE.map((place) => order[place] as RoleId);
      const early = after(START, days(1));
      await publishMany(port, CROWD, (n) => (expired.includes(aRoleId(n)) ? early : END));
      const other = await peer();
      for (const limit of [1, 2, 3, 7, 100]) {
        const pages = await walkList(other, aRoleQuery({ now: early, state: 'expired', limit }));
        expect(pages.flatMap(idsOf), `${limit} a page`).to.deep.equal(expired);
        expect(pages, `${limit} a page`).to.have.lengthOf(Math.ceil(SPARSE.length / limit));
      }
    },
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
    const loaded = await other.loadManifest(publication.role.archive);
    expect(loaded?.length, 'the length of the manifest').to.equal(manifest.length);
    expect(loaded === manifest, 'the same manifest').to.equal(true);
    const complete = { kind: 'complete', role: publication.role.id, warnings: publication.warnings };
    expect(await other.reserve(request)).to.deep.equal(complete);
  },
  'role-store/save-versions: no version of a role repeats, however often it is saved or claimed': withPeer(
    async (port, other) => {
      await publishTo(port, aPublication(1));
      const versions = new Set<Version>();
      for (let n = 0; n < 300; n += 1) {
        const found = await loadedRole(n % 2 === 0 ? port : other, aRoleId(1));
        expect(versions.has(found.version), `the version after ${n} saves came before`).to.equal(false);
        versions.add(found.version);
        const title = `Title ${n % 2}` as Title;
        const saved = await port.save({ ...found.value, title }, found.version, [anEvent()]);
        expect(saved.kind, `save ${n}`).to.equal('saved');
        if (n % 10 === 0) await failClaims(port, n);
      }
    },
  ),
};
