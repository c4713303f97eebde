import { join } from 'node:path';
import { type Child, startChild } from '../service/child.ts';
import type { Moment } from './moments.ts';
import type { VictimOrders, VictimWord } from './victim.ts';

/** A victim from outside. */
export type Victim = Child<VictimWord>;

export function startVictim(orders: VictimOrders): Victim {
  return startChild(join(import.meta.dirname, 'victim.ts'), orders);
}

/** All moments that it has come through. */
export async function momentsOf(victim: Victim): Promise<readonly Moment[]> {
  victim.tell({ kind: 'moments?' });
  return (await victim.said('moments')).moments;
}
