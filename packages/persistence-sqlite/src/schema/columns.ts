import { type RecordTables, recordTables } from '@pinfold/core/adapter';

export const RECORDS: RecordTables = recordTables({
  integer: (name) => ({ name }),
  flag: (name) => ({ name, write: Number, read: (kept) => kept === 1 }),
  parameter: () => '?',
});

export const ROLES: RecordTables['roles'] = RECORDS.roles;
export const ACCOUNTS: RecordTables['accounts'] = RECORDS.accounts;
export const API_KEYS: RecordTables['apiKeys'] = RECORDS.apiKeys;
export const SESSIONS: RecordTables['sessions'] = RECORDS.sessions;
export const LINKS: RecordTables['links'] = RECORDS.links;
export const EVENTS: RecordTables['events'] = RECORDS.events;
export const NAMES: RecordTables['names'] = RECORDS.names;
export const TAKEDOWNS: RecordTables['takedowns'] = RECORDS.takedowns;
export const VIEWS: RecordTables['views'] = RECORDS.views;
export const CONSENTS: RecordTables['consents'] = RECORDS.consents;
