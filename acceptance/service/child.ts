import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { bundled } from 'pinfold-test-servers/bundled';

/** A message of a child process, distinguished by `kind`. */
export interface ChildMessage {
  readonly kind: string;
}

/** A script of these suites in its own process, which sends and receives messages. */
export interface Child<Message extends ChildMessage> {
  readonly pid: number;
  /** Resolves with the next message of this kind, which may have arrived already; rejects if the child ends without one. */
  nextMessage<Kind extends Message['kind']>(kind: Kind): Promise<Extract<Message, { readonly kind: Kind }>>;
  send(message: ChildMessage): void;
  /** Resolves with the signal that ended it. */
  ended(): Promise<NodeJS.Signals | null>;
  /** Kills it without a chance to clean up. */
  kill(): void;
}

/**
 * Starts a script with its orders, in a process group of its own: Ctrl-C reaches only this process, which ends the child.
 * The script calls `endWithStarter`.
 */
export async function startChild<Message extends ChildMessage>(
  script: string,
  orders: object,
  env: Readonly<Record<string, string>> = {},
): Promise<Child<Message>> {
  const child: ChildProcess = fork(await bundled(script), [JSON.stringify(orders)], {
    env: { ...process.env, ...env },
    execArgv: ['--conditions=@pinfold/source', '--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: true,
  });
  const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const messages: Message[] = [];
  const listeners = new Set<() => void>();
  child.on('message', (message: Message) => {
    messages.push(message);
    for (const listen of listeners) listen();
  });
  return {
    pid: child.pid ?? 0,
    nextMessage: (kind) => {
      type Wanted = Extract<Message, { readonly kind: typeof kind }>;
      const { promise, resolve, reject } = Promise.withResolvers<Wanted>();
      const listen = (): void => {
        const index = messages.findIndex((message) => message.kind === kind);
        if (index === -1) return;
        // Immediately: of two messages in one turn, the second is for another caller.
        listeners.delete(listen);
        resolve(messages.splice(index, 1)[0] as Wanted);
      };
      listeners.add(listen);
      listen();
      exit.then(() => reject(new Error(`it ended without the message "${kind}"`)), reject);
      return promise.finally(() => listeners.delete(listen));
    },
    send: (message) => {
      child.send(message);
    },
    ended: async () => (await exit)[1],
    kill: () => {
      child.kill('SIGKILL');
    },
  };
}
