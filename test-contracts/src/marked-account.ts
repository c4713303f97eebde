import type { AccountId, ArchiveId, RoleId } from '@pinfold/core';
import { recordLine } from '@pinfold/core/internal';
import {
  type AnyTable,
  all,
  type Column,
  type Database,
  type DatabaseSchema,
  defineProgram,
  insert,
  TABLES,
  unlocked,
} from '@pinfold/core/records';
import { createPersistence, STORE_SCHEMA } from '@pinfold/core/stores';
import { aRoleId, aSha256, aToken, START } from './fixtures/index.ts';

type Row = Readonly<Record<string, unknown>>;

const OTHER = 'other' as AccountId;
const ROLE: RoleId = aRoleId(1);
const ARCHIVE = '1795176000000-0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20' as ArchiveId;

/** Tables without rows of an account, and the table of the erasures themselves. */
const OF_NO_ACCOUNT = [
  'comparisons',
  'erasures',
  'feeds',
  'scheduled_exports',
  'service_modes',
  'unfinished_imports',
];

/** Values that are not a text of a person: ids that connect rows, and values that remain by contract. */
const GIVEN: Readonly<Record<string, Row>> = {
  roles: { id: ROLE, archive: ARCHIVE, sha256: aSha256(1), hasArchive: true, publishedAt: START },
  manifests: { archive: ARCHIVE },
  idempotency_keys: { role: ROLE },
  names: { role: ROLE, previous: ROLE },
  takedowns: { id: ROLE, sha256: aSha256(1), reason: 'It is a copy of a bank.' },
  views: { role: ROLE },
  attempts: { role: ROLE },
  attempt_windows: { role: ROLE },
  events: { id: aRoleId(50), at: START, type: 'pin.published', pin: ROLE, accountFeedNumber: 1 },
  feed_begins: { event: aRoleId(51) },
};

/** An account with a different text in every column of texts and of JSON. */
export interface MarkedAccount {
  readonly account: AccountId;
  /** Every text that must not remain anywhere after the account is erased. */
  readonly marks: readonly string[];
}

const insertRows = defineProgram('test.insert_rows', {
  *run(rows: readonly (readonly [table: string, row: Row])[]) {
    const tables = new Map(TABLES.map((table) => [table.name, table]));
    yield* all(...rows.map(([name, row]) => unlocked(insert(tables.get(name) as AnyTable, row as never))));
  },
});

/** The schema of the stores, with a program by which tests fill its tables. */
export const MARKED_SCHEMA: DatabaseSchema = {
  tables: STORE_SCHEMA.tables,
  programs: [...STORE_SCHEMA.programs, insertRows],
};

/** Fills every table that the core declares; a new column of texts is filled without being named here. */
export async function markAccount(database: Database): Promise<MarkedAccount> {
  const marks: string[] = [];
  const mark = (table: string, member: string): string => {
    const text = `mark<${table}.${member}>`;
    marks.push(text);
    return text;
  };
  const account = mark('accounts', 'name') as AccountId;
  const key = mark('idempotency_keys', 'key');
  const rows = TABLES.filter(({ name }) => !OF_NO_ACCOUNT.includes(name)).map((table) => {
    const given = { ...linksOf(table, account, key), ...GIVEN[table.name] };
    const members = Object.entries(table.columns).filter(([, { type }]) => type !== 'sequence');
    const values = members.map(([member, column]) => {
      const value = member in given ? given[member] : fillOf(column, member, () => mark(table.name, member));
      return [member, value] as const;
    });
    return [table.name, Object.fromEntries(values)] as const;
  });
  await database.write(insertRows, [...rows, ...ofOthers(mark('events', 'actor'))]);
  return { account, marks: [...new Set(marks)] };
}

function linksOf(table: AnyTable, account: AccountId, key: string): Row {
  if (table.name === 'accounts') return { name: account };
  if (table.name === 'roles') return { account, idempotencyKey: key };
  if (table.name === 'idempotency_keys') return { account, key };
  return 'account' in table.columns ? { account } : {};
}

function fillOf({ type }: Column, member: string, mark: () => string): unknown {
  if (type === 'text') return mark();
  if (type === 'integer') return 1;
  if (type === 'flag') return false;
  const text = mark();
  if (member === 'actor') return { kind: 'person', id: text };
  if (member === 'blocked') return { reason: text, sites: 'keep', at: 1 };
  if (member === 'scopes') return [text];
  if (member === 'warnings') return [{ rule: 'broken_reference', path: text, target: text }];
  return { requests: text };
}

/** The oldest key, which records that there was a first start, and what the person did for another account. */
function ofOthers(person: string): readonly (readonly [string, Row])[] {
  const event = { at: START, type: 'key.created', account: OTHER, pin: null, name: null, request: null };
  const places = { recordedAt: START, feedNumber: null, accountFeedNumber: 1, asOperator: false };
  const actor = { kind: 'person', id: person };
  return [
    [
      'api_keys',
      {
        ...{ id: 'oldest', account: OTHER, scopes: [], label: '', secretHash: aSha256(9), createdAt: 0 },
        ...{ lastUsedAt: null, revokedAt: null, isEnsured: false },
      },
    ],
    ['events', { ...event, id: aRoleId(60), actor, address: person, ...places }],
  ];
}

/** Erases an account as a sweep does, with a storage that removes every archive. */
export async function eraseMarked(database: Database, account: AccountId): Promise<void> {
  const { erasures, roles } = storesOf(database);
  const erasure = { account, replacement: 'erased:marked' as AccountId };
  await erasures.begin({ ...erasure, at: START, actor: { kind: 'operator', id: null } });
  const newIds = () => Array.from({ length: erasures.eventsAtOnce }, () => crypto.randomUUID() as never);
  for (let n = 0; ; n += 1) {
    const step = await erasures.advance(erasure, START, newIds());
    if (step === 'erased') return;
    if (step === 'continued') continue;
    const claim = { now: START, token: aToken(n), until: START, limit: 10 };
    for (const task of await erasures.claimArchives(erasure.replacement, claim)) {
      await roles.settleCleanup(task, { kind: 'removed' }, []);
    }
  }
}

/** Every line of an export, and every event of the history. */
export async function shownOf(database: Database): Promise<string> {
  const { snapshot, history } = storesOf(database);
  const lines: string[] = [];
  for await (const record of snapshot.records()) lines.push(recordLine(record));
  const everything = { account: undefined, pin: undefined, since: undefined, after: undefined, limit: 100 };
  return [...lines, JSON.stringify(await history.list(everything))].join('\n');
}

function storesOf(database: Database): ReturnType<typeof createPersistence> {
  return createPersistence(database, () => 'f'.repeat(32) as never);
}
