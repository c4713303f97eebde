import type { Tables } from './tables.ts';

/** Whether nobody may publish the archive whose SHA-256 is the parameter of that place. */
export function isForbidden({ takedowns }: Pick<Tables, 'takedowns'>, place: number): string {
  return `EXISTS (SELECT 1 FROM ${takedowns} WHERE sha256 = $${place} AND lifted_at IS NULL)`;
}

/**
 * Locks an archive by its SHA-256 until the transaction ends: any number publish it at once, and nobody while it is being
 * forbidden.
 */
export function lockingArchive(mode: '' | '_shared', place: number): string {
  return `pg_catalog.pg_advisory_xact_lock${mode}(pg_catalog.hashtextextended($${place}, 0))`;
}
