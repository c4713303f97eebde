import {
  accountId,
  type Fingerprint,
  hours,
  type IdempotencyKey,
  minutes,
  type RoleId,
  seconds,
} from '@pinfold/core';
import { aReservation } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { siteOf } from '../service/client.ts';
import { expectAcknowledged, type Survivor, type Task, untilDone } from './task.ts';

/** The publications to clean up a day later, and the one that must stay. */
interface Stock {
  readonly inService: string;
  readonly stopped: readonly string[];
}

/** Cleans up a day later; the next cleanup finishes the work of a killed one. */
export const cleaningUp: Task<Stock> = {
  begin: async (survivor) => {
    const stock = await makeStock(survivor);
    survivor.clock.advance(hours(25));
    return ['clean up', stock];
  },
  done: untilDone,
  expectDone: async ({ node }) => {
    expect(await node.ports.archives.list(undefined, 10)).to.have.length(1);
  },
  expectRecovered: async (survivor, stock) => {
    await expectStock(survivor, stock);
    // The claims of the killed cleanup lapse, and the comparison of storage is due again.
    survivor.clock.advance(hours(25));
    const report = await survivor.node.cleaning.cleanUp();
    expect(report).to.deep.include({ listing: 'done', missing: [], failures: 0, finished: true });
    await expectStock(survivor, stock);
    await expectAcknowledged(survivor, 'pin.purged', stock.stopped);
    await expectNothingLeft(survivor);
  },
};

/** Cleans up, too, and is killed in the second window of a comparison, which the next cleanup resumes. */
export const comparing: Task<Stock> = {
  ...cleaningUp,
  expectRecovered: async (survivor, stock) => {
    survivor.clock.advance(minutes(2));
    const seen: number[] = [];
    const report = await survivor.node.cleaning.cleanUp({
      onProgress: ({ listing, compared }) => {
        if (listing === 'under_way') seen.push(compared);
      },
    });
    expect(seen[0], 'what the first window counted').to.be.above(0);
    expect(report).to.include({ compared: 5, unnamed: 2, orphans: 2, archives: 2, listing: 'done' });
    expect(report).to.deep.include({ missing: [], failures: 0, finished: true });
    await expectStock(survivor, stock);
  },
};

/** Makes a published site, two stopped ones, two archives without a record, and an unfinished upload, reservation and try. */
async function makeStock({ node, client, clock }: Survivor): Promise<Stock> {
  const { roles, attempts, staging, archives, ids } = node.ports;
  await node.cleaning.cleanUp();
  const published: string[] = [];
  for (const key of ['kept', 'stopped', 'stopped too']) {
    published.push((await client.publish(key)).pin?.id ?? '');
  }
  const [inService = '', ...stopped] = published;
  for (const id of stopped) expect((await client.stop(id)).status).to.equal(204);
  const upload = async () => {
    const received = await staging.receive(new Blob([siteOf('nobody')]).stream(), 1_000_000);
    if (received.kind !== 'received') throw new Error('too large');
    return received.archive;
  };
  // Younger than all archives with records, so that there are two windows to compare.
  clock.advance(seconds(1));
  for (let n = 0; n < 2; n += 1) await archives.put(ids.archive(clock.now()), await upload());
  await upload();
  await roles.reserve({
    ...aReservation(1),
    account: accountId('owner'),
    key: 'begun' as IdempotencyKey,
    fingerprint: 'anything' as Fingerprint,
    token: ids.token(),
    now: clock.now(),
    until: clock.now(),
  });
  await attempts.begin({
    role: inService as RoleId,
    address: '192.0.2.1',
    now: clock.now(),
    window: minutes(5),
    perAddress: 10,
    perRole: 300,
  });
  clock.advance(seconds(1));
  return { inService, stopped };
}

async function expectStock({ client }: Survivor, { inService, stopped }: Stock): Promise<void> {
  expect(await client.view(inService), 'what is published').to.equal(200);
  for (const id of stopped) expect((await client.read(id)).pin?.state).to.equal('deleted');
}

async function expectNothingLeft({ node }: Survivor): Promise<void> {
  expect(await node.ports.archives.list(undefined, 10)).to.have.length(1);
  expect(await node.uploads(), 'uploads').to.deep.equal([]);
  const nothing = { archives: 0, unnamed: 0, reservations: 0, attempts: 0, uploads: 0 };
  expect(await node.cleaning.cleanUp({ dryRun: true })).to.include(nothing);
  expect(node.errors, 'errors').to.deep.equal([]);
}
