import { tokens } from '@pinfold/inversify';
import { ContainerModule } from 'inversify';
import { openNodeSqlite } from './node-sqlite-database.ts';

/** Puts the file in the place of the server's own database. The server migrates it, and closes it when it stops. */
export function nodeSqliteModule(file: string): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(tokens.persistence)
      .toResolvedValue(() => openNodeSqlite(file))
      .inSingletonScope()
      .onDeactivation((persistence) => persistence.close());
  });
}
