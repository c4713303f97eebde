import type { RoleStore } from '@pinfold/core';
import { cleanup } from './role-store/cleanup.ts';
import { comparison } from './role-store/comparison.ts';
import { keys } from './role-store/keys.ts';
import { listing } from './role-store/listing.ts';
import { roles } from './role-store/roles.ts';
import type { Statements } from './sqlite-connection.ts';

/** Keeps roles, manifests and Idempotency-Keys in a SQLite file. */
export function sqliteRoleStore(connection: Statements): RoleStore {
  return {
    ...keys(connection),
    ...roles(connection),
    ...listing(connection),
    ...cleanup(connection),
    ...comparison(connection),
  };
}
