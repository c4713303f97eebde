import { type OpenPostgresOptions, openPostgres } from '@pinfold/persistence-postgres';
import { ContainerModule } from 'inversify';
import { bindPersistence } from './bind-persistence.ts';

/**
 * Binds `persistence`, and the stores of it, to a schema of a PostgreSQL server. The pool stays the caller's to end,
 * after `unbindAllAsync`; migrating stays with the caller, too.
 *
 * @example
 * import { persistencePostgresModule } from '@pinfold/inversify/persistence-postgres';
 * import { Container } from 'inversify';
 * import pg from 'pg';
 *
 * const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
 * const container = new Container();
 * container.load(persistencePostgresModule({ pool, schema: 'pinfold' }));
 */
export function persistencePostgresModule(options: OpenPostgresOptions): ContainerModule {
  return new ContainerModule(({ bind }) => bindPersistence(bind, () => openPostgres(options)));
}
