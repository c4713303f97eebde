import { join } from 'node:path';
import type { Persistence } from '@pinfold/core/adapter';
import { TABLES } from '@pinfold/core/records';
import { migrationsTo } from '@pinfold/core/sql';
import { describeMigrations } from '@pinfold/test-contracts/internal';
import { SQLITE } from '../src/database/sqlite-steps.ts';
import { SqliteConnection } from '../src/engine/sqlite-connection.ts';
import { openSqlite } from '../src/index.ts';
import { migrate } from '../src/schema/migrate.ts';
import { inFolder } from './in-folder.ts';

const STATE = 'SELECT version, oldest_version, oldest_release FROM schema_state';
const COLUMNS = `
  SELECT tables.name AS of, columns.name FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
  WHERE tables.type = 'table' ORDER BY 1, 2`;
const INDEXES = "SELECT name, sql FROM sqlite_schema WHERE type = 'index' ORDER BY name";

describeMigrations({
  noTable: 'SQLITE_ERROR',
  onPlace: (work) =>
    inFolder(async (folder) => {
      const file = join(folder, 'pinfold.sqlite');
      const handles: Persistence[] = [];
      const connection = new SqliteConnection(file, async () => {});
      await work({
        migrations: migrationsTo(TABLES, SQLITE),
        open: async () => {
          const handle = await openSqlite({ file });
          handles.push(handle);
          return handle;
        },
        migrate: (migrations) => migrate(connection, migrations),
        schema: () =>
          connection.read(({ prepare }) => ({
            state: prepare(STATE).all(),
            columns: prepare(COLUMNS).all(),
            indexes: prepare(INDEXES).all(),
          })),
      });
      for (const handle of handles) await handle.close();
      connection.close();
    }),
});
