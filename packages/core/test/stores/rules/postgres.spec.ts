import type { Persistence } from '@pinfold/core/adapter';
import { openPostgres } from '@pinfold/persistence-postgres';
import type { PoolConfig } from 'pg';
import { migratedPlace } from 'pinfold-test-servers/mocha';
import { describeRules, ENGINE_CLAUSES } from './describe-rules.ts';

/** The types of `pg` do not have `pipeline` yet. */
const PIPELINED: PoolConfig & { readonly pipeline: boolean } = { pipeline: true };

describeRules({
  name: 'PostgreSQL',
  open: async () => {
    const place = await migratedPlace(({ pool, schema }) =>
      openPostgres({ pool: pool(), schema }).then((handle) => handle.migrate()),
    );
    const handles: Persistence[] = [];
    const peer = async (): Promise<Persistence> => {
      const handle = await openPostgres({ pool: place.pool(PIPELINED), schema: place.schema });
      handles.push(handle);
      return handle;
    };
    return {
      port: await peer(),
      peer,
      // No clause below uses it.
      unreachable: peer,
      dispose: async () => {
        await Promise.all(handles.map((handle) => handle.close()));
        await place.dispose();
      },
    };
  },
  clauses: ENGINE_CLAUSES,
  randomSequences: 5,
});
