import { dayOf } from '@pinfold/core/internal';
import { TABLES } from '@pinfold/core/records';
import { ACCOUNT, aRoleId, START } from '@pinfold/test-contracts/fixtures';
import { ofEachTest, useEveryStore } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import pg from 'pg';
import { postgresPlace } from 'pinfold-test-servers/mocha';
import { openPostgres, type PostgresPool } from '../src/index.ts';

const EXPIRES_AT = `${START} - n * 1000 + 10000000`;
const DELETED_AT = `CASE WHEN n % 7 = 0 THEN ${START} END`;

/** Few enough rows that sorting is as fast as reading in order. */
const FEW = 1_000;

/** Tables of one row. */
const SINGLE = [
  'comparisons',
  'service_modes',
  'feeds',
  'unfinished_imports',
  'scheduled_exports',
  'schema_state',
];

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

interface SentStatement {
  readonly name?: string;
  readonly text: string;
  readonly values: unknown[];
}

interface Plan {
  readonly 'Node Type': string;
  readonly 'Plan Rows': number;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly Plans?: readonly Plan[];
}

/** Records every statement that is sent to the server. */
function recording(pool: pg.Pool, statementsByText: Map<string, SentStatement>): PostgresPool {
  const clients = new WeakSet<pg.PoolClient>();
  const connect = async () => {
    const client = await pool.connect();
    if (clients.has(client)) return client;
    clients.add(client);
    const query = client.query.bind(client) as (statement: SentStatement) => Promise<pg.QueryResult>;
    const record = (statement: SentStatement) => {
      statementsByText.set(statement.text, statement);
      return query(statement);
    };
    return Object.assign(client, { query: record });
  };
  return {
    connect,
    on: (event, listener) => pool.on(event, listener),
    off: (event, listener) => pool.off(event, listener),
  };
}

/** The values of the `n`th row of a table: unnamed ones are null, or a value of the type. */
const ROWS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  roles: {
    id: "'role-' || n",
    account: `CASE WHEN n % 10 = 0 THEN '${ACCOUNT}' ELSE 'account-' || n % 100 END`,
    archive: "'archive-' || n",
    original_filename: "'site.zip'",
    title_folded: "'site ' || n",
    sha256: "'sha-' || n / 3",
    archive_bytes: 'n',
    published_at: `${START} - n * 1000`,
    expires_at: EXPIRES_AT,
    deleted_at: DELETED_AT,
    ended_at: `least(${EXPIRES_AT}, ${DELETED_AT})`,
    ending_rank: `9007199254740991 - (${EXPIRES_AT})`,
    has_archive: 'true',
    is_expiry_recorded: 'n % 20 <> 0',
    cleanup_not_before: `CASE WHEN n % 50 = 0 THEN ${START} END`,
  },
  manifests: { archive: "'archive-' || n" },
  idempotency_keys: {
    account: `'${ACCOUNT}'`,
    key: "'key-of-' || n",
    begun_at: `${START}`,
    role: "CASE WHEN n % 100 <> 0 THEN 'role-' || n END",
  },
  accounts: { name: "'account-' || n" },
  erasures: { account: "'account-' || n" },
  api_keys: {
    id: "'key-' || n",
    account: "'account-' || n % 500",
    created_at: 'n',
    revoked_at: `CASE WHEN n % 10 = 0 THEN ${START} + n END`,
  },
  attempt_windows: {
    role: "'role-' || n % 1000",
    number: 'n',
    counted: "'from ' || n",
    ends_at: `${START} + n`,
  },
  attempts: { role: "'role-' || n % 1000", number: 'n', counted: "'from ' || n", ends_at: `${START} + n` },
  sessions: {
    token_hash: "'hash-' || n",
    account: "'account-' || n % 1000",
    started_at: 'n',
    ends_at: `${START} + n`,
  },
  sign_in_links: { token_hash: "'hash-' || n", ends_at: `${START} + n` },
  session_refusals: { account: "'account-' || n" },
  views: { role: "'role-' || n", day: `${dayOf(START)} - n % 30` },
  pairings: {
    secret_hash: "'hash-' || n",
    account: "'account-' || n % 1000",
    session: "'session-' || n",
    ends_at: `${START} + n`,
  },
  names: {
    account: "'account-' || n % 100",
    name: "'name-' || n",
    token: "'token-' || n",
    role: "'role-' || n",
  },
  takedowns: { id: "'role-' || n", sha256: "'sha-' || n / 3", at: `${START} - n` },
  events: {
    at: `${START} + n * 1000`,
    id: "'event-' || n",
    account: `CASE WHEN n % 10 = 0 THEN '${ACCOUNT}' ELSE 'account-' || n % 100 END`,
    pin: `CASE WHEN n % 10 = 0 THEN '${aRoleId(1)}' ELSE 'role-' || n % 1000 END`,
    recorded_at: `${START} + n * 1000`,
    feed_number: '1000 + n',
    account_feed_number: 'n / 100',
  },
  feed_begins: { account: "'account-' || n" },
};

const BLANK = { text: "''", json: "'{}'", integer: '1', flag: 'false' } as const;

/** Enough rows of all kinds that no plan reads all of them needlessly: half of the roles ended, some deleted. */
function fill(schema: string): string {
  const statements = TABLES.flatMap(({ name, columns }) => {
    const named = ROWS[name];
    if (named === undefined) return [];
    const values = Object.entries(columns).flatMap(([member, { type, isNullable }]) => {
      if (type === 'sequence') return [];
      const column = snakeCase(member);
      return [[column, named[column] ?? (isNullable ? 'NULL' : BLANK[type])] as const];
    });
    const into = `${pg.escapeIdentifier(schema)}.${name}`;
    return `INSERT INTO ${into} (${values.map(([column]) => pg.escapeIdentifier(column)).join(', ')})
      SELECT ${values.map(([, value]) => value).join(', ')} FROM pg_catalog.generate_series(1, 20000) AS n`;
  });
  return statements.join('; ');
}

/** Plans a prepared statement without its values, as the server does in the end, and any other one with them. */
async function planOf(pool: pg.Pool, { name, text, values }: SentStatement): Promise<Plan> {
  const [kind, known] = name === undefined ? ['', values] : [', GENERIC_PLAN', []];
  const { rows } = await pool.query(`EXPLAIN (FORMAT JSON${kind}) ${text}`, known);
  return rows[0]['QUERY PLAN'][0].Plan;
}

function stepsOf(plan: Plan): readonly Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(stepsOf)];
}

/** A table of one row, or one of which a statement wants to know only whether there is a row. */
function mayRead(table: string, text: string): boolean {
  return SINGLE.includes(table) || (table === 'api_keys' && text.includes('WHERE 1 = 1 LIMIT'));
}

/** The feed of one publication, of whose events the server expects too few: it does not know that they have one account. */
const FEED = /"pin" = .* ORDER BY t0\."account_feed_number"/;

/** A page of a list, which must be read in the order of an index. */
function isPage({ text }: SentStatement): boolean {
  return /ORDER BY .* LIMIT/.test(text) && !text.includes('OFFSET');
}

describe('Every statement of a request', () => {
  const place = ofEachTest(postgresPlace);

  afterEach(() => place.dispose());

  it('finds its rows by an index, and sorts none to give a page', async () => {
    const statementsByText = new Map<string, SentStatement>();
    const handle = await openPostgres({
      pool: recording(place.pool(), statementsByText),
      schema: place.schema,
    });
    await handle.migrate();
    statementsByText.clear();
    await useEveryStore(handle);
    const statements = [...statementsByText.values()].filter(
      ({ text }) => !/^\s*(?:BEGIN|COMMIT|ROLLBACK)/.test(text),
    );
    expect(statements.length).to.be.greaterThan(30);
    const pool = place.pool();
    await pool.query(fill(place.schema));
    await pool.query('VACUUM ANALYZE');
    const used = new Set<string>();
    const [slow, sorted]: [string[], string[]] = [[], []];
    for (const statement of statements) {
      const { text } = statement;
      const few = FEED.test(text) ? 0 : FEW;
      for (const step of stepsOf(await planOf(pool, statement))) {
        const { 'Node Type': type, 'Index Name': index, 'Relation Name': table = '' } = step;
        if (index !== undefined) used.add(index);
        if (type === 'Seq Scan' && !mayRead(table, text)) slow.push(`${table}: ${text}`);
        if (type === 'Sort' && isPage(statement) && step['Plan Rows'] > few) sorted.push(text);
      }
    }
    expect(slow, 'statements that read a whole table').to.deep.equal([]);
    expect(sorted, 'statements that sort for a page').to.deep.equal([]);
    const declared = TABLES.flatMap(({ name, indexes }) => indexes.map((index) => `${name}_${index.name}`));
    expect(
      declared.filter((name) => !used.has(name)),
      'indexes that no statement uses',
    ).to.deep.equal([]);
  }).timeout(120_000);
});
