import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { bundled } from 'pinfold-test-servers/bundled';

/** A message of a child process, distinguished by `kind`. */
export interface Word {
  readonly kind: string;
}

/** A script of these suites in its own process, which sends and receives messages. */
export interface Child<Said extends Word> {
  readonly pid: number;
  /** Resolves with its first word of this kind that was not asked for before; rejects when it ends without one. */
  said<Kind extends Said['kind']>(kind: Kind): Promise<Extract<Said, { readonly kind: Kind }>>;
  tell(word: Word): void;
  /** Resolves with the signal that ended it. */
  ended(): Promise<NodeJS.Signals | null>;
  /** Kills it without a chance to clean up. */
  kill(): void;
}

/**
 * Starts a script with its orders, in a group of its own: Ctrl-C reaches whoever started it alone, who ends it.
 * The script calls `endWithStarter`.
 */
export async function startChild<Said extends Word>(
  script: string,
  orders: object,
  env: Readonly<Record<string, string>> = {},
): Promise<Child<Said>> {
  const child: ChildProcess = fork(await bundled(script), [JSON.stringify(orders)], {
    env: { ...process.env, ...env },
    execArgv: ['--conditions=@pinfold/source', '--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: true,
  });
  const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const words: Said[] = [];
  const heard = new Set<() => void>();
  child.on('message', (word: Said) => {
    words.push(word);
    for (const listen of heard) listen();
  });
  return {
    pid: child.pid ?? 0,
    said: (kind) => {
      type Wanted = Extract<Said, { readonly kind: typeof kind }>;
      const { promise, resolve, reject } = Promise.withResolvers<Wanted>();
      const listen = (): void => {
        const index = words.findIndex((word) => word.kind === kind);
        if (index === -1) return;
        // Immediately: of two messages in one turn, the second is for another caller.
        heard.delete(listen);
        resolve(words.splice(index, 1)[0] as Wanted);
      };
      heard.add(listen);
      listen();
      exit.then(() => reject(new Error(`it ended and never said "${kind}"`)), reject);
      return promise.finally(() => heard.delete(listen));
    },
    tell: (word) => {
      child.send(word);
    },
    ended: async () => (await exit)[1],
    kill: () => {
      child.kill('SIGKILL');
    },
  };
}
