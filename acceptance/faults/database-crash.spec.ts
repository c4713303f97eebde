import { isFault, seconds } from '@pinfold/core';
import { createManualClock } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { postgresPlace } from 'pinfold-test-servers/mocha';
import { type Answer, type Client, siteOf } from '../service/client.ts';
import { openOwnedNode } from '../service/owned-node.ts';

const WORKERS = 6;
const CRASHES = 2;
const PUBLICATIONS_BETWEEN = 15;
/** How many keys answered with 503 are checked at most: a slow database causes many. */
const MAX_CHECKED = 100;

/** The answers that clients got, which must still hold after the crashes. */
interface Ledger {
  /** The role of each key whose publication was acknowledged. */
  readonly published: Map<string, string>;
  /** The title of each role from its last acknowledged change. */
  readonly titles: Map<string, string>;
  /** Some keys whose publication was answered with 503. */
  readonly unknown: Set<string>;
  answers: number;
}

function expectAllowed({ status, retryAfter, code }: Answer, allowed: readonly number[], what: string): void {
  expect(status, `${what}: ${code}`).to.be.oneOf([...allowed, 503]);
  if (status === 503) {
    expect(code, what).to.equal('unavailable');
    expect(retryAfter, what).to.match(/^[1-9]\d*$/);
  }
}

/** Publishes, views and changes, one after the other, while `isRunning`. */
async function work(client: Client, worker: number, ledger: Ledger, isRunning: () => boolean): Promise<void> {
  for (let n = 0; isRunning(); n += 1) {
    const key = `worker ${worker} no ${n}`;
    const answer = await client.publish(key, siteOf('all the same'));
    expectAllowed(answer, [201], 'publishing');
    ledger.answers += 1;
    const id = answer.pin?.id;
    if (id === undefined) {
      if (ledger.unknown.size < MAX_CHECKED) ledger.unknown.add(key);
      continue;
    }
    ledger.published.set(key, id);
    expect(await client.view(id), 'viewing').to.be.oneOf([200, 503]);
    const changed = await client.patch(id, { title: key });
    expectAllowed(changed, [200], 'changing');
    if (changed.status === 200) ledger.titles.set(id, key);
  }
}

async function expectNothingLost(client: Client, { published, titles, unknown }: Ledger): Promise<void> {
  for (const [key, id] of published) {
    const { status, pin } = await client.publish(key, siteOf('all the same'));
    expect([status, pin?.id], key).to.deep.equal([200, id]);
    const title = titles.get(id);
    if (title !== undefined) expect(pin?.title).to.equal(title);
  }
  for (const key of unknown) {
    expect((await client.publish(key, siteOf('all the same'))).status, key).to.be.oneOf([200, 201]);
    expect(await client.listByKey(key), key).to.have.length(1);
  }
}

describe('A database that crashes under the load of a server', () => {
  it('causes 503 answers, loses no acknowledged change, and the server recovers by itself', async () => {
    const owned = await openOwnedNode({ records: 'postgres', archives: 'memory' }, createManualClock());
    const { client, clock, node } = owned;
    const database = await postgresPlace();
    const ledger: Ledger = { published: new Map(), titles: new Map(), unknown: new Set(), answers: 0 };

    let running = true;
    const isRunning = () => running;
    const workers = Array.from({ length: WORKERS }, (_, n) => work(client, n, ledger, isRunning));
    const load = Promise.all(workers).finally(() => {
      running = false;
    });
    const publishMore = async (): Promise<void> => {
      const enough = ledger.published.size + PUBLICATIONS_BETWEEN;
      while (running && ledger.published.size < enough) await client.list().catch(() => undefined);
    };
    try {
      for (let crash = 0; crash < CRASHES; crash += 1) {
        await publishMore();
        await database.server.crash();
      }
      await publishMore();
    } finally {
      running = false;
    }
    await load;

    clock.advance(seconds(60));
    await expectNothingLost(client, ledger);
    expect(node.errors.length, 'answers of 503').to.be.at.least(1);
    expect(node.errors.every(isFault), 'what was logged').to.equal(true);
    await owned.close();
    await database.dispose();
  });
});
