import type { Comparison, RoleStore, Version } from '@pinfold/core';
import { parseJson } from '@pinfold/core/adapter';
import type { Statements } from '../engine/sqlite-connection.ts';
import { cleanup } from './role-store/cleanup.ts';
import { keys } from './role-store/keys.ts';
import { listing } from './role-store/listing.ts';
import { roles } from './role-store/roles.ts';

export function sqliteRoleStore(connection: Statements): RoleStore {
  return {
    ...keys(connection),
    ...roles(connection),
    ...listing(connection),
    ...cleanup(connection),
    ...comparison(connection),
  };
}

const LOAD = 'SELECT version, comparison FROM comparison WHERE one = 1';

const KEEP_FIRST = `
  INSERT INTO comparison (one, version, comparison) VALUES (1, 1, @comparison) ON CONFLICT (one) DO NOTHING
  RETURNING version`;

const KEEP = `
  UPDATE comparison SET version = version + 1, comparison = @comparison WHERE one = 1 AND version = @version
  RETURNING version`;

export function comparison(connection: Statements): Pick<RoleStore, 'loadComparison' | 'keepComparison'> {
  return {
    loadComparison: () =>
      connection.read((prepare) => {
        const row = prepare<{ version: Version; comparison: string }>(LOAD).get();
        return row && { version: row.version, value: parseJson(row.comparison) as Comparison };
      }),
    keepComparison: (comparison, loadedAt) =>
      connection.writeFromReserve((prepare) => {
        const text = JSON.stringify(comparison);
        const kept =
          loadedAt === undefined
            ? prepare<{ version: Version }>(KEEP_FIRST).get({ comparison: text })
            : prepare<{ version: Version }>(KEEP).get({ comparison: text, version: loadedAt });
        return kept === undefined ? { kind: 'conflict' } : { kind: 'kept', version: kept.version };
      }),
  };
}
