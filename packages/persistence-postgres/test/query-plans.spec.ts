import type { Role } from '@pinfold/core';
import { dayOf } from '@pinfold/core/internal';
import { ACCOUNT, aRole, START } from '@pinfold/test-contracts/fixtures';
import { ofEachTest, useEveryStore } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import pg from 'pg';
import { postgresPlace } from 'pinfold-test-servers/mocha';
import { openPostgres, type PostgresPool } from '../src/index.ts';
import { ROLES } from '../src/schema/columns.ts';

interface Asked {
  readonly name?: string;
  readonly text: string;
  readonly values: unknown[];
}

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Subplan Name'?: string;
  readonly Plans?: readonly Plan[];
}

/** Tables of one row, and those of which a statement wants every row or only to know whether there is one. */
function mayRead(table: string, text: string): boolean {
  if (['schema_state', 'comparison', 'service_mode', 'feed', 'import_mark'].includes(table)) return true;
  return table === 'api_keys' && (!text.includes('WHERE') || text.includes('WHERE NOT EXISTS'));
}

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

/** What the `n`th role has otherwise than the first one. */
const ROLE: Partial<Readonly<Record<keyof Role, string>>> = {
  id: "'role-' || n",
  account: `CASE WHEN n % 3 = 0 THEN '${ACCOUNT}' ELSE 'account-' || n % 100 END`,
  archive: "'archive-' || n",
  idempotencyKey: "'key-of-' || n",
  title: "'Site ' || n",
  sha256: "'sha-' || n / 3",
  publishedAt: `${START} - n * 1000`,
  expiresAt: `${START} - n * 1000 + 10000000`,
  deletedAt: `CASE WHEN n % 7 = 0 THEN ${START} END`,
};

/** So many rows of all kinds that nobody would read them all without need: half of the roles ended, some deleted. */
function fill(schema: string): string {
  const as = ROLES.values(aRole(1)).map((value) =>
    value === null ? 'NULL' : pg.escapeLiteral(String(value)),
  );
  const role = ROLES.members.map((member, at) => ROLE[member] ?? as[at]);
  const name = pg.escapeIdentifier(schema);
  return `
    INSERT INTO ${name}.roles (version, title_folded, not_before, ${ROLES.insert})
    SELECT 1, 'site ' || n, CASE WHEN n % 50 = 0 THEN ${START} END, ${role.join(', ')}
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
    INSERT INTO ${name}.names
    SELECT 'account-' || n % 100, 'name-' || n, 'token-' || n, 'role-' || n, ${START} FROM pg_catalog.generate_series(1, 20000) AS n;
    INSERT INTO ${name}.takedowns
    SELECT 'role-' || n, 'account-' || n % 100, 'sha-' || n / 3, 'Phishing', ${START} - n, NULL
    FROM pg_catalog.generate_series(1, 20000) AS n;
    INSERT INTO ${name}.events (at, id, type, account, pin, actor, as_operator, recorded_at, number, account_number)
    SELECT ${START} + n * 1000, 'event-' || n, 'pin.pinned', 'account-' || n % 100, 'role-' || n % 1000, '{}', false,
      ${START} + n * 1000, 1000 + n, n / 100
    FROM pg_catalog.generate_series(1, 20000) AS n;
    INSERT INTO ${name}.feed_begins
    SELECT 'account-' || n, 1, 'event' FROM pg_catalog.generate_series(1, 20000) AS n;
    ANALYZE ${name}.names, ${name}.events, ${name}.feed_begins, ${name}.takedowns, ${name}.pairings, ${name}.views, ${name}.roles, ${name}.manifests, ${name}.idempotency_keys, ${name}.api_keys, ${name}.attempt_windows,
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

/** Whether a limited selection of locked rows is evaluated once for each row of a join, and then selects other rows. */
function selectsAgain(plan: Plan): boolean {
  if (plan['Subplan Name']?.startsWith('CTE ')) return false;
  const { Plans: parts = [] } = plan;
  return (
    (plan['Node Type'] === 'Limit' && parts[0]?.['Node Type'] === 'LockRows') || parts.some(selectsAgain)
  );
}

describe('Every statement of a request', () => {
  const place = ofEachTest(postgresPlace);

  afterEach(() => place.dispose());

  it('finds its rows by an index, and sorts none to give a page', async () => {
    const asked = new Map<string, Asked>();
    const handle = await openPostgres({ pool: noting(place.pool(), asked), schema: place.schema });
    await handle.migrate();
    asked.clear();
    await useEveryStore(handle);
    const statements = [...asked.values()].filter(
      ({ text }) => !/^\s*(?:BEGIN|COMMIT|ROLLBACK|DO)/.test(text),
    );
    expect(statements.length).to.be.greaterThan(30);
    const pool = place.pool();
    await pool.query(fill(place.schema));
    const kinds = new Set<string>();
    for (const statement of statements) {
      const plan = await planOf(pool, statement);
      const steps = stepsOf(plan);
      const scans = steps.filter((step) => step['Node Type'] === 'Seq Scan');
      const slow = scans.filter((step) => !mayRead(step['Relation Name'] ?? '', statement.text));
      expect(slow, statement.text).to.deep.equal([]);
      expect(selectsAgain(plan), statement.text).to.equal(false);
      // The copies of one archive are few, and so are the publications of the events of 20 minutes.
      const isPage =
        /LIMIT \$[45]/.test(statement.text) && !/WITH|SELECT id FROM|SELECT DISTINCT/.test(statement.text);
      const sorts = steps.filter((step) => isPage && step['Node Type'] === 'Sort');
      expect(sorts, statement.text).to.deep.equal([]);
      for (const step of steps) kinds.add(step['Node Type']);
    }
    expect([...kinds]).to.include('Index Scan');
    const whose = `SELECT id, account, title FROM ${pg.escapeIdentifier(place.schema)}.roles WHERE archive = 'archive-9'`;
    const found = stepsOf(await planOf(pool, { text: whose, values: [] }));
    expect(
      found.map((step) => step['Index Name']),
      'whose an archive is',
    ).to.include('roles_archive');
  });
});
