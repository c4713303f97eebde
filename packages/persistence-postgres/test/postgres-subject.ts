import type { Persistence } from '@pinfold/core/adapter';
import type { StoreSubject } from '@pinfold/test-contracts';
import type { PoolConfig } from 'pg';
import { postgresPlace } from 'pinfold-test-servers/mocha';
import { openPostgres } from '../src/index.ts';

/** A port of this host that nobody listens at. */
const DEAD = { host: '127.0.0.1', port: 1 };

/** Makes subjects of one store: each in a schema of its own, with peers that have pools of their own. */
export function subjectsOf<Port>(
  storeOf: (handle: Persistence) => Port,
  config?: PoolConfig,
): () => Promise<StoreSubject<Port>> {
  return async () => {
    const place = await postgresPlace();
    const handles: Persistence[] = [];
    const open = async (): Promise<Persistence> => {
      const handle = await openPostgres({ pool: place.pool(config), schema: place.schema });
      handles.push(handle);
      return handle;
    };
    const first = await open();
    await first.migrate();
    return {
      port: storeOf(first),
      peer: async () => storeOf(await open()),
      history: async () => first.history,
      unreachable: async () => {
        const handle = await openPostgres({ pool: place.pool(DEAD), schema: place.schema });
        handles.push(handle);
        return storeOf(handle);
      },
      dispose: async () => {
        await Promise.all(handles.map((handle) => handle.close()));
        await place.dispose();
      },
    };
  };
}
