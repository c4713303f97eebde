import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { installPeers } from './peers.ts';
import { isThere, LOAD_CORE, pinned } from './processes.ts';

/** The default number of connections of a load. */
export const CONNECTIONS = 32;
const PEERS = join(import.meta.dirname, '../peers');
/** Makes wrk request the paths after `--` in turn. */
const TURNS = join(import.meta.dirname, 'turns.lua');

/** The target of a load. */
export interface Target {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Paths to request in turn, instead of the URL's own; autocannon requests only that one. */
  readonly paths?: readonly string[];
  /** A file with one host per line, requested in turn; autocannon requests only that of the headers. */
  readonly hosts?: string;
}

/** The answers to a load per second, and their durations. */
export interface LoadResult {
  readonly requests: number;
  readonly bytes: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** The program that creates the load. */
export const loader: 'wrk' | 'autocannon' = isThere('wrk') ? 'wrk' : 'autocannon';

/** Puts a load on a target for some seconds, from the core of the load. */
export async function load(target: Target, seconds: number, connections = CONNECTIONS): Promise<LoadResult> {
  const make = loader === 'wrk' ? withWrk : withAutocannon;
  return await make(target, seconds, connections);
}

async function withWrk(target: Target, seconds: number, connections: number): Promise<LoadResult> {
  const headers = Object.entries(target.headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const options = ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', ...headers];
  const { paths = [], hosts } = target;
  const turns = hosts === undefined ? paths : ['--hosts', hosts];
  const script = turns.length === 0 ? [] : ['-s', TURNS];
  const command = ['wrk', ...options, ...script, target.url, '--', ...turns];
  const output = await outputOf(command);
  const errors = /Non-2xx or 3xx responses: (\d+)|Socket errors: (.*)/.exec(output);
  if (errors !== null) throw new Error(`${target.url}: ${errors[0]}`);
  const requests = Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1]);
  const [, amount, unit = 'B'] = /Transfer\/sec:\s+([\d.]+)(B|KB|MB|GB)/.exec(output) ?? [];
  const scale = { B: 1, KB: 1_024, MB: 1_048_576, GB: 1_073_741_824 }[unit] ?? Number.NaN;
  const percentile = (percent: number) => {
    const [, time, timeUnit = ''] = new RegExp(`${percent}%\\s+([\\d.]+)(us|ms|s)`).exec(output) ?? [];
    return Number(time) * ({ us: 0.001, ms: 1, s: 1_000 }[timeUnit] ?? Number.NaN);
  };
  return { requests, bytes: Number(amount) * scale, p50: percentile(50), p99: percentile(99) };
}

async function withAutocannon(target: Target, seconds: number, connections: number): Promise<LoadResult> {
  installPeers();
  const headers = Object.entries(target.headers).flatMap(([name, value]) => ['-H', `${name}=${value}`]);
  const program = join(PEERS, 'node_modules/autocannon/autocannon.js');
  const output = await outputOf([
    process.execPath,
    program,
    '--json',
    '-c',
    String(connections),
    '-d',
    String(seconds),
    ...headers,
    target.url,
  ]);
  const result = JSON.parse(output);
  if (result.errors > 0 || result.timeouts > 0) throw new Error(`${target.url}: ${result.errors} errors`);
  const { requests, throughput, latency } = result;
  return { requests: requests.average, bytes: throughput.average, p50: latency.p50, p99: latency.p99 };
}

function outputOf(command: readonly string[]): Promise<string> {
  const [program = '', ...args] = pinned(LOAD_CORE, command);
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', () => resolve(Buffer.concat(chunks).toString()));
  });
}
