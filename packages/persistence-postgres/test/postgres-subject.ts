import type { Persistence } from '@pinfold/core/adapter';
import type { Subject } from '@pinfold/test-contracts';
import type { PoolConfig } from 'pg';
import { postgresPlace } from 'pinfold-test-servers/mocha';
import { openPostgres } from '../src/index.ts';

/** Makes subjects of one store: each in a schema of its own, with peers that have pools of their own. */
export function subjectsOf<Port>(
  storeOf: (handle: Persistence) => Port,
  config?: PoolConfig,
): () => Promise<Subject<Port>> {
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
      dispose: async () => {
        await Promise.all(handles.map((handle) => handle.close()));
        await place.dispose();
      },
    };
  };
}
