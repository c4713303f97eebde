import type { Persistence } from '@pinfold/core/adapter';
import { describeStores } from '@pinfold/test-contracts/mocha';
import type { PoolConfig } from 'pg';
import { postgresPlace } from 'pinfold-test-servers/mocha';
import { openPostgres } from '../src/index.ts';

/** A port of this host on which no server listens. */
const DEAD = { host: '127.0.0.1', port: 1 };

/** Makes openers of a schema of its own; peers have pools of their own. */
function openWith(config?: PoolConfig) {
  return async () => {
    const place = await postgresPlace();
    const handles: Persistence[] = [];
    const openIn = async (poolConfig?: PoolConfig): Promise<Persistence> => {
      const handle = await openPostgres({ pool: place.pool(poolConfig), schema: place.schema });
      handles.push(handle);
      return handle;
    };
    const port = await openIn(config);
    await port.migrate();
    return {
      port,
      peer: () => openIn(config),
      unreachable: () => openIn(DEAD),
      dispose: async () => {
        await Promise.all(handles.map((handle) => handle.close()));
        await place.dispose();
      },
    };
  };
}

describeStores({
  name: 'PostgreSQL',
  open: openWith(),
  runs: { roles: 15, concurrentRoles: 60, apiKeys: 8, attempts: 4, sessions: 8 },
});

// A server that allows only serializable histories rolls back many concurrent changes.
describeStores({
  name: 'PostgreSQL, serializable by default,',
  open: openWith({ options: '-c default_transaction_isolation=serializable' }),
  ports: ['RoleStore', 'ApiKeyStore', 'AttemptCounter', 'ServiceMode'],
});
