import { expect } from 'chai';
import { siteOf } from '../service/client.ts';
import type { Backends } from '../service/owned-node.ts';
import type { Moment } from './moments.ts';
import { momentsOf, type Survivor, withVictim } from './start-victim.ts';
import { takeDown } from './take-down.ts';
import { expectTold } from './told.ts';
import type { TakeDown } from './victim.ts';

const SITE = siteOf('a false bank');

/** Every moment of a takedown, found by one that is not killed. */
export async function momentsOfTakingDown(backends: Backends): Promise<readonly Moment[]> {
  return await withVictim(backends, undefined, beginTakingDown, async (survivor, victim, roles) => {
    await victim.said('done');
    const moments = await momentsOf(victim);
    await expectDown(survivor, roles);
    return moments;
  });
}

/** Kills a node at a moment of a takedown, and looks at what is left, and what doing it again makes of it. */
export async function killTakingDown(backends: Backends, moment: Moment): Promise<void> {
  await withVictim(backends, moment, beginTakingDown, async (survivor, victim, roles) => {
    expect(await victim.ended(), 'how it ended').to.equal('SIGKILL');
    await expectWholeOrNot(survivor, roles);
    await takeDown(survivor.node, roles[0] ?? '');
    await expectDown(survivor, roles);
  });
}

async function beginTakingDown({ client }: Survivor): Promise<readonly [TakeDown, readonly string[]]> {
  const roles: string[] = [];
  for (const key of ['one', 'its copy']) roles.push((await client.publish(key, SITE)).pin?.id ?? '');
  return [{ takeDown: roles[0] ?? '' }, roles];
}

/** Each role is stopped with its ban and its event, or none of that is there. */
async function expectWholeOrNot(survivor: Survivor, roles: readonly string[]): Promise<void> {
  const down: string[] = [];
  for (const id of roles) {
    const found = await survivor.node.administration.showRole(id);
    if (found.kind === 'refused') throw new Error(found.code);
    const { publication: role, takedown } = found;
    expect(role.deletedAt === null, 'a stop without its ban').to.equal(takedown === undefined);
    if (takedown !== undefined) down.push(id);
  }
  await expectTold(survivor, 'pin.taken_down', down);
}

async function expectDown(survivor: Survivor, roles: readonly string[]): Promise<void> {
  const { client, node } = survivor;
  for (const id of roles) expect(await client.view(id), 'to viewers').to.equal(404);
  await expectTold(survivor, 'pin.taken_down', roles);
  await expectTold(survivor, 'pin.purged', roles);
  expect((await client.publish('again', SITE)).code).to.equal('invalid_archive');
  expect(node.errors, 'errors').to.deep.equal([]);
  expect(await node.ports.archives.list(undefined, 10)).to.have.length(0);
}
