// A node as a process of its own that is killed at one moment of what it does, or tells of all of them.
import type { Instant } from '@pinfold/core';
import { createManualClock } from '@pinfold/test-contracts/fixtures';
import type { ArchivesAddress, RecordsAddress } from 'pinfold-proof/service/addresses.ts';
import { openNode, type WrapPort } from 'pinfold-proof/service/open-node.ts';
import { endWithStarter } from '../service/child.ts';
import { oneRenewal } from '../service/one-renewal.ts';
import { type Moment, tellingMoments } from './moments.ts';
import { takeDown } from './take-down.ts';

/** A role to be taken down, with its copies and their archives. */
export interface TakeDown {
  readonly takeDown: string;
}

/** What a victim is told to do. */
export interface VictimOrders {
  readonly task: 'serve' | 'clean up' | TakeDown;
  readonly records: RecordsAddress;
  readonly archives: ArchivesAddress;
  readonly staging: string;
  /** The time of its clock, which stands still. */
  readonly now: Instant;
  /** When it is killed; absent: never. */
  readonly killedAt?: Moment;
}

/** What a victim says. */
export type VictimWord =
  | { readonly kind: 'serving'; readonly url: string }
  | { readonly kind: 'done' }
  | { readonly kind: 'moments'; readonly moments: readonly Moment[] };

const orders = JSON.parse(process.argv[2] ?? '') as VictimOrders;
const moments: Moment[] = [];

/** As a kill from outside at that very moment: nothing is flushed, closed or caught. */
const telling = tellingMoments((moment) => {
  moments.push(moment);
  if (moment === orders.killedAt) process.kill(process.pid, 'SIGKILL');
});

const renewal = oneRenewal(createManualClock(orders.now));
const { clock } = renewal;
const wrap: WrapPort = (port, name) => renewal.wrap(telling(port, name), name);

const say = (word: VictimWord): void => {
  process.send?.(word);
};

const { records, archives, staging } = orders;
const node = await openNode({ records, archives, staging, clock, wrap });
process.on('message', () => say({ kind: 'moments', moments }));
endWithStarter();
const { task } = orders;
if (task === 'serve') {
  node.server.ref();
  say({ kind: 'serving', url: node.url });
} else {
  await (task === 'clean up' ? node.cleaning.cleanUp() : takeDown(node, task.takeDown));
  say({ kind: 'done' });
}
