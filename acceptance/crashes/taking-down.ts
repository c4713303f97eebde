import { expect } from 'chai';
import { siteOf } from '../service/client.ts';
import { takeDown } from './take-down.ts';
import { expectAcknowledged, type Survivor, type Task, untilDone } from './task.ts';

const SITE = siteOf('a false bank');

/** Takes a role and its copy down; repeating it finishes the work of a killed one. */
export const takingDown: Task<readonly string[]> = {
  begin: async ({ client }) => {
    const roles: string[] = [];
    for (const key of ['one', 'its copy']) roles.push((await client.publish(key, SITE)).pin?.id ?? '');
    return [{ takeDown: roles[0] ?? '' }, roles];
  },
  done: untilDone,
  expectDone: expectDown,
  expectRecovered: async (survivor, roles) => {
    await expectWholeOrNot(survivor, roles);
    await takeDown(survivor.node, roles[0] ?? '');
    await expectDown(survivor, roles);
  },
};

/** Expects each role to be stopped, banned and recorded, or nothing of that. */
async function expectWholeOrNot(survivor: Survivor, roles: readonly string[]): Promise<void> {
  const down: string[] = [];
  for (const id of roles) {
    const found = await survivor.node.administration.showRole(id);
    if (found.kind === 'refused') throw new Error(found.code);
    const { publication: role, takedown } = found;
    expect(role.deletedAt === null, 'a stop without its ban').to.equal(takedown === undefined);
    if (takedown !== undefined) down.push(id);
  }
  await expectAcknowledged(survivor, 'pin.taken_down', down);
}

async function expectDown(survivor: Survivor, roles: readonly string[]): Promise<void> {
  const { client, node } = survivor;
  for (const id of roles) expect(await client.view(id), 'to viewers').to.equal(404);
  await expectAcknowledged(survivor, 'pin.taken_down', roles);
  await expectAcknowledged(survivor, 'pin.purged', roles);
  expect((await client.publish('again', SITE)).code).to.equal('invalid_archive');
  expect(node.errors, 'errors').to.deep.equal([]);
  expect(await node.ports.archives.list(undefined, 10)).to.have.length(0);
}
