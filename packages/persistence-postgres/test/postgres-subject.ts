import type { Subject } from '@pinfold/test-contracts';
import type { PoolConfig } from 'pg';
import { postgresPlace } from 'pinfold-test-servers/mocha';
import { openPostgres, type PostgresPersistence } from '../src/index.ts';

/** Makes subjects of one store: each in a schema of its own, with peers that have pools of their own. */
export function subjectsOf<Port>(
  storeOf: (handle: PostgresPersistence) => Port,
  config?: PoolConfig,
): () => Promise<Subject<Port>> {
  return async () => {
    const place = await postgresPlace();
    const handles: PostgresPersistence[] = [];
    const open = async (): Promise<PostgresPersistence> => {
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
