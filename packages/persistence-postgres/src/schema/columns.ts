import type {
  Account,
  ApiKey,
  Consent,
  CountedViews,
  HistoryEvent,
  NameRecord,
  Role,
  Session,
  SignInLink,
  Takedown,
} from '@pinfold/core';
import { type RecordTables, recordTables, type Table } from '@pinfold/core/adapter';

/** A parameter needs a type: the server takes a selected parameter for text otherwise. */
const RECORDS: RecordTables = recordTables({
  integer: (name) => ({ name, type: 'bigint' }),
  flag: (name) => ({ name, type: 'boolean' }),
});

export const ROLES: Table<Role> = RECORDS.roles;
export const ACCOUNTS: Table<Account> = RECORDS.accounts;
export const API_KEYS: Table<ApiKey> = RECORDS.apiKeys;
export const SESSIONS: Table<Session> = RECORDS.sessions;
export const LINKS: Table<SignInLink> = RECORDS.links;
export const EVENTS: Table<HistoryEvent> = RECORDS.events;
export const NAMES: Table<NameRecord> = RECORDS.names;
export const TAKEDOWNS: Table<Takedown> = RECORDS.takedowns;
export const VIEWS: Table<CountedViews> = RECORDS.views;
export const CONSENTS: Table<Consent> = RECORDS.consents;
