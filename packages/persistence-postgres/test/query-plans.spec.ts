import { after, days, minutes, type RoleQuery, type RoleState } from '@pinfold/core';
import type { Persistence } from '@pinfold/core/adapter';
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
import pg from 'pg';
import { type PostgresPlace, postgresPlace } from 'pinfold-test-servers/mocha';
import { openPostgres, type PostgresPool } from '../src/index.ts';

interface Asked {
  readonly name?: string;
  readonly text: string;
  readonly values: unknown[];
}

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly Plans?: readonly Plan[];
}

/** Tables of one row, and those of which a statement wants every row or only to know whether there is one. */
function mayRead(table: string, text: string): boolean {
  if (['schema_state', 'comparison', 'service_mode', 'feed', 'import_mark'].includes(table)) return true;
  return table === 'api_keys' && (!text.includes('WHERE') || text.includes('WHERE NOT EXISTS'));
}

const LATER = after(START, days(30));

/** Notes every statement on its way to the server. */
function noting(pool: pg.Pool, asked: Map<string, Asked>): PostgresPool {
  const clients = new WeakSet<pg.PoolClient>();
  const connect = async () => {
    const client = await pool.connect();
    if (clients.has(client)) return client;
    clients.add(client);
    const query = client.query.bind(client) as (statement: Asked) => Promise<pg.QueryResult>;
    const note = (statement: Asked) => {
      asked.set(statement.text, statement);
      return query(statement);
    };
    return Object.assign(client, { query: note });
  };
  return {
    connect,
    on: (event, listener) => pool.on(event, listener),
    off: (event, listener) => pool.off(event, listener),
  };
}

async function useRoles({ roles }: Persistence): Promise<void> {
  await publishTo(roles, aPublication(1));
  await publishTo(roles, aPublication(2));
  await roles.reserve(aReservation(3));
  await roles.renew(leaseOf(aReservation(3)), LATER);
  await roles.release(leaseOf(aReservation(3)));
  const loaded = await roles.load(aRoleId(1));
  if (loaded !== undefined) await roles.save(loaded.value, loaded.version, [anEvent()]);
  await roles.loadManifest(anArchiveId(1));
  await roles.whichAreNamed([anArchiveId(1)]);
  await roles.listArchives(undefined, 10);
  await roles.purge(START, 10);
  const first = await roles.keepComparison(aComparison(), undefined);
  if (first.kind === 'kept') await roles.keepComparison(aComparison(), first.version);
  await roles.loadComparison();
  const claim = { now: LATER, endedBefore: LATER, token: aToken(9), until: LATER, limit: 10 };
  const [one, other] = await roles.claimForCleanup(claim);
  if (one !== undefined) await roles.settleCleanup(one, { kind: 'removed' }, [anEvent()]);
  if (other !== undefined) await roles.settleCleanup(other, { kind: 'failed', retryAt: LATER }, [anEvent()]);
}

async function useLists({ roles }: Persistence): Promise<void> {
  const query: RoleQuery = {
    account: ACCOUNT,
    now: START,
    state: undefined,
    idempotencyKey: undefined,
    search: undefined,
    order: undefined,
    after: undefined,
    limit: 20,
  };
  await roles.list({ ...query, idempotencyKey: aKey(1) });
  const states: readonly (RoleState | undefined)[] = [undefined, 'published', 'expired', 'deleted'];
  for (const state of states) {
    for (const search of [undefined, 'site']) {
      for (const account of [ACCOUNT, undefined]) await roles.list({ ...query, account, state, search });
      if (state === 'deleted') continue;
      for (const order of ['ending', 'largest'] as const)
        await roles.list({ ...query, state, search, order });
    }
  }
}

async function useKeysAndAttempts({ apiKeys, attempts }: Persistence): Promise<void> {
  await apiKeys.createFirst(anApiKey(1), [anEvent()]);
  await apiKeys.create(anApiKey(2), [anEvent()], 'account', 100);
  await apiKeys.create({ ...anApiKey(2), isEnsured: true }, [anEvent()], 'operator');
  await apiKeys.find(anApiKeyId(2));
  for (const account of [undefined, ACCOUNT]) await apiKeys.list({ account, after: undefined, limit: 50 });
  await apiKeys.countLive(ACCOUNT);
  await apiKeys.touch(anApiKeyId(2), LATER, START);
  await apiKeys.revoke(anApiKeyId(2), START, [anEvent()]);
  await apiKeys.purge(LATER, 10);
  const limits = { window: minutes(5), perAddress: 10, perRole: 300 };
  const attempt = { role: aRoleId(1), address: '192.0.2.1', now: START, ...limits };
  for (const end of [attempts.forgive.bind(attempts), attempts.settle.bind(attempts)]) {
    const outcome = await attempts.begin(attempt);
    if (outcome.kind === 'admitted') await end(outcome.ticket);
  }
  await attempts.purge(LATER, 10);
}

async function useSessions({ sessions }: Persistence): Promise<void> {
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

async function useViews({ views }: Persistence): Promise<void> {
  const day = dayOf(START);
  await views.add([{ role: aRoleId(1), day, views: 1, refusedPasswords: 0 }]);
  await views.list(aRoleId(1), day);
  await views.drop(day, 10);
}

async function usePairings({ pairings }: Persistence): Promise<void> {
  const { secretHash } = aRegistration(1);
  await pairings.register(aRegistration(1));
  const consent = aConsent(1, { session: aTokenHash(3), apiKey: anApiKeyId(1) });
  await pairings.agree(secretHash, consent, START, [anEvent()]);
  await pairings.find(secretHash, START);
  await pairings.take(aPairingRedemption(1, { limit: 100 }), []);
  await pairings.purge(LATER, 10);
}

async function useHistory({ history }: Persistence): Promise<void> {
  await history.list({ account: ACCOUNT, pin: undefined, since: START, after: undefined, limit: 10 });
  await history.list({ account: ACCOUNT, pin: aRoleId(1), since: undefined, after: undefined, limit: 10 });
  for (const account of [undefined, ACCOUNT]) {
    for (const pin of [undefined, aRoleId(1)]) await history.feed({ account, pin, after: 1, limit: 10 });
  }
  await history.expired(START, 10);
  await history.drop(START, 10);
  await history.thin({ since: START, until: after(START, minutes(1)), keep: 10_000, limit: 10 });
}

async function useTakedowns({ takedowns }: Persistence): Promise<void> {
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

/** So many rows of all kinds that nobody would read them all without need: half of the roles ended, some deleted. */
function fill(schema: string): string {
  const name = pg.escapeIdentifier(schema);
  return `
    INSERT INTO ${name}.roles (id, version, account, archive, idempotency_key, original_filename, file_count, size,
      published_at, expires_at, pinned, deleted_at, generation, title, title_folded, not_before, sha256,
      archive_bytes)
    SELECT 'role-' || n, 1, CASE WHEN n % 3 = 0 THEN '${ACCOUNT}' ELSE 'account-' || n % 100 END, 'archive-' || n,
      'key-of-' || n, 'site.zip', 1, 1, ${START} - n * 1000, ${START} - n * 1000 + 10000000, false,
      CASE WHEN n % 7 = 0 THEN ${START} END, 1, 'Site ' || n, 'site ' || n, CASE WHEN n % 50 = 0 THEN ${START} END,
      'sha-' || n / 3, 1
    FROM pg_catalog.generate_series(1, 20000) AS n;
    INSERT INTO ${name}.manifests SELECT 'archive-' || n, '[]' FROM pg_catalog.generate_series(1, 20000) AS n;
    INSERT INTO ${name}.idempotency_keys (account, key, fingerprint, token, begun_at, held_until, role)
    SELECT '${ACCOUNT}', 'key-of-' || n, 'print', 'token', ${START}, ${START},
      CASE WHEN n % 100 <> 0 THEN 'role-' || n END
    FROM pg_catalog.generate_series(1, 20000) AS n;
    INSERT INTO ${name}.api_keys (id, account, scopes, label, secret_hash, created_at, ensured)
    SELECT 'key-' || n, 'account-' || n % 500, '[]', '', '', n, false FROM pg_catalog.generate_series(1, 5000) AS n;
    INSERT INTO ${name}.attempt_windows
    SELECT 'role-' || n % 100, 'from ' || n, ${START} + n, 1 FROM pg_catalog.generate_series(1, 20000) AS n;
    INSERT INTO ${name}.attempts (role, counted, begun_at, ends_at, role_ends_at)
    SELECT 'role-' || n % 100, 'from ' || n, ${START} - n, ${START}, ${START} + n FROM pg_catalog.generate_series(1, 20000) AS n;
    INSERT INTO ${name}.sessions (token_hash, account, actor, scope, started_at, ends_at)
    SELECT 'hash-' || n, 'account', '{}', 'manage', n, ${START} + n FROM pg_catalog.generate_series(1, 10000) AS n;
    INSERT INTO ${name}.sign_in_links (token_hash, account, actor, scope, ends_at)
    SELECT 'hash-' || n, 'account', '{}', 'manage', ${START} + n FROM pg_catalog.generate_series(1, 10000) AS n;
    INSERT INTO ${name}.views
    SELECT 'role-' || n, ${dayOf(START)} - n % 30, 1, 0 FROM pg_catalog.generate_series(1, 20000) AS n;
    INSERT INTO ${name}.pairings (secret_hash, account, scopes, label, actor, ends_at)
    SELECT 'hash-' || n, 'account-' || n % 100, '[]', '', '{}', ${START} + n FROM pg_catalog.generate_series(1, 10000) AS n;
    INSERT INTO ${name}.takedowns
    SELECT 'role-' || n, 'account-' || n % 100, 'sha-' || n / 3, 'Phishing', ${START} - n, NULL
    FROM pg_catalog.generate_series(1, 20000) AS n;
    INSERT INTO ${name}.events (at, id, type, account, pin, actor, as_operator, recorded_at, number, account_number)
    SELECT ${START} + n * 1000, 'event-' || n, 'pin.pinned', 'account-' || n % 100, 'role-' || n % 1000, '{}', false,
      ${START} + n * 1000, 1000 + n, n / 100
    FROM pg_catalog.generate_series(1, 20000) AS n;
    INSERT INTO ${name}.feed_begins
    SELECT 'account-' || n, 1, 'event' FROM pg_catalog.generate_series(1, 20000) AS n;
    ANALYZE ${name}.events, ${name}.feed_begins, ${name}.takedowns, ${name}.pairings, ${name}.views, ${name}.roles, ${name}.manifests, ${name}.idempotency_keys, ${name}.api_keys, ${name}.attempt_windows,
      ${name}.attempts, ${name}.sessions, ${name}.sign_in_links`;
}

/** A prepared statement is planned without its values in the end, any other one with them. */
async function planOf(pool: pg.Pool, { name, text, values }: Asked): Promise<Plan> {
  const [kind, known] = name === undefined ? ['', values] : [', GENERIC_PLAN', []];
  const { rows } = await pool.query(`EXPLAIN (FORMAT JSON${kind}) ${text}`, known);
  return rows[0]['QUERY PLAN'][0].Plan;
}

function stepsOf(plan: Plan): readonly Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(stepsOf)];
}

describe('Every statement of a request', () => {
  let place: PostgresPlace;

  beforeEach(async () => {
    place = await postgresPlace();
  });

  afterEach(() => place.dispose());

  it('finds its rows by an index, and sorts none to give a page', async () => {
    const asked = new Map<string, Asked>();
    const handle = await openPostgres({ pool: noting(place.pool(), asked), schema: place.schema });
    await handle.migrate();
    asked.clear();
    await handle.check();
    await useRoles(handle);
    await useLists(handle);
    await useKeysAndAttempts(handle);
    await useSessions(handle);
    await useViews(handle);
    await usePairings(handle);
    await useTakedowns(handle);
    await useHistory(handle);
    const statements = [...asked.values()].filter(
      ({ text }) => !/^\s*(?:BEGIN|COMMIT|ROLLBACK|DO)/.test(text),
    );
    expect(statements.length).to.be.greaterThan(30);
    const pool = place.pool();
    await pool.query(fill(place.schema));
    const kinds = new Set<string>();
    for (const statement of statements) {
      const steps = stepsOf(await planOf(pool, statement));
      const scans = steps.filter((step) => step['Node Type'] === 'Seq Scan');
      const slow = scans.filter((step) => !mayRead(step['Relation Name'] ?? '', statement.text));
      expect(slow, statement.text).to.deep.equal([]);
      // The copies of one archive are few, and so are the publications of the events of 20 minutes.
      const isPage =
        /LIMIT \$[45]/.test(statement.text) && !/WITH|SELECT id FROM|SELECT DISTINCT/.test(statement.text);
      const sorts = steps.filter((step) => isPage && step['Node Type'] === 'Sort');
      expect(sorts, statement.text).to.deep.equal([]);
      for (const step of steps) kinds.add(step['Node Type']);
    }
    expect([...kinds]).to.include('Index Scan');
  });

  it('finds whose an archive is by an index', async () => {
    const handle = await openPostgres({ pool: place.pool(), schema: place.schema });
    await handle.migrate();
    const pool = place.pool();
    await pool.query(fill(place.schema));
    const text = `SELECT id, account, title FROM ${pg.escapeIdentifier(place.schema)}.roles WHERE archive = 'archive-9'`;
    const steps = stepsOf(await planOf(pool, { text, values: [] }));
    expect(steps.map((step) => step['Index Name'])).to.include('roles_archive');
  });
});
