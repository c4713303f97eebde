import { hours, OPERATOR } from '@pinfold/core';
import { expect } from 'chai';
import { ACCOUNT, erase } from './erase.ts';
import { expectAcknowledged, type Survivor, type Task, untilDone } from './task.ts';

/** Erases an account with two sites and a name; the next cleanup finishes an erasure that has begun. */
export const erasing: Task<readonly string[]> = {
  begin: async ({ client }) => {
    const roles: string[] = [];
    for (const key of ['one', 'two']) roles.push((await client.publish(key)).pin?.id ?? '');
    await client.patch(roles[0] ?? '', { title: 'A title of the owner' });
    await client.point('docs', roles[1] ?? '');
    return ['erase', roles];
  },
  done: untilDone,
  expectDone: expectErased,
  expectRecovered: async (survivor, roles) => {
    const { node, client, clock } = survivor;
    const found = await node.administration.showAccount(ACCOUNT);
    const isBegun = found?.account.blocked?.isErasing === true || found === undefined;
    for (const id of roles) expect(await client.view(id), 'to viewers').to.equal(isBegun ? 404 : 200);
    // The claims of the killed cleanup lapse.
    clock.advance(hours(1));
    await node.cleaning.cleanUp();
    if (!isBegun) await erase(node);
    await expectErased(survivor, roles);
  },
};

async function expectErased({ node, client, ...rest }: Survivor, roles: readonly string[]): Promise<void> {
  expect(await node.administration.showAccount(ACCOUNT)).to.equal(undefined);
  for (const id of roles) expect(await client.view(id), 'to viewers').to.equal(404);
  expect((await client.publish('again')).status, 'its key').to.equal(401);
  expect(await node.ports.archives.list(undefined, 10)).to.have.length(0);
  await expectAcknowledged({ node, client, ...rest }, 'pin.stopped', roles);
  const history = await node.history.list({ by: OPERATOR, limit: 100 });
  if (history.kind !== 'page') throw new Error(history.code);
  const ended = history.events.filter(({ type }) => type === 'account.erased');
  expect(ended.length, 'events of the end').to.equal(1);
  const texts = JSON.stringify([history.events, await node.administration.listRoles({ state: 'deleted' })]);
  for (const text of [`"${ACCOUNT}"`, 'A title of the owner']) expect(texts).not.to.include(text);
  expect(node.errors, 'errors').to.deep.equal([]);
}
