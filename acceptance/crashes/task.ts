import { join } from 'node:path';
import { type EventType, OPERATOR } from '@pinfold/core';
import { createManualClock, type ManualClock } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { type Child, startChild } from '../service/child.ts';
import type { Answer } from '../service/client.ts';
import { type Backends, type OwnedNode, openOwnedNode } from '../service/owned-node.ts';
import type { Moment, VictimMessage, VictimOrders } from './victim.ts';

/** The surviving node, with the same data and folders as the killed one. */
export type Survivor = OwnedNode<ManualClock>;

/** The handle of a victim. */
export type Victim = Child<VictimMessage>;

/** A task during which a node is killed. */
export interface Task<Stock> {
  /** Creates the initial data. */
  begin(survivor: Survivor): Promise<readonly [task: VictimOrders['task'], stock: Stock]>;
  /** Resolves when the victim has done the task, with the answer if a client asked for it. */
  done(victim: Victim, survivor: Survivor): Promise<Answer | undefined>;
  /** Checks the result of a victim that was not killed. */
  expectDone(survivor: Survivor, stock: Stock, answer: Answer | undefined): Promise<void>;
  /** Checks the data after a kill, then lets the survivor finish the task and checks the data again. */
  expectRecovered(survivor: Survivor, stock: Stock, answer: Answer | undefined): Promise<void>;
}

/** Waits until the victim has done a task for which no client asks. */
export async function untilDone(victim: Victim): Promise<undefined> {
  await victim.nextMessage('done');
}

/** Lists every moment of a task, by running a victim that is not killed. */
export async function momentsOf<Stock>(backends: Backends, task: Task<Stock>): Promise<readonly Moment[]> {
  return await withVictim(backends, undefined, task, async (survivor, victim, stock) => {
    const answer = await task.done(victim, survivor);
    victim.send({ kind: 'moments?' });
    const { moments } = await victim.nextMessage('moments');
    await task.expectDone(survivor, stock, answer);
    return moments;
  });
}

/** Kills a victim at a moment of its task. */
export async function killAt<Stock>(backends: Backends, task: Task<Stock>, moment: Moment): Promise<void> {
  await withVictim(backends, moment, task, async (survivor, victim, stock) => {
    const answer = task.done(victim, survivor).catch((): undefined => undefined);
    expect(await victim.ended(), 'how it ended').to.equal('SIGKILL');
    await task.expectRecovered(survivor, stock, await answer);
  });
}

/** Opens a survivor with the initial data, and starts a victim, which is not killed without a moment. */
async function withVictim<Stock, Result>(
  backends: Backends,
  killedAt: Moment | undefined,
  { begin }: Task<Stock>,
  play: (survivor: Survivor, victim: Victim, stock: Stock) => Promise<Result>,
): Promise<Result> {
  const survivor = await openOwnedNode(backends, createManualClock());
  try {
    const [task, stock] = await begin(survivor);
    const orders: VictimOrders = {
      ...survivor.addresses,
      task,
      now: survivor.clock.now(),
      ...(killedAt === undefined ? {} : { killedAt }),
    };
    const victim: Victim = await startChild(join(import.meta.dirname, 'victim.ts'), orders);
    try {
      return await play(survivor, victim, stock);
    } finally {
      victim.kill();
      await victim.ended();
    }
  } finally {
    await survivor.close();
  }
}

/** Expects exactly one event of a type for each of these roles, and none for others. */
export async function expectAcknowledged(
  { node }: Survivor,
  type: EventType,
  roles: readonly string[],
): Promise<void> {
  const page = await node.history.list({ by: OPERATOR, limit: 100 });
  if (page.kind !== 'page') throw new Error(page.code);
  const ofType = page.events.filter((event) => event.type === type);
  expect(
    ofType.map(({ pin }) => pin),
    `the history of ${type}`,
  ).to.have.members(roles);
}
