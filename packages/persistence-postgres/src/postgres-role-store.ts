import type { RoleStore } from '@pinfold/core';
import type { PostgresConnection } from './postgres-connection.ts';
import { cleanup } from './role-store/cleanup.ts';
import { comparison } from './role-store/comparison.ts';
import { keys } from './role-store/keys.ts';
import { listing } from './role-store/listing.ts';
import { roles } from './role-store/roles.ts';
import type { Tables } from './tables.ts';

/** Keeps roles, manifests and Idempotency-Keys in PostgreSQL. */
export function postgresRoleStore(connection: PostgresConnection, tables: Tables): RoleStore {
  return {
    ...keys(connection, tables),
    ...roles(connection, tables),
    ...listing(connection, tables),
    ...cleanup(connection, tables),
    ...comparison(connection, tables),
  };
}
