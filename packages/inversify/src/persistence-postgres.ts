import { type OpenPostgresOptions, openPostgres } from '@pinfold/persistence-postgres';
import { ContainerModule } from 'inversify';
import { bindPersistence } from './tokens.ts';

/**
 * Binds `persistence`, and the stores of it, to a schema of a PostgreSQL server. The pool stays the caller's to end,
 * after `unbindAllAsync`; migrating stays with the caller, too.
 */
export function persistencePostgresModule(options: OpenPostgresOptions): ContainerModule {
  return new ContainerModule(({ bind }) => bindPersistence(bind, () => openPostgres(options)));
}
