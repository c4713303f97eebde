import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { LOAD_CORE, NODE, pinned } from './processes.ts';

export interface EvenLoad {
  /** Requests a second. */
  readonly rate: number;
  readonly connections: number;
  readonly seconds: number;
}

/** Milliseconds from when a request was due to the end of its answer. */
export interface Waits {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
}

/** Requests a page at even intervals, from the core of the load, whatever the answers are. */
export async function askEvenly(port: number, host: string, path: string, load: EvenLoad): Promise<Waits> {
  const script = join(import.meta.dirname, '../servers/even-load.ts');
  const { rate, connections, seconds } = load;
  const words = [port, host, path, rate, connections, seconds].map(String);
  const [program = '', ...args] = pinned(LOAD_CORE, [...NODE, script, ...words]);
  const { stdout } = await promisify(execFile)(program, args);
  return JSON.parse(stdout);
}
