import { prepared, type Statement } from '../engine/statement.ts';

/** What is changed by one transaction at a time, each by a name; archives have the seed 0. */
const SEEDS = { keysOf: 1, sessionsOf: 2, consentsOf: 3, pairings: 4 } as const;

/** Takes the lock of a name, its parameter, until the transaction ends. */
export function lockingName(what: keyof typeof SEEDS): Statement {
  return prepared(`SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended($1, ${SEEDS[what]}))`);
}

/**
 * Locks an archive by its SHA-256 until the transaction ends: any number publish it at once, and nobody while it is being
 * forbidden.
 */
export function lockingArchive(mode: '' | '_shared', place: number): string {
  return `pg_catalog.pg_advisory_xact_lock${mode}(pg_catalog.hashtextextended($${place}, 0))`;
}
