import { expect } from 'chai';
import { siteOf } from '../service/client.ts';
import type { Moment } from './moments.ts';
import { momentsOf, startVictim, type Victim } from './start-victim.ts';
import { type Backends, openSurvivor, type Survivor } from './survivor.ts';
import { takeDown } from './take-down.ts';
import { expectTold } from './told.ts';

const SITE = siteOf('a false bank');

/** Every moment of a takedown, found by one that is not killed. */
export async function momentsOfTakingDown(backends: Backends): Promise<readonly Moment[]> {
  return await withVictim(backends, undefined, async (survivor, roles, victim) => {
    await victim.said('done');
    const moments = await momentsOf(victim);
    await expectDown(survivor, roles);
    return moments;
  });
}

/** Kills a node at a moment of a takedown, and looks at what is left, and what doing it again makes of it. */
export async function killTakingDown(backends: Backends, moment: Moment): Promise<void> {
  await withVictim(backends, moment, async (survivor, roles, victim) => {
    expect(await victim.ended(), 'how it ended').to.equal('SIGKILL');
    await expectWholeOrNot(survivor, roles);
    await takeDown(survivor.node, roles[0] ?? '');
    await expectDown(survivor, roles);
  });
}

async function withVictim<Result>(
  backends: Backends,
  killedAt: Moment | undefined,
  play: (survivor: Survivor, roles: readonly string[], victim: Victim) => Promise<Result>,
): Promise<Result> {
  const survivor = await openSurvivor(backends);
  const { shared, clock, client } = survivor;
  try {
    const roles: string[] = [];
    for (const key of ['one', 'its copy']) roles.push((await client.publish(key, SITE)).pin?.id ?? '');
    const task = { takeDown: roles[0] ?? '' };
    const orders = { ...shared, task, now: clock.now() };
    const victim = startVictim(killedAt === undefined ? orders : { ...orders, killedAt });
    try {
      return await play(survivor, roles, victim);
    } finally {
      victim.kill();
      await victim.ended();
    }
  } finally {
    await survivor.dispose();
  }
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
  const { client, node, served } = survivor;
  for (const id of roles) expect(await client.view(id), 'to viewers').to.equal(404);
  await expectTold(survivor, 'pin.taken_down', roles);
  await expectTold(survivor, 'pin.purged', roles);
  expect((await client.publish('again', SITE)).code).to.equal('invalid_archive');
  expect(served.errors, 'errors').to.deep.equal([]);
  expect(await node.ports.archives.list(undefined, 10)).to.have.length(0);
}
