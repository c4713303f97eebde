import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A node in a process of its own. */
export interface NodeProcess {
  readonly name: string;
  readonly pid: number;
  readonly port: number;
  /** Resolves with the key that it shows if its start is the very first; else it never does. */
  readonly firstKey: Promise<string>;
  /** Ends it as a power cut does. */
  kill(): Promise<void>;
  /** Ends it as an orchestrator does. */
  stop(): Promise<void>;
}

const FLAGS = ['--conditions=@pinfold/source', '--disable-warning=ExperimentalWarning'];

/**
 * Starts a node, and resolves when it serves.
 *
 * @throws Error with what it said when it does not.
 */
export async function startNode(name: string, env: Readonly<Record<string, string>>): Promise<NodeProcess> {
  const child = spawn(process.execPath, [...FLAGS, join(import.meta.dirname, 'node.ts')], {
    env: { ...withoutSettings(process.env), ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // In a group of its own: Ctrl-C reaches this process alone, which ends its nodes in order.
    detached: true,
  });
  const ended = once(child, 'exit');
  const output = new Output(child);
  const firstKey = output.said(/(pf_[0-9A-Za-z]+_[0-9A-Za-z]{43}) /);
  const serves = output.said(/listening on 127\.0\.0\.1:(\d+)/);
  const port = await Promise.race([serves, ended.then(() => undefined)]);
  if (port === undefined) throw new Error(`${name} did not start: ${output.text}`);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await ended;
  };
  return {
    name,
    pid: child.pid ?? 0,
    port: Number(port),
    firstKey,
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  };
}

/** Settings of the person's own would be another service's. */
function withoutSettings(env: NodeJS.ProcessEnv): Readonly<Record<string, string | undefined>> {
  const others = Object.entries(env).filter(([variable]) => !variable.startsWith('PINFOLD_'));
  return { ...Object.fromEntries(others), NODE_OPTIONS: '' };
}

/** The last that a process wrote. */
class Output {
  text = '';
  readonly #looking: Set<() => void> = new Set();

  constructor({ stdout, stderr }: ChildProcess) {
    const take = (chunk: Buffer): void => {
      this.text = `${this.text}${chunk}`.slice(-20_000);
      for (const look of this.#looking) look();
    };
    stdout?.on('data', take);
    stderr?.on('data', take);
  }

  /** Resolves with the first group of the first match. */
  said(pattern: RegExp): Promise<string> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = pattern.exec(this.text)?.[1];
        if (found === undefined) return;
        this.#looking.delete(look);
        resolve(found);
      };
      this.#looking.add(look);
      look();
    });
  }
}
