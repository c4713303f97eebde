// A node as a process of its own that is killed at one moment of what it does, or tells of all of them.
import { type Clock, defaultLimits, type Instant } from '@pinfold/core';
import { createManualClock } from '@pinfold/test-contracts/fixtures';
import type { ArchivesAddress, RecordsAddress } from '../service/addresses.ts';
import { openNode, type WrapPort } from '../service/open-node.ts';
import { serveNode } from '../service/serve-node.ts';
import { type Moment, tellingMoments } from './moments.ts';

/** What a victim is told to do. */
export interface VictimOrders {
  readonly task: 'serve' | 'clean up';
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
const renewed = Promise.withResolvers<void>();
const moments: Moment[] = [];

/** As a kill from outside at that very moment: nothing is flushed, closed or caught. */
const telling = tellingMoments((moment) => {
  moments.push(moment);
  if (moment === orders.killedAt) process.kill(process.pid, 'SIGKILL');
  if (moment === 'after roles.renew 1') renewed.resolve();
});

/** The pause before a renewal is over at once the first time, and proving lasts until it was made: each run has one. */
const still = createManualClock(orders.now);
let paused = false;
const clock: Clock = {
  now: still.now,
  sleep: (length, signal) => {
    const isFirst = !paused && length === Math.floor(defaultLimits.lease / 3);
    paused ||= isFirst;
    return isFirst ? Promise.resolve() : still.sleep(length, signal);
  },
};

const wrap: WrapPort = (port, name) => telling(name === 'inspector' ? lasting(port) : port, name);

function lasting<Port extends object>(inspector: Port): Port {
  return new Proxy(inspector, {
    get: (target, name) => {
      const member = Reflect.get(target, name) as CallableFunction;
      if (name !== 'prove') return typeof member === 'function' ? member.bind(target) : member;
      return async (...inputs: unknown[]) => {
        const proof: unknown = await Reflect.apply(member, target, inputs);
        await renewed.promise;
        return proof;
      };
    },
  });
}

const say = (word: VictimWord): void => {
  process.send?.(word);
};

const { records, archives, staging } = orders;
const node = await openNode({ records, archives, staging, clock, wrap });
process.on('message', () => say({ kind: 'moments', moments }));
if (orders.task === 'serve') {
  const served = await serveNode(node, { mode: 'path' });
  served.server.ref();
  say({ kind: 'serving', url: served.url });
} else {
  await node.useCases.cleanUp.run();
  say({ kind: 'done' });
}
