import type { Account } from '../domain/account.ts';
import type { ApiKey } from '../domain/api-key.ts';
import type { HistoryEvent } from '../domain/history.ts';
import type { NameRecord } from '../domain/name.ts';
import type { Consent } from '../domain/pairing.ts';
import { ACCOUNT, EVENT, KEY, NAME, ROLE, TAKEDOWN, VIEWS } from '../domain/record-lines.ts';
import type { StoredAs } from '../domain/record-schema.ts';
import { CHANGING, type Role } from '../domain/role.ts';
import type { Session, SignInLink } from '../domain/session.ts';
import type { Takedown } from '../domain/takedown.ts';
import type { CountedViews } from '../domain/views.ts';
import { type ColumnTypes, type Stored, type Table, tableOf } from './table.ts';

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

const as = (storedAs: StoredAs): { readonly storedAs: StoredAs } => ({ storedAs });
const [text, integer, object] = [as('text'), as('integer'), as('object')];

const LINK: Stored<SignInLink> = {
  tokenHash: text,
  account: text,
  actor: object,
  scope: text,
  endsAt: integer,
};

/** The columns of every record, which have the same names in every database. */
export function recordTables(types: ColumnTypes): RecordTables {
  const table = <Row>(members: Stored<Row>): Table<Row> => tableOf(members, types);
  return {
    roles: table<Role>(ROLE),
    accounts: table<Account>({ ...ACCOUNT, publicationsMark: integer }),
    apiKeys: table<ApiKey>({ ...KEY, lastUsedAt: integer }),
    sessions: table<Session>({ ...LINK, apiKey: text, displayName: text, startedAt: integer }),
    links: table<SignInLink>(LINK),
    events: table<HistoryEvent>(EVENT),
    names: table<NameRecord>(NAME),
    takedowns: table<Takedown>(TAKEDOWN),
    views: table<CountedViews>(VIEWS),
    consents: table<Consent>({
      account: text,
      scopes: as('list'),
      label: text,
      actor: object,
      session: text,
      apiKey: text,
    }),
  };
}

/** The members of a role that a save writes. */
export function changingMembers({ members }: Pick<Table<Role>, 'members'>): readonly (keyof Role)[] {
  const changing: readonly (keyof Role)[] = CHANGING;
  return members.filter((member) => changing.includes(member));
}
