import { type OpenSqliteOptions, openSqlite } from '@pinfold/persistence-sqlite';
import { ContainerModule } from 'inversify';
import { bindPersistence } from './tokens.ts';

/**
 * Binds `persistence` and every store of it. The file is opened when one of them is first asked for, with `getAsync`;
 * `unbindAllAsync` closes it. Migrating stays with the caller.
 */
export function persistenceSqliteModule(options: OpenSqliteOptions): ContainerModule {
  return new ContainerModule(({ bind }) => bindPersistence(bind, () => openSqlite(options)));
}
