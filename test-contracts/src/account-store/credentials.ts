import type { ApiKeyId, Credential, Refusal, RoleId, Sha256, Title } from '@pinfold/core';
import { expect } from 'chai';
import type { AccountStores, StoreClauses } from '../contract.ts';
import { START } from '../fixtures/clock.ts';
import { anApiKey, anApiKeyId, aSession, aTokenHash } from '../fixtures/credentials.ts';
import { anEvent, aPublication, aReservation, leaseOf, loadedRole } from '../fixtures/roles.ts';

const UNAUTHORIZED: Refusal<'unauthorized'> = { kind: 'refused', code: 'unauthorized' };
const ROUNDS = [11, 12, 13, 14, 15, 16];

/** One kind of credential: how the `n`th one begins and ends, and which ones are valid or ended. */
interface Kind {
  begin(stores: AccountStores, n: number): Promise<unknown>;
  end(stores: AccountStores, n: number): Promise<unknown>;
  readonly of: (n: number) => Credential;
  /** Credentials that change nothing. */
  readonly good: readonly Credential[];
  /** Further credentials that must be refused once the second one has ended. */
  readonly alsoEnded: readonly Credential[];
}

const KEYS: Kind = {
  begin: ({ apiKeys }, n) => apiKeys.create(anApiKey(n), [anEvent()]),
  end: ({ apiKeys }, n) => apiKeys.revoke(anApiKeyId(n), START, [anEvent()]),
  of: (n) => ({ key: anApiKeyId(n) }),
  good: [{}, { key: null, session: null }, { key: anApiKeyId(1) }, { key: 'theirs' as ApiKeyId }],
  alsoEnded: [{ key: anApiKeyId(2), session: aTokenHash(1) }],
};

const SESSIONS: Kind = {
  begin: ({ sessions }, n) => sessions.begin(aSession(n), [anEvent()]),
  end: ({ sessions }, n) => sessions.end(aTokenHash(n), [anEvent()]),
  of: (n) => ({ session: aTokenHash(n) }),
  good: [{ session: aTokenHash(1) }, { session: aTokenHash(1), key: anApiKeyId(1) }],
  alsoEnded: [{ session: aTokenHash(2), key: anApiKeyId(1) }, { session: aTokenHash(99) as Sha256 }],
};

/** Commits, saves and starts other things with each credential. */
async function expectRefusals(
  { begin, end, of, good, alsoEnded }: Kind,
  [port, peer]: Handles,
): Promise<void> {
  for (const kind of [KEYS, SESSIONS]) await kind.begin(port, 1);
  await begin(port, 2);
  for (const [at, credential] of [of(2), ...good].entries()) {
    expect(await commit(port, 20 + at, credential), `commit ${at}`).to.deep.equal({ kind: 'committed' });
    expect(await rename(peer, 20, credential), `save ${at}`).to.deep.equal({ kind: 'saved' });
    const kinds = (await start(peer, 60 + at, credential)).map((outcome) =>
      'kind' in outcome ? outcome.kind : 'begun',
    );
    expect(kinds, `start ${at}`).to.deep.equal(['reserved', 'created', 'begun']);
  }
  await end(peer, 2);
  const before = await loaded(port, 20);
  for (const [at, credential] of [of(2), ...alsoEnded].entries()) {
    for (const stores of [port, peer]) {
      expect(await commit(stores, 40 + at, credential), `commit ${at}`).to.deep.equal(UNAUTHORIZED);
      expect(await rename(stores, 20, credential), `save ${at}`).to.deep.equal(UNAUTHORIZED);
      for (const outcome of await start(stores, 80 + at, credential)) {
        expect(outcome, `start ${at}`).to.deep.equal(UNAUTHORIZED);
      }
    }
    expect(await port.roles.load(idOf(40 + at))).to.equal(undefined);
    expect((await port.roles.renew(leaseOf(aReservation(40 + at)), START)).kind, 'the lease').to.equal(
      'held',
    );
  }
  expect(await loaded(port, 20)).to.deep.equal(before);
  expect((await commit(peer, 40, good[0])).kind, 'with another').to.equal('committed');
  expect((await commit(port, 20, of(2))).kind, 'what was committed before').to.equal('committed');
}

/** A change that was not visible when the end of its credential was acknowledged must not appear later. */
async function expectNothingLate(kind: Kind, [port, peer]: Handles): Promise<void> {
  const round = async (n: number): Promise<void> => {
    const [worker, ender] = n % 2 === 0 ? [port, peer] : [peer, port];
    await kind.begin(worker, n);
    await publish(worker, 100 + n);
    await worker.roles.reserve(aReservation(n));
    const isRenamed = async () => (await loaded(ender, 100 + n)).value.title === RENAMED;
    const isThere = async () => (await ender.roles.load(idOf(n))) !== undefined;
    const working = Promise.all([commit(worker, n, kind.of(n)), rename(worker, 100 + n, kind.of(n))]);
    await kind.end(ender, n);
    const seen = await Promise.all([isThere(), isRenamed()]);
    const outcomes = await working;
    expect(await Promise.all([isThere(), isRenamed()]), `round ${n}`).to.deep.equal(seen);
    expect(outcomes.map(({ kind }) => kind !== 'refused')).to.deep.equal(seen);
  };
  await Promise.all(ROUNDS.map(round));
}

type Handles = readonly [AccountStores, AccountStores];
const RENAMED = 'Renamed' as Title;

const idOf = (n: number): RoleId => aPublication(n).role.id;

async function commit({ roles }: AccountStores, n: number, credential: Credential = {}) {
  await roles.reserve(aReservation(n));
  return await roles.commit({ ...aPublication(n), credential }, leaseOf(aReservation(n)), [anEvent()]);
}

/** Reserves an Idempotency-Key, creates a key and begins a session. */
async function start({ roles, apiKeys, sessions }: AccountStores, n: number, credential: Credential) {
  return [
    await roles.reserve({ ...aReservation(n), credential }),
    await apiKeys.create(anApiKey(n), [anEvent()], 'account', null, credential),
    await sessions.begin(aSession(n), [anEvent()], undefined, credential),
  ];
}

async function publish(stores: AccountStores, n: number): Promise<void> {
  expect((await commit(stores, n)).kind).to.equal('committed');
}

async function rename(stores: AccountStores, n: number, credential: Credential) {
  const { value, version } = await loaded(stores, n);
  return await stores.roles.save({ ...value, title: RENAMED }, version, [anEvent()], 'account', credential);
}

const loaded = ({ roles }: AccountStores, n: number) => loadedRole(roles, idOf(n));

export const credentialClauses: StoreClauses<AccountStores> = {
  'account-store/revoked-key: once a revocation is acknowledged, every peer refuses that key as unauthorized for reserving, committing or saving a role, creating a key and beginning a session; nothing changes, and the lease remains valid; other keys, even unknown ones, are not refused':
    async ({ port, peer }) => {
      const handles = [port, await peer()] as const;
      await expectRefusals(KEYS, handles);
      await expectNothingLate(KEYS, handles);
    },
  'account-store/ended-session: once the end of a session is acknowledged, every peer refuses changes with it in the same way':
    async ({ port, peer }) => {
      const handles = [port, await peer()] as const;
      await expectRefusals(SESSIONS, handles);
      await expectNothingLate(SESSIONS, handles);
    },
};
