import { setTimeout } from 'node:timers/promises';
import { raceSignal } from '@pinfold/core/adapter';
import type { Database, DatabaseSchema } from '@pinfold/core/records';
import type { StoreSubject } from '@pinfold/test-contracts';
import type { PoolConfig } from 'pg';
import { migratedPlace } from 'pinfold-test-servers/mocha';
import { PostgresDatabase } from '../src/database/postgres-database.ts';
import { PostgresConnection, type PostgresPool } from '../src/engine/postgres-connection.ts';

/** A port of this host on which no server listens. */
const DEAD = { host: '127.0.0.1', port: 1 };

/** The types of `pg` do not have `pipeline` yet. */
export const PIPELINED: PoolConfig & { readonly pipeline: boolean } = { pipeline: true };

function openIn(pool: PostgresPool, name: string, schema: DatabaseSchema): Database {
  const sleep = (length: number, signal?: AbortSignal): Promise<void> =>
    raceSignal(setTimeout(length), signal);
  const connection = new PostgresConnection(pool, sleep);
  return new PostgresDatabase(connection, name, schema);
}

/** Opens a new, empty schema; each peer has its own pool. */
export function openWith(config: PoolConfig): (tables: DatabaseSchema) => Promise<StoreSubject<Database>> {
  return async (tables) => {
    const place = await migratedPlace(
      ({ pool, schema }) => openIn(pool(), schema, tables).migrate(),
      'library',
    );
    const handles: Database[] = [];
    const open = async (poolConfig: PoolConfig): Promise<Database> => {
      const handle = openIn(place.pool(poolConfig), place.schema, tables);
      handles.push(handle);
      return handle;
    };
    return {
      port: await open(config),
      peer: () => open(config),
      unreachable: () => open(DEAD),
      dispose: async () => {
        await Promise.all(handles.map((handle) => handle.close()));
        await place.dispose();
      },
    };
  };
}
