import { type RecordTables, recordTables } from '@pinfold/core/adapter';

/** Parameters have types: without one, PostgreSQL treats a parameter in a SELECT list as text. */
export const RECORDS: RecordTables = recordTables({
  integer: (name) => ({ name, type: 'bigint' }),
  flag: (name) => ({ name, type: 'boolean' }),
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
