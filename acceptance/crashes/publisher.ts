// Publishes once into PostgreSQL in its own process, which is killed when a number of statements have been answered.

import { openPostgres, type PostgresClient, type PostgresPool } from '@pinfold/persistence-postgres';
import { anEvent, aPublication, aReservation, leaseOf } from '@pinfold/test-contracts/fixtures';
import pg from 'pg';
import type { PostgresAddress } from 'pinfold-test-servers';
import { endWithStarter } from '../service/end-with-starter.ts';

export interface PublisherOrders {
  readonly server: PostgresAddress;
  readonly schema: string;
  /** The number of the publication, from which its fixtures are made. */
  readonly n: number;
  /** The number of answers after which it is killed. */
  readonly killedAfter: number;
}

/** The message of a publisher that was not killed. */
export interface PublisherMessage {
  readonly kind: 'published';
}

endWithStarter();
const { server, schema, n, killedAfter } = JSON.parse(process.argv[2] ?? '') as PublisherOrders;
let answered = 0;

/** Counts an answer. Kills this process by SIGKILL at its number: nothing is flushed, closed or caught. */
function count(): void {
  answered += 1;
  if (answered === killedAfter) process.kill(process.pid, 'SIGKILL');
}

const config = { ...server, max: 1, pipeline: true };
const pool = new pg.Pool(config);
const countingPool: PostgresPool = {
  connect: async () => {
    const client: PostgresClient = await pool.connect();
    return {
      pipeline: client.pipeline === true,
      query: async (query) => {
        const answer = await client.query(query);
        count();
        return answer;
      },
      release: (isBroken) => client.release(isBroken),
      on: (event, listener) => client.on(event, listener),
    };
  },
  on: (event, listener) => pool.on(event, listener),
  off: (event, listener) => pool.off(event, listener),
};

const { roles } = await openPostgres({ pool: countingPool, schema });
const reservation = aReservation(n);
await roles.reserve(reservation);
const publication = aPublication(n);
await roles.commit(publication, leaseOf(reservation), [anEvent({ pin: publication.role.id })]);
process.send?.({ kind: 'published' } satisfies PublisherMessage);
