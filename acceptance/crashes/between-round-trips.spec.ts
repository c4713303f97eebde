import { join } from 'node:path';
import { after, minutes } from '@pinfold/core';
import type { Persistence } from '@pinfold/core/adapter';
import { openPostgres } from '@pinfold/persistence-postgres';
import {
  anEvent,
  aPublication,
  aReservation,
  aToken,
  leaseOf,
  START,
} from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { postgresPlace } from 'pinfold-test-servers/mocha';
import { startChild } from '../service/child.ts';
import type { PublisherMessage, PublisherOrders } from './publisher.ts';

/** Whether the role, the manifest and the event of a publication are stored. */
async function storedParts({ roles, history }: Persistence, n: number): Promise<readonly boolean[]> {
  const { role } = aPublication(n);
  const range = { account: undefined, since: undefined, after: undefined, limit: 10 };
  const { items } = await history.list({ pin: role.id, ...range });
  return [
    (await roles.load(role.id)) !== undefined,
    (await roles.loadManifest(role.archive)) !== undefined,
    items.length === 1,
  ];
}

describe('A node that is killed between two statements on PostgreSQL', () => {
  it('has published completely or not at all, and leaves no lock behind', async () => {
    const place = await postgresPlace();
    const { server, schema } = place;
    const records = await openPostgres({ pool: place.pool(), schema });
    await records.migrate();
    const { roles } = records;
    const published: boolean[] = [];
    try {
      // Kills one node after the first statement, the next one after the second, and so on.
      for (let n = 1; ; n += 1) {
        const orders: PublisherOrders = { server: server.address, schema, n, killedAfter: n };
        const child = await startChild<PublisherMessage>(join(import.meta.dirname, 'publisher.ts'), orders);
        // The signal that killed the child; undefined if it lived to publish.
        const signal = await Promise.race([
          child.ended(),
          child.nextMessage('published').then(
            () => undefined,
            () => child.ended(),
          ),
        ]);
        child.kill();
        await child.ended();
        const later = after(START, minutes(2));
        const again = aReservation(n, {
          token: aToken(1_000 + n),
          now: later,
          until: after(later, minutes(1)),
        });
        const { kind } = await roles.reserve(again);
        const isPublished = kind === 'complete';
        expect(await storedParts(records, n), `killed after ${n}: ${kind}`).to.deep.equal(
          Array(3).fill(isPublished),
        );
        if (!isPublished) {
          const { role, ...publication } = aPublication(n);
          const outcome = await roles.commit({ ...publication, role }, leaseOf(again), [
            anEvent({ pin: role.id }),
          ]);
          expect(outcome.kind, `killed after ${n}`).to.equal('committed');
        }
        if (signal !== 'SIGKILL') break;
        published.push(isPublished);
      }
      // Begin, read, write and commit, twice.
      expect(published.length).to.be.at.least(8);
      expect(published).to.include.members([true, false]);
    } finally {
      await place.dispose();
    }
  }).timeout(300_000);
});
