import { join } from 'node:path';
import { createManualClock, type ManualClock } from '@pinfold/test-contracts/fixtures';
import { type Child, startChild } from '../service/child.ts';
import { type Backends, type OwnedNode, openOwnedNode } from '../service/owned-node.ts';
import type { Moment } from './moments.ts';
import type { VictimOrders, VictimWord } from './victim.ts';

/** A node that lives, over the same data and in the same folders as the one that is killed. */
export type Survivor = OwnedNode<ManualClock>;

/** A victim from outside. */
export type Victim = Child<VictimWord>;

/**
 * Opens a survivor, lets it begin what the victim does the task of, and plays with both; a victim without a moment to be
 * killed at lives until then.
 */
export async function withVictim<Stock, Result>(
  backends: Backends,
  killedAt: Moment | undefined,
  begin: (survivor: Survivor) => Promise<readonly [task: VictimOrders['task'], stock: Stock]>,
  play: (survivor: Survivor, victim: Victim, stock: Stock) => Promise<Result>,
): Promise<Result> {
  const survivor = await openOwnedNode(backends, createManualClock());
  try {
    const [task, stock] = await begin(survivor);
    const orders: VictimOrders = { ...survivor.addresses, task, now: survivor.clock.now() };
    const victim: Victim = startChild(
      join(import.meta.dirname, 'victim.ts'),
      killedAt === undefined ? orders : { ...orders, killedAt },
    );
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

/** All moments that it has come through. */
export async function momentsOf(victim: Victim): Promise<readonly Moment[]> {
  victim.tell({ kind: 'moments?' });
  return (await victim.said('moments')).moments;
}
