import { tokens } from '@pinfold/inversify';
import { ContainerModule } from 'inversify';
import { openNodeSqlite } from './node-sqlite-database.ts';

/** Replaces the server's own database with the file. The server migrates it, and closes it when it stops. */
export function nodeSqliteModule(file: string): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(tokens.persistence)
      .toResolvedValue(() => openNodeSqlite(file))
      .inSingletonScope()
      .onDeactivation((persistence) => persistence.close());
  });
}
