import { hours, seconds } from '@pinfold/core';
import { expect } from 'chai';
import { type Answer, Client, siteOf } from '../service/client.ts';
import { expectAcknowledged, type Survivor, type Task } from './task.ts';

/** Publishes once, even if the request is repeated. */
export const publishing: Task<undefined> = {
  begin: async () => ['serve', undefined],
  done: async (victim, { key }) => {
    const { url } = await victim.nextMessage('serving');
    return await new Client(url, key).publish('the key');
  },
  expectDone: async (_, __, answer) => {
    expect(answer?.status).to.equal(201);
  },
  expectRecovered: (survivor, _, answer) => expectWhole(survivor, answer),
};

async function expectWhole(survivor: Survivor, answer: Answer | undefined): Promise<void> {
  const { client, clock } = survivor;
  const listed = await client.list();
  await expectAcknowledged(
    survivor,
    'pin.published',
    listed.map(({ id }) => id),
  );
  if (answer !== undefined) {
    expect(answer.status, 'its answer').to.equal(201);
    expect(
      listed.map(({ id }) => id),
      'what was acknowledged',
    ).to.deep.equal([answer.pin?.id]);
  }
  for (const { id } of listed) expect(await client.view(id), 'what is published').to.equal(200);
  const again = await client.publish('the key');
  const expected = listed.length === 1 ? [200] : [201, 409];
  expect(again.status, `again: ${again.code}`).to.be.oneOf(expected);
  if (again.status === 409) expect(again.code).to.equal('idempotency_in_progress');
  if (again.status === 409) expect(again.retryAfter).to.match(/^[1-9]\d*$/);
  clock.advance(seconds(60));
  const after = await client.publish('the key');
  expect(after.status, `after the lease: ${after.code}`).to.equal(again.status === 409 ? 201 : 200);
  const [only, ...others] = await client.list();
  expect(others, 'other roles').to.deep.equal([]);
  expect(only?.id).to.equal(after.pin?.id);
  const mismatch = await client.publish('the key', siteOf('another'));
  expect([mismatch.status, mismatch.code]).to.deep.equal([409, 'idempotency_mismatch']);
  await expectAcknowledged(survivor, 'pin.published', [only?.id ?? '']);
  await expectClean(survivor, only?.id ?? '');
}

/** Expects that a day later, of everything that the killed process wrote, only the publication is left. */
async function expectClean({ node, clock, client }: Survivor, id: string): Promise<void> {
  clock.advance(hours(25));
  const report = await node.cleaning.cleanUp();
  expect(report).to.deep.include({ listing: 'done', missing: [], failures: 0, finished: true });
  expect(await node.ports.archives.list(undefined, 10)).to.have.length(1);
  expect(await node.uploads(), 'uploads').to.deep.equal([]);
  expect(await client.view(id)).to.equal(200);
  expect(node.errors, 'errors').to.deep.equal([]);
}
