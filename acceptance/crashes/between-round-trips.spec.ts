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
import type { PublisherOrders, PublisherWord } from './publisher.ts';

/** What is stored of a publication. */
async function storedOf({ roles, history }: Persistence, n: number): Promise<readonly unknown[]> {
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
  it('has published whole or not at all, and holds no lock that keeps others from it', async () => {
    const place = await postgresPlace();
    const { server, schema } = place;
    const records = await openPostgres({ pool: place.pool(), schema });
    await records.migrate();
    const { roles } = records;
    const kept: boolean[] = [];
    try {
      for (let n = 1; ; n += 1) {
        const orders: PublisherOrders = { server: server.address, schema, n, killedAfter: n };
        const child = await startChild<PublisherWord>(join(import.meta.dirname, 'publisher.ts'), orders);
        const ended = await Promise.race([
          child.ended(),
          child.said('published').then(
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
        const isKept = kind === 'complete';
        expect(await storedOf(records, n), `killed after ${n}: ${kind}`).to.deep.equal(Array(3).fill(isKept));
        if (!isKept) {
          const { role, ...publication } = aPublication(n);
          const outcome = await roles.commit({ ...publication, role }, leaseOf(again), [
            anEvent({ pin: role.id }),
          ]);
          expect(outcome.kind, `killed after ${n}`).to.equal('committed');
        }
        if (ended !== 'SIGKILL') break;
        kept.push(isKept);
      }
      // Begin, read, write and commit, twice.
      expect(kept.length).to.be.at.least(8);
      expect(kept).to.include.members([true, false]);
    } finally {
      await place.dispose();
    }
  }).timeout(300_000);
});
