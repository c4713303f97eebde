// A node as a process of its own that is killed at one moment of what it does, or tells of all of them.
import type { Instant, StagedArchive, Staging } from '@pinfold/core';
import { aroundCalls, createManualClock } from '@pinfold/test-contracts/fixtures';
import { openNode, type WrapPort } from 'pinfold-proof/service/open-node.ts';
import type { Addresses } from 'pinfold-proof/service/places.ts';
import { endWithStarter } from '../service/child.ts';
import { oneRenewal } from '../service/one-renewal.ts';
import { takeDown } from './take-down.ts';

/** A moment of a run: `before roles.commit 1`, `after archives.delete 3`. */
export type Moment = string;

/** A role to be taken down, with its copies and their archives. */
export interface TakeDown {
  readonly takeDown: string;
}

/** What a victim is told to do. */
export interface VictimOrders extends Addresses {
  readonly task: 'serve' | 'clean up' | TakeDown;
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

const node = await openNode({ ...orders, clock, wrap });
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

/** Wraps ports so that every moment before and after each of their calls is told. */
function tellingMoments(tell: (moment: Moment) => void): WrapPort {
  const calls = new Map<string, number>();
  const told = async (name: string, call: () => Promise<unknown>): Promise<unknown> => {
    const n = (calls.get(name) ?? 0) + 1;
    calls.set(name, n);
    tell(`before ${name} ${n}`);
    const answer = await call();
    tell(`after ${name} ${n}`);
    return answer;
  };
  return (port, portName) => {
    // Time passes without a call.
    if (portName === 'clock') return port;
    return aroundCalls(port, async (name, call) => {
      const answer = await told(`${portName}.${name}`, async () => await call());
      return portName === 'staging' && name === 'receive' ? received(answer) : answer;
    });
  };

  /** What was received is let go of by a method of its own. */
  function received(answer: unknown): unknown {
    const outcome = answer as Awaited<ReturnType<Staging['receive']>>;
    if (outcome.kind !== 'received') return outcome;
    const { archive } = outcome;
    const discard: StagedArchive['discard'] = async () => {
      await told('staged.discard', () => archive.discard());
    };
    return { kind: 'received', archive: { ...archive, discard } };
  }
}
