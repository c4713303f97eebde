import type { StagedArchive, Staging } from '@pinfold/core';
import { aroundCalls } from '@pinfold/test-contracts/fixtures';
import type { WrapPort } from 'pinfold-proof/service/open-node.ts';

/** A moment of a run: `before roles.commit 1`, `after archives.delete 3`. */
export type Moment = string;

/** Wraps ports so that every moment before and after each of their calls is told. */
export function tellingMoments(tell: (moment: Moment) => void): WrapPort {
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
