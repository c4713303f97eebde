import { join } from 'node:path';
import type { Persistence } from '@pinfold/core/adapter';
import { describeMigrations } from '@pinfold/test-contracts/internal';
import { SqliteConnection } from '../src/engine/sqlite-connection.ts';
import { openSqlite } from '../src/index.ts';
import { MIGRATIONS, migrate } from '../src/schema/migrate.ts';
import { inFolder } from './in-folder.ts';

const STATE = 'SELECT version, oldest_version, oldest_release FROM schema_state';
const COLUMNS = `
  SELECT tables.name AS of, columns.name FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
  WHERE tables.type = 'table' ORDER BY 1, 2`;

describeMigrations({
  migrations: MIGRATIONS,
  noTable: 'SQLITE_ERROR',
  onPlace: (work) =>
    inFolder(async (folder) => {
      const file = join(folder, 'pinfold.sqlite');
      const handles: Persistence[] = [];
      const connection = new SqliteConnection(file, async () => {});
      await work({
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
          })),
      });
      for (const handle of handles) await handle.close();
      connection.close();
    }),
});
