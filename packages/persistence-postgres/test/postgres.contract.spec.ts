import type { Persistence } from '@pinfold/core/adapter';
import { describeStores } from '@pinfold/test-contracts/mocha';
import type { PoolConfig } from 'pg';
import { migratedPlace } from 'pinfold-test-servers/mocha';
import { openPostgres } from '../src/index.ts';

/** A port of this host on which no server listens. */
const DEAD = { host: '127.0.0.1', port: 1 };

/** Types of `pg` do not have it yet. */
const PIPELINED: PoolConfig & { readonly pipeline: boolean } = { pipeline: true };

/** Opens an empty schema of its own; peers have pools of their own. */
function openWith(config: PoolConfig) {
  return async () => {
    const place = await migratedPlace(({ pool, schema }) =>
      openPostgres({ pool: pool(), schema }).then((handle) => handle.migrate()),
    );
    const handles: Persistence[] = [];
    const openIn = async (poolConfig?: PoolConfig): Promise<Persistence> => {
      const handle = await openPostgres({ pool: place.pool(poolConfig), schema: place.schema });
      handles.push(handle);
      return handle;
    };
    return {
      port: await openIn(config),
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
  open: openWith(PIPELINED),
  runs: { roles: 20, apiKeys: 8, attempts: 4, sessions: 8 },
});

// A pool of a caller that does not ask for pipelining.
describeStores({
  name: 'PostgreSQL without pipelining',
  open: openWith({}),
  clauses: /^role-store\/(commit|save|reserve)/,
});

// A server that allows only serializable histories rolls back many concurrent changes.
describeStores({
  name: 'PostgreSQL, serializable by default,',
  open: openWith({ ...PIPELINED, options: '-c default_transaction_isolation=serializable' }),
  clauses:
    /\/(.*-?race|.*-(once|rate|quota|limit)|at-once|create-exists|first|publications|settled|busy|forgive|settle)$/,
});
