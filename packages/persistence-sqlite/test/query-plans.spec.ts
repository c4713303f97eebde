import { join } from 'node:path';
import {
  type ApiKeyStore,
  type AttemptCounter,
  type AttemptTicket,
  after,
  days,
  type HistoryStore,
  minutes,
  type NameStore,
  type NameToken,
  type PairingStore,
  type PinName,
  type RoleQuery,
  type RoleState,
  type RoleStore,
  type SessionStore,
  type TakedownStore,
  type ViewStore,
} from '@pinfold/core';
import { FIRST_GENERATION } from '@pinfold/core/adapter';
import { dayOf } from '@pinfold/core/internal';
import {
  ACCOUNT,
  aComparison,
  aConsent,
  aKey,
  aLink,
  anApiKey,
  anApiKeyId,
  anArchiveId,
  anEvent,
  aPairingRedemption,
  aPublication,
  aRedemption,
  aRegistration,
  aReservation,
  aRole,
  aRoleId,
  aSession,
  aSha256,
  aTakedown,
  aToken,
  aTokenHash,
  leaseOf,
  publishTo,
  START,
} from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { SqliteConnection, type Statements } from '../src/engine/sqlite-connection.ts';
import type { Prepare } from '../src/engine/sqlite-file.ts';
import { checkSchema, migrate } from '../src/schema/migrate.ts';
import { sqliteApiKeyStore } from '../src/stores/sqlite-api-key-store.ts';
import { sqliteAttemptCounter } from '../src/stores/sqlite-attempt-counter.ts';
import { sqliteHistoryStore } from '../src/stores/sqlite-history-store.ts';
import { sqliteNameStore } from '../src/stores/sqlite-name-store.ts';
import { sqlitePairingStore } from '../src/stores/sqlite-pairing-store.ts';
import { sqliteRoleStore } from '../src/stores/sqlite-role-store.ts';
import { sqliteSessionStore } from '../src/stores/sqlite-session-store.ts';
import { sqliteTakedownStore } from '../src/stores/sqlite-takedown-store.ts';
import { sqliteViewStore } from '../src/stores/sqlite-view-store.ts';
import { inFolder } from './in-folder.ts';

/** Steps that read a table or an index from its beginning, and why each may. */
const ALLOWED = new Map([
  ['SCAN api_keys USING INDEX api_keys_in_order', 'the list of all keys, for the operator'],
  ['SCAN api_keys', 'whether there is any key: it ends at the first'],
  ['SCAN api_keys USING COVERING INDEX api_keys_in_order', 'whether there is any key: it ends at the first'],
  ['SCAN schema_state', 'a table of one row'],
  ['SCAN feed', 'a table of one row'],
  ['SCAN own', 'one value'],
  ['SCAN events USING COVERING INDEX events_number', 'the newest event: it ends at the first'],
  ['USE TEMP B-TREE FOR ORDER BY', 'the events of one publication in a feed'],
  ['SCAN looked', 'at most 2,000 roles found by an index'],
  ['SCAN CONSTANT ROW', 'no table at all'],
  ['USE TEMP B-TREE FOR DISTINCT', 'the publications that had an event within 20 minutes, for the sweep'],
]);

const LATER = after(START, days(30));

/** Notes the text of every statement on its way to the connection. */
function noting(connection: SqliteConnection, texts: Set<string>): Statements {
  const noted =
    (prepare: Prepare): Prepare =>
    (sql) => {
      texts.add(sql);
      return prepare(sql);
    };
  return {
    read: (work, signal) =>
      connection.read((prepare, cached) => {
        const notedCached: typeof cached = (sql, ...rest) => {
          texts.add(sql);
          return cached(sql, ...rest);
        };
        return work(noted(prepare), notedCached);
      }, signal),
    snapshot: (work) => connection.snapshot((prepare) => work(noted(prepare))),
    readTransaction: () => connection.readTransaction(),
    write: (work) => connection.write((prepare) => work(noted(prepare))),
    writeSchema: (work) => connection.writeSchema((prepare, exec) => work(noted(prepare), exec)),
    writeRelaxed: (work) => connection.writeRelaxed((prepare) => work(noted(prepare))),
    writeForCleanup: (work) => connection.writeForCleanup((prepare) => work(noted(prepare))),
  };
}

async function useRoles(store: RoleStore): Promise<void> {
  await publishTo(store, aPublication(1));
  await publishTo(store, aPublication(2));
  await store.reserve(aReservation(3));
  await store.renew(leaseOf(aReservation(3)), LATER);
  await store.release(leaseOf(aReservation(3)));
  const loaded = await store.load(aRoleId(1));
  if (loaded !== undefined)
    await store.save({ ...aRole(1), generation: FIRST_GENERATION }, loaded.version, [anEvent()]);
  await store.loadManifest(anArchiveId(1));
  await store.whichAreNamed([anArchiveId(1)]);
  await store.listArchives(undefined, 10);
  await store.purge(START, 10);
  await store.countForCleanup({ now: LATER, endedBefore: LATER, begunBefore: LATER });
  const first = await store.keepComparison(aComparison(), undefined);
  if (first.kind === 'kept') await store.keepComparison(aComparison(), first.version);
  await store.loadComparison();
  const claim = { now: LATER, endedBefore: LATER, token: aToken(9), until: LATER, limit: 10 };
  const [one, other] = await store.claimForCleanup(claim);
  if (one !== undefined) await store.settleCleanup(one, { kind: 'removed' }, [anEvent()]);
  if (other !== undefined) await store.settleCleanup(other, { kind: 'failed', retryAt: LATER }, [anEvent()]);
}

async function useLists(store: RoleStore): Promise<void> {
  const query: RoleQuery = {
    account: ACCOUNT,
    now: START,
    state: undefined,
    idempotencyKey: undefined,
    search: undefined,
    order: undefined,
    after: { rank: START, id: aRoleId(1) },
    limit: 20,
  };
  await store.list({ ...query, idempotencyKey: aKey(1) });
  const states: readonly (RoleState | undefined)[] = [undefined, 'published', 'expired', 'deleted'];
  for (const state of states) {
    for (const search of [undefined, 'site']) {
      for (const account of [ACCOUNT, undefined]) await store.list({ ...query, account, state, search });
      if (state === 'deleted') continue;
      for (const order of ['ending', 'largest'] as const)
        await store.list({ ...query, state, search, order });
    }
  }
}

async function useKeysAndAttempts(keys: ApiKeyStore, attempts: AttemptCounter): Promise<void> {
  await keys.createFirst(anApiKey(1), [anEvent()]);
  await keys.create(anApiKey(2), [anEvent()], 'account', 100);
  await keys.create({ ...anApiKey(2), isEnsured: true }, [anEvent()], 'operator');
  await keys.find(anApiKeyId(1));
  for (const account of [undefined, ACCOUNT]) await keys.list({ account, after: undefined, limit: 50 });
  await keys.countLive(ACCOUNT);
  await keys.touch(anApiKeyId(1), LATER, START);
  await keys.revoke(anApiKeyId(1), START, [anEvent()]);
  await keys.purge(LATER, 10);
  const attempt = {
    role: aRoleId(1),
    address: '192.0.2.1',
    now: START,
    window: minutes(5),
    perAddress: 10,
    perRole: 300,
  };
  await attempts.begin(attempt);
  const outcome = await attempts.begin({ ...attempt, now: LATER });
  if (outcome.kind === 'admitted') await attempts.forgive(outcome.ticket);
  await attempts.settle('0' as AttemptTicket);
  await attempts.countEnded(LATER);
  await attempts.purge(LATER, 10);
}

async function useSessions(sessions: SessionStore): Promise<void> {
  await sessions.offer(aLink(1), [anEvent()]);
  const limits = { ofActor: 100, ofAccount: 1_000 };
  await sessions.redeem(aRedemption(aLink(1), aSession(1), { limits }), [anEvent()]);
  await sessions.begin(aSession(2), [anEvent()], limits);
  await sessions.find(aTokenHash(2), START);
  for (const account of [undefined, ACCOUNT]) {
    await sessions.list({ account, now: START, after: aTokenHash(1), limit: 10 });
  }
  await sessions.end(aTokenHash(2), [anEvent()]);
  await sessions.purge(LATER, 10);
}

async function useViews(views: ViewStore): Promise<void> {
  const day = dayOf(START);
  await views.add([{ role: aRoleId(1), day, views: 1, refusedPasswords: 0 }]);
  await views.list(aRoleId(1), day);
  await views.drop(day, 10);
}

async function usePairings(pairings: PairingStore): Promise<void> {
  const { secretHash } = aRegistration(1);
  await pairings.register(aRegistration(1));
  const consent = aConsent(1, { session: aTokenHash(3), apiKey: anApiKeyId(1) });
  await pairings.agree(secretHash, consent, START, [anEvent()]);
  await pairings.find(secretHash, START);
  await pairings.take(aPairingRedemption(1, { limit: 100 }), []);
  await pairings.purge(LATER, 10);
}

async function useHistory(history: HistoryStore): Promise<void> {
  await history.list({ account: ACCOUNT, pin: undefined, since: START, after: undefined, limit: 10 });
  await history.list({ account: ACCOUNT, pin: aRoleId(1), since: undefined, after: undefined, limit: 10 });
  for (const account of [undefined, ACCOUNT]) {
    for (const pin of [undefined, aRoleId(1)]) await history.feed({ account, pin, after: 1, limit: 10 });
  }
  await history.expired(START, 10);
  await history.drop(START, 10);
  await history.thin({ since: START, until: after(START, minutes(1)), keep: 10_000, limit: 10 });
}

async function useTakedowns(takedowns: TakedownStore): Promise<void> {
  await takedowns.takeDown(aTakedown(5), undefined, [anEvent()]);
  await takedowns.isForbidden(aSha256(5));
  await takedowns.of([aRoleId(5)]);
  for (const sha256 of [undefined, aSha256(5)]) {
    await takedowns.list({ sha256, after: aTakedown(6), limit: 10 });
  }
  await takedowns.copies({ sha256: aSha256(5), now: START, after: undefined, limit: 10 });
  await takedowns.claimPurge({ role: aRoleId(5), token: aToken(5), until: LATER });
  await takedowns.lift(aTakedown(5), LATER, [anEvent()]);
}

async function useNames(names: NameStore): Promise<void> {
  const [name, token] = ['pr-42' as PinName, '3QpMtRzX81aKfYw0BvNc7d' as NameToken];
  const place = { account: ACCOUNT, name };
  await names.set({ ...place, token, role: aRoleId(2), now: START, limit: 10 }, [anEvent()]);
  await names.find(ACCOUNT, name);
  await names.resolve(token);
  await names.list(ACCOUNT, name, 10);
  await names.delete(place, [anEvent()]);
}

describe('Every statement of a request', () => {
  it('finds its rows by an index, and sorts none', () =>
    inFolder(async (folder) => {
      const connection = new SqliteConnection(join(folder, 'pinfold.sqlite'), async () => {});
      const texts = new Set<string>();
      const noted = noting(connection, texts);
      await migrate(connection);
      await checkSchema(noted, undefined);
      await useRoles(sqliteRoleStore(noted));
      await useLists(sqliteRoleStore(noted));
      await useKeysAndAttempts(sqliteApiKeyStore(noted), sqliteAttemptCounter(noted));
      await useSessions(sqliteSessionStore(noted));
      await useNames(sqliteNameStore(noted));
      await useViews(sqliteViewStore(noted));
      await usePairings(sqlitePairingStore(noted));
      await useTakedowns(sqliteTakedownStore(noted));
      await useHistory(sqliteHistoryStore(noted));
      expect(texts.size).to.be.greaterThan(40);
      const steps = new Set<string>();
      for (const text of texts) {
        const plan = await connection.read((prepare) =>
          prepare<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`).all(...unbound(text)),
        );
        for (const { detail } of plan) {
          steps.add(detail);
          const slow = /^(?:SCAN|USE TEMP B-TREE|MATERIALIZE)/.test(detail) && !ALLOWED.has(detail);
          expect(slow ? detail : '', text).to.equal('');
        }
      }
      const whose = `EXPLAIN QUERY PLAN SELECT id, account, title FROM roles WHERE archive = ''`;
      const plan = await connection.read((prepare) => prepare<{ detail: string }>(whose).all());
      expect(plan.map(({ detail }) => detail)).to.deep.equal([
        'SEARCH roles USING INDEX roles_archive (archive=?)',
      ]);
      expect([...steps], 'the read on the viewing path').to.include(
        'SEARCH roles USING INDEX sqlite_autoindex_roles_1 (id=?)',
      );
      connection.close();
    }));
});

/** Some value for each parameter: a plan does not depend on them. */
function unbound(text: string): unknown[] {
  const named = [...text.matchAll(/@(\w+)/g)].map(([, name]) => [name, null]);
  if (named.length > 0) return [Object.fromEntries(named)];
  return [...text.matchAll(/\?/g)].map(() => null);
}
