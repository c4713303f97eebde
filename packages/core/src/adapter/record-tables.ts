import type { Account } from '../domain/account.ts';
import type { ApiKey } from '../domain/api-key.ts';
import type { HistoryEvent } from '../domain/history.ts';
import type { NameRecord } from '../domain/name.ts';
import type { Consent } from '../domain/pairing.ts';
import type { Role } from '../domain/role.ts';
import type { Session, SignInLink } from '../domain/session.ts';
import type { Takedown } from '../domain/takedown.ts';
import type { CountedViews } from '../domain/views.ts';
import { jsonList, jsonOf } from './json.ts';
import { type Column, type Columns, type Table, tableOf } from './table.ts';

/** How a database stores whole numbers and flags, and how its statements write parameters. */
export interface ColumnTypes {
  integer(name: string): Pick<Column<never>, 'name' | 'type'>;
  flag(name: string): Column<boolean>;
  /** As {@link tableOf} takes it. */
  readonly parameter?: (place: number) => string;
}

/** The columns of every record that a database stores. */
export interface RecordTables {
  readonly roles: Table<Role>;
  readonly accounts: Table<Account>;
  readonly apiKeys: Table<ApiKey>;
  readonly sessions: Table<Session>;
  readonly links: Table<SignInLink>;
  readonly events: Table<HistoryEvent>;
  readonly names: Table<NameRecord>;
  readonly takedowns: Table<Takedown>;
  readonly views: Table<CountedViews>;
  /** The columns of a pairing that are null before a consent. */
  readonly consents: Table<Consent>;
}

/** The columns of every record, which have the same names in every database. */
export function recordTables({ integer, flag, parameter }: ColumnTypes): RecordTables {
  const table = <Row>(columns: Columns<Row>): Table<Row> => tableOf(columns, parameter);
  return {
    roles: table<Role>({
      id: 'id',
      account: 'account',
      archive: 'archive',
      idempotencyKey: 'idempotency_key',
      title: 'title',
      originalFilename: 'original_filename',
      fileCount: integer('file_count'),
      size: integer('size'),
      archiveBytes: integer('archive_bytes'),
      sha256: 'sha256',
      publishedAt: integer('published_at'),
      expiresAt: integer('expires_at'),
      pinned: flag('pinned'),
      deletedAt: integer('deleted_at'),
      passwordHash: 'password_hash',
      generation: integer('generation'),
    }),
    accounts: table<Account>({
      name: 'name',
      limits: jsonOf('limits'),
      blocked: jsonOf('blocked'),
      generation: integer('generation'),
      lastPublishedAt: integer('last_published_at'),
      publicationsMark: integer('publications_mark'),
    }),
    apiKeys: table<ApiKey>({
      id: 'id',
      account: 'account',
      scopes: jsonList('scopes'),
      label: 'label',
      secretHash: 'secret_hash',
      createdAt: integer('created_at'),
      lastUsedAt: integer('last_used_at'),
      revokedAt: integer('revoked_at'),
      isEnsured: flag('ensured'),
    }),
    sessions: table<Session>({
      tokenHash: 'token_hash',
      account: 'account',
      apiKey: 'api_key',
      actor: jsonOf('actor'),
      scope: 'scope',
      displayName: 'display_name',
      startedAt: integer('started_at'),
      endsAt: integer('ends_at'),
    }),
    links: table<SignInLink>({
      tokenHash: 'token_hash',
      account: 'account',
      actor: jsonOf('actor'),
      scope: 'scope',
      endsAt: integer('ends_at'),
    }),
    events: table<HistoryEvent>({
      at: integer('at'),
      id: 'id',
      type: 'type',
      account: 'account',
      pin: 'pin',
      name: 'name',
      actor: jsonOf('actor'),
      request: 'request',
      address: 'address',
      asOperator: flag('as_operator'),
      recordedAt: integer('recorded_at'),
    }),
    names: table<NameRecord>({
      account: 'account',
      name: 'name',
      token: 'token',
      role: 'role',
      updatedAt: integer('updated_at'),
    }),
    takedowns: table<Takedown>({
      id: 'id',
      account: 'account',
      sha256: 'sha256',
      reason: 'reason',
      at: integer('at'),
      liftedAt: integer('lifted_at'),
    }),
    views: table<CountedViews>({
      role: 'role',
      day: integer('day'),
      views: integer('views'),
      refusedPasswords: integer('refused_passwords'),
    }),
    consents: table<Consent>({
      account: 'account',
      scopes: jsonList('scopes'),
      label: 'label',
      actor: jsonOf('actor'),
      session: 'session',
      apiKey: 'api_key',
    }),
  };
}

/** Members that never change after publication are not saved again. */
const LASTING: readonly (keyof Role)[] = [
  'id',
  'account',
  'archive',
  'idempotencyKey',
  'originalFilename',
  'fileCount',
  'size',
  'archiveBytes',
  'sha256',
  'publishedAt',
];

/** The members of a role that a save writes. */
export function changingMembers({ members }: Pick<Table<Role>, 'members'>): readonly (keyof Role)[] {
  return members.filter((member) => !LASTING.includes(member));
}
