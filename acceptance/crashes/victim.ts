// Runs a node in its own process, which is killed at one moment of its work or reports all moments.
import type { Instant, StagedArchive, Staging } from '@pinfold/core';
import { aroundCalls, createManualClock } from '@pinfold/test-contracts/fixtures';
import { openNode, type WrapPort } from 'pinfold-proof/service/open-node.ts';
import type { Addresses } from 'pinfold-proof/service/places.ts';
import { endWithStarter } from '../service/end-with-starter.ts';
import { oneRenewal } from '../service/one-renewal.ts';
import { erase } from './erase.ts';
import { takeDown } from './take-down.ts';

/** A moment of a run: `before roles.commit 1`, `after archives.delete 3`. */
export type Moment = string;

/** The role to take down, with its copies and their archives. */
export interface TakeDown {
  readonly takeDown: string;
}

/** The orders for a victim. */
export interface VictimOrders extends Addresses {
  readonly task: 'serve' | 'clean up' | 'erase' | TakeDown;
  /** The time of its clock, which stands still. */
  readonly now: Instant;
  /** The moment at which it is killed; absent if never. */
  readonly killedAt?: Moment;
}

/** A message of a victim. */
export type VictimMessage =
  | { readonly kind: 'serving'; readonly url: string }
  | { readonly kind: 'done' }
  | { readonly kind: 'moments'; readonly moments: readonly Moment[] };

const orders = JSON.parse(process.argv[2] ?? '') as VictimOrders;
const moments: Moment[] = [];

/** Kills this process by SIGKILL at its moment: nothing is flushed, closed or caught. */
const reporting = reportMoments((moment) => {
  moments.push(moment);
  if (moment === orders.killedAt) process.kill(process.pid, 'SIGKILL');
});

const renewal = oneRenewal(createManualClock(orders.now));
const { clock } = renewal;
const wrap: WrapPort = (port, name) => renewal.wrap(reporting(port, name), name);

const send = (message: VictimMessage): void => {
  process.send?.(message);
};

const node = await openNode({ ...orders, clock, wrap });
process.on('message', () => send({ kind: 'moments', moments }));
endWithStarter();
const { task } = orders;
if (task === 'serve') {
  node.server.ref();
  send({ kind: 'serving', url: node.url });
} else {
  if (task === 'clean up') await node.cleaning.cleanUp();
  else if (task === 'erase') await erase(node);
  else await takeDown(node, task.takeDown);
  send({ kind: 'done' });
}

/** Creates a function that wraps ports, to report the moments before and after each call. */
function reportMoments(report: (moment: Moment) => void): WrapPort {
  const calls = new Map<string, number>();
  const reported = async (name: string, call: () => Promise<unknown>): Promise<unknown> => {
    const n = (calls.get(name) ?? 0) + 1;
    calls.set(name, n);
    report(`before ${name} ${n}`);
    const answer = await call();
    report(`after ${name} ${n}`);
    return answer;
  };
  return (port, portName) => {
    // Reading the clock does not count as a step of the work.
    if (portName === 'clock') return port;
    return aroundCalls(port, async (name, call) => {
      const answer = await reported(`${portName}.${name}`, async () => await call());
      return portName === 'staging' && name === 'receive' ? received(answer) : answer;
    });
  };

  /** Wraps a received archive, to report the moments of discarding it, too. */
  function received(answer: unknown): unknown {
    const outcome = answer as Awaited<ReturnType<Staging['receive']>>;
    if (outcome.kind !== 'received') return outcome;
    const { archive } = outcome;
    const discard: StagedArchive['discard'] = async () => {
      await reported('staged.discard', () => archive.discard());
    };
    return { kind: 'received', archive: { ...archive, discard } };
  }
}
