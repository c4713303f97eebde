import { prepared, type Statement } from '../engine/statement.ts';

/** Kinds of named locks, each with its own hash seed; locks of archives have the seed 0. */
const SEEDS = { keysOf: 1, sessionsOf: 2, consentsOf: 3, pairings: 4 } as const;

/** Locks a name, which is the parameter, until the transaction ends. */
export function lockingName(kind: keyof typeof SEEDS): Statement {
  return prepared(`SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended($1, ${SEEDS[kind]}))`);
}

/** Locks an archive by its SHA-256 until the transaction ends: publications share the lock, a takedown holds it alone. */
export function lockingArchive(mode: '' | '_shared', place: number): string {
  return `pg_catalog.pg_advisory_xact_lock${mode}(pg_catalog.hashtextextended($${place}, 0))`;
}
