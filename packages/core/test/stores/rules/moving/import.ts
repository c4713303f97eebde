import { after, type Day, days, type Instant, isFault, minutes, type Title, type Token } from '@pinfold/core';
import type { MovedName, MovedRecord } from '@pinfold/core/moving';
import {
  ACCOUNT,
  aComparison,
  aConsent,
  aKey,
  aLink,
  aManifest,
  anAccount,
  anApiKey,
  anApiKeyId,
  anArchiveId,
  anEvent,
  aPairingRedemption,
  aPublication,
  aRedemption,
  aRegistration,
  aReservation,
  aRoleId,
  aSession,
  aTakedown,
  aToken,
  aTokenHash,
  leaseOf,
  rejectionOf,
  START,
} from '@pinfold/test-contracts/fixtures';
import {
  aClaim,
  aFingerprint,
  aRoleQuery,
  aTask,
  changeRole,
  everything,
  idsOf,
  recordedEvents,
  type StoreClauses,
  together,
  walkArchives,
  withPeer,
} from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { aChange, aName, shownBy } from '../name-store/values.ts';
import type { MovingStores } from '../stores.ts';
import { publishOne, recordsOf, stock } from './stock.ts';

const LATER = after(START, days(60));
const [ONE, TWO] = [aToken(1), aToken(2)];

const CLAIM = aClaim(7, LATER, { until: LATER });

const A_DAY = { role: aRoleId(1), day: 20_777 as Day, views: 1, refusedPasswords: 0 };

const CHANGES: Readonly<Record<string, (stores: MovingStores) => Promise<unknown>>> = {
  reserve: ({ roles }) => roles.reserve(aReservation(70)),
  renew: ({ roles }) => roles.renew(leaseOf(aReservation(70)), LATER),
  release: ({ roles }) => roles.release(leaseOf(aReservation(70))),
  commit: ({ roles }) => roles.commit(aPublication(70), leaseOf(aReservation(70)), [anEvent()]),
  save: async ({ roles }) => {
    const loaded = await roles.load(aRoleId(1));
    if (loaded !== undefined) await roles.save(loaded.value, loaded.version, [anEvent()]);
  },
  claimForCleanup: ({ roles }) => roles.claimForCleanup(CLAIM),
  settleCleanup: ({ roles }) =>
    roles.settleCleanup(aTask(aPublication(1).role, 7), { kind: 'removed' }, [anEvent()]),
  purge: ({ roles }) => roles.purge(LATER, 10),
  saveComparison: ({ roles }) => roles.saveComparison(aComparison(), undefined),
  saveAccount: ({ accounts }) => accounts.save(anAccount(70), undefined, [anEvent()]),
  createKey: ({ apiKeys }) => apiKeys.create(anApiKey(70), [anEvent()]),
  createFirstKey: ({ apiKeys }) => apiKeys.createFirst(anApiKey(70), [anEvent()]),
  revokeKey: ({ apiKeys }) => apiKeys.revoke(anApiKeyId(1), LATER, [anEvent()]),
  offer: ({ sessions }) => sessions.offer(aLink(70), [anEvent()]),
  redeem: ({ sessions }) => sessions.redeem(aRedemption(aLink(70), aSession(71)), []),
  begin: ({ sessions }) => sessions.begin(aSession(70), [anEvent()]),
  end: ({ sessions }) => sessions.end(aTokenHash(70), [anEvent()]),
  recordExpired: ({ history }) => history.recordExpired([anEvent({ pin: aRoleId(4), type: 'pin.expired' })]),
  drop: ({ history }) => history.drop(LATER, 10),
  // A query for each minute.
  trimEvents: ({ history }) =>
    history.trimEvents({ since: START, until: after(START, minutes(5)), keep: 1, limit: 10 }),
  takeDown: ({ takedowns }) => takedowns.takeDown(aTakedown(70), undefined, [anEvent()]),
  lift: ({ takedowns }) => takedowns.lift(aTakedown(70), LATER, [anEvent()]),
  claimPurge: ({ takedowns }) => takedowns.claimPurge({ role: aRoleId(1), token: aToken(7), until: LATER }),
  purgeSessions: ({ sessions }) => sessions.purge(LATER, 10),
  purgeKeys: ({ apiKeys }) => apiKeys.purge(LATER, 10),
  register: ({ pairings }) => pairings.register(aRegistration(70)),
  agree: ({ pairings }) => pairings.agree(aRegistration(70).secretHash, aConsent(70), START, [anEvent()]),
  takePairing: ({ pairings }) => pairings.take(aPairingRedemption(70), []),
  purgePairings: ({ pairings }) => pairings.purge(LATER, 10),
  changeMode: ({ mode }) => mode.change({ kind: 'normal', message: 'Again.' }, [anEvent()]),
  setName: ({ names }) => names.set(aChange(70, { role: aRoleId(4) }), [anEvent()]),
  deleteName: ({ names }) => names.delete({ account: ACCOUNT, name: aName(1) }, [anEvent()]),
  countViews: ({ views }) => views.add([A_DAY]),
  dropViews: ({ views }) => views.drop(A_DAY.day, 10),
};

/** Records of the target's own, each of which alone prevents an import. */
const OWN: Readonly<Record<string, (stores: MovingStores) => Promise<unknown>>> = {
  account: ({ accounts }) => accounts.save(anAccount(1), undefined, []),
  key: ({ apiKeys }) => apiKeys.create(anApiKey(1), []),
  publication: (stores) => publishOne(stores, 1),
  reservation: ({ roles }) => roles.reserve(aReservation(1)),
  // Only an import stores a name without its role.
  name: (stores) => importInto(stores, [{ kind: 'name', value: shownBy(aChange(1)).name as MovedName }]),
  takedown: ({ takedowns }) => takedowns.takeDown(aTakedown(9), undefined, []),
  views: ({ views }) => views.add([A_DAY]),
  event: ({ sessions }) => sessions.offer(aLink(1), [anEvent()]),
};

async function recordsOfStock(
  another: () => Promise<{ readonly port: MovingStores }>,
): Promise<readonly MovedRecord[]> {
  const { port } = await another();
  await stock(port);
  return await recordsOf(port);
}

async function importInto(
  { imports }: MovingStores,
  records: readonly MovedRecord[],
  token: Token = ONE,
): Promise<void> {
  expect(await imports.begin(token)).to.deep.equal({ kind: 'begun' });
  expect(await imports.saveRecords(token, records)).to.deep.equal({ kind: 'saved' });
  expect(await imports.end(token)).to.deep.equal({ kind: 'ended' });
}

export const importClauses: StoreClauses<MovingStores> = {
  'import/unfinished: every peer sees an import as unfinished from its beginning to its end': withPeer(
    async (port, early, { peer }, another) => {
      const all = async () => {
        const late = await peer();
        return Promise.all([port, early, late].map(({ imports }) => imports.isUnfinished()));
      };
      expect(await all()).to.deep.equal([false, false, false]);
      await port.imports.begin(ONE);
      expect(await all()).to.deep.equal([true, true, true]);
      await early.imports.saveRecords(ONE, await recordsOfStock(another));
      expect(await all()).to.deep.equal([true, true, true]);
      await early.imports.end(ONE);
      expect(await all()).to.deep.equal([false, false, false]);
    },
  ),
  'import/begin-foreign: a database with an account, a key, a publication, a reservation, a name, a takedown, a day of views or an event of its own is refused and does not change':
    async (_, another) => {
      for (const [what, make] of Object.entries(OWN)) {
        const { port } = await another();
        await make(port);
        const before = await recordsOf(port);
        expect(await port.imports.begin(ONE), what).to.deep.equal({ kind: 'refused' });
        expect(await port.imports.isUnfinished(), what).to.equal(false);
        expect(await recordsOf(port), what).to.deep.equal(before);
        await publishOne(port, 50);
      }
    },
  'import/begin-again: beginning again removes the records of an unfinished import and makes its token invalid; of many concurrent calls one has the token':
    async (subject, another) => {
      const { port, peer } = subject;
      const other = await peer();
      const records = await recordsOfStock(another);
      await port.imports.begin(ONE);
      await port.imports.saveRecords(ONE, records);
      expect(await other.imports.begin(TWO)).to.deep.equal({ kind: 'begun' });
      expect(await recordsOf(port)).to.deep.equal([]);
      expect(await port.imports.saveRecords(ONE, records)).to.deep.equal({ kind: 'lost' });
      expect(await port.imports.end(ONE)).to.deep.equal({ kind: 'lost' });
      expect(await recordsOf(port)).to.deep.equal([]);
      await together(subject, 6, ({ imports }, n) => imports.begin(aToken(10 + n)));
      const outcomes = await together(subject, 6, ({ imports }, n) =>
        imports.saveRecords(aToken(10 + n), records),
      );
      expect(outcomes.filter(({ kind }) => kind === 'saved')).to.have.lengthOf(1);
      expect(await recordsOf(port)).to.deep.equal(records);
    },
  'import/keep-whole: a snapshot returns the imported records unchanged, and they work as in their own database':
    async ({ port, peer }, another) => {
      const records = await recordsOfStock(another);
      const other = await peer();
      await port.imports.begin(ONE);
      for (const record of records) await port.imports.saveRecords(ONE, [record]);
      await port.imports.saveRecords(ONE, records);
      await port.imports.saveRecords(ONE, records.map(withOtherValues));
      await other.imports.end(ONE);
      expect(await recordsOf(other)).to.deep.equal(records);
      await expectWorking(other, records);
    },
  'import/keep-removal: a role whose removal is imported has the instants of the removal, and neither manifest nor archive':
    async ({ port, peer }, another) => {
      const records = await recordsOfStock(another);
      const removal = { id: aRoleId(4), archive: anArchiveId(4), expiresAt: START, deletedAt: LATER };
      await importInto(port, [...records, { kind: 'removal', value: removal }]);
      const other = await peer();
      const role = (await other.roles.load(aRoleId(4)))?.value;
      expect(role).to.deep.include(removal);
      expect(await other.roles.loadManifest(anArchiveId(4))).to.equal(undefined);
      expect(await walkArchives(other.roles, 10)).to.not.include(anArchiveId(4));
      expect(await walkArchives(other.roles, 10)).to.include(anArchiveId(3));
      const claimed = await other.roles.claimForCleanup(CLAIM);
      expect(claimed.map(({ role: id }) => id)).to.not.include(aRoleId(4));
    },
  'import/keep-lost: a token that another one replaced, or that ended, stores nothing': async (
    { port },
    another,
  ) => {
    const records = await recordsOfStock(another);
    expect(await port.imports.saveRecords(ONE, records)).to.deep.equal({ kind: 'lost' });
    await importInto(port, []);
    expect(await port.imports.saveRecords(ONE, records)).to.deep.equal({ kind: 'lost' });
    await port.imports.begin(ONE);
    expect(await port.imports.saveRecords(TWO, records)).to.deep.equal({ kind: 'lost' });
    expect(await recordsOf(port)).to.deep.equal([]);
  },
  'import/changes-refused: while an import is unfinished, every change by any peer rejects with the fault store_unavailable, and nothing is claimed or compared; reads work':
    withPeer(async (port, other, _, another) => {
      const records = await recordsOfStock(another);
      await port.imports.begin(ONE);
      await port.imports.saveRecords(ONE, records);
      for (const [name, change] of Object.entries(CHANGES)) {
        for (const stores of [port, other]) {
          const fault = await rejectionOf(change(stores));
          expect(isFault(fault) ? fault.code : fault, name).to.equal('store_unavailable');
        }
      }
      expect(await recordsOf(other)).to.deep.equal(records);
      expect(await other.roles.load(aRoleId(1))).to.not.equal(undefined);
    }),
  'import/end: after the end changes work again; a lost token ends nothing': withPeer(async (port, other) => {
    await port.imports.begin(ONE);
    expect(await other.imports.end(TWO)).to.deep.equal({ kind: 'lost' });
    expect(await other.imports.isUnfinished()).to.equal(true);
    expect(await other.imports.end(ONE)).to.deep.equal({ kind: 'ended' });
    expect(await other.imports.end(ONE)).to.deep.equal({ kind: 'lost' });
    for (const change of Object.values(CHANGES)) await change(port);
    await publishOne(other, 50);
  }),
};

/** Fails unless the stores work with imported records as with their own. */
async function expectWorking(stores: MovingStores, records: readonly MovedRecord[]): Promise<void> {
  const { roles, apiKeys, accounts, history, takedowns } = stores;
  const publication = records.find(({ value }) => 'archive' in value && value.id === aRoleId(4));
  const warnings = publication?.kind === 'publication' ? publication.value.warnings : [];
  expect(await roles.reserve(aReservation(4, { token: aToken(60) })), 'a replay').to.deep.equal({
    kind: 'complete',
    role: aRoleId(4),
    warnings,
  });
  const other = aReservation(4, { token: aToken(61), fingerprint: aFingerprint(9) });
  expect(await roles.reserve(other)).to.deep.equal({ kind: 'mismatch' });
  expect(await roles.loadManifest(anArchiveId(4))).to.equal(aManifest(4));
  expect(await roles.loadManifest(anArchiveId(2)), 'of a removed archive').to.equal(undefined);
  const found = await everything(roles, aRoleQuery({ search: 'ünï' }));
  expect(found.map(({ id }) => id)).to.deep.equal([aRoleId(4)]);
  expect(idsOf(await roles.list(aRoleQuery({ idempotencyKey: aKey(1) })))).to.deep.equal([aRoleId(1)]);
  await changeRole(roles, aRoleId(4), { title: 'Renamed' as Title }, anEvent({ pin: aRoleId(4) }));
  const events = await recordedEvents(stores, { pin: aRoleId(4) });
  expect(events.map(({ at }) => at)).to.deep.equal([(START + 1) as Instant, START]);
  const unrecorded = await history.expired(LATER, 10);
  expect(unrecorded.map(({ role }) => role)).to.deep.equal([aRoleId(1)]);
  expect(await takedowns.isForbidden(aTakedown(1).sha256)).to.equal(true);
  expect(await takedowns.isForbidden(aTakedown(2).sha256), 'lifted').to.equal(false);
  const claimed = await roles.claimForCleanup(CLAIM);
  expect(claimed.map(({ role }) => role)).to.have.members([aRoleId(1), aRoleId(3)]);
  expect((await apiKeys.find(anApiKeyId(2)))?.revokedAt).to.not.equal(null);
  expect(await apiKeys.createFirst(anApiKey(8), [])).to.deep.equal({ kind: 'exists' });
  const owner = await accounts.load(ACCOUNT);
  expect(owner?.value.publicationsMark).to.equal(null);
  expect((await accounts.save({ ...anAccount(1), name: ACCOUNT }, owner?.version, [])).kind).to.equal(
    'saved',
  );
}

function withOtherValues(record: MovedRecord): MovedRecord {
  const other = { label: 'other', title: 'Other', reason: 'other', views: 99, address: '192.0.2.99' };
  return { ...record, value: { ...record.value, ...other } } as MovedRecord;
}
