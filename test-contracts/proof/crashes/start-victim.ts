import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Moment } from './moments.ts';
import type { VictimOrders, VictimWord } from './victim.ts';

/** A victim from outside. */
export interface Victim {
  /** Resolves with its word of this kind; rejects when it ends before. */
  said<Kind extends VictimWord['kind']>(kind: Kind): Promise<VictimWord & { readonly kind: Kind }>;
  /** All moments that it has come through. */
  moments(): Promise<readonly Moment[]>;
  /** Resolves with the signal that ended it. */
  ended(): Promise<NodeJS.Signals | null>;
  kill(): void;
}

export function startVictim(orders: VictimOrders): Victim {
  const child: ChildProcess = fork(join(import.meta.dirname, 'victim.ts'), [JSON.stringify(orders)], {
    execArgv: ['--conditions=@pinfold/source', '--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const words: VictimWord[] = [];
  const heard = new Set<() => void>();
  child.on('message', (word: VictimWord) => {
    words.push(word);
    for (const listen of heard) listen();
  });
  const said: Victim['said'] = (kind) => {
    type Wanted = VictimWord & { readonly kind: typeof kind };
    const { promise, resolve, reject } = Promise.withResolvers<Wanted>();
    const listen = (): void => {
      const word = words.find((known): known is Wanted => known.kind === kind);
      if (word !== undefined) resolve(word);
    };
    heard.add(listen);
    listen();
    exit.then(() => reject(new Error(`it ended before it was ${kind}`)), reject);
    return promise.finally(() => heard.delete(listen));
  };
  return {
    said,
    moments: async () => {
      child.send('moments');
      return (await said('moments')).moments;
    },
    ended: async () => (await exit)[1],
    kill: () => {
      child.kill('SIGKILL');
    },
  };
}
