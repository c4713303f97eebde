import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { installPeers } from './peers.ts';
import { isThere, LOAD_CORE, pinned } from './processes.ts';

const CONNECTIONS = 32;
const PEERS = join(import.meta.dirname, '../peers');
/** Makes wrk ask for the paths that follow `--` in turn. */
const TURNS = join(import.meta.dirname, 'turns.lua');

/** The target of a load. */
export interface Target {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Paths to request in turn, instead of the URL's own; autocannon requests only that one. */
  readonly paths?: readonly string[];
}

/** The answers to a load, per second. */
export interface LoadResult {
  readonly requests: number;
  readonly bytes: number;
}

/** The program that makes the load. */
export const loader: 'wrk' | 'autocannon' = isThere('wrk') ? 'wrk' : 'autocannon';

/** Loads a target with 32 connections from the loads' core for some seconds. */
export async function load(target: Target, seconds: number): Promise<LoadResult> {
  return loader === 'wrk' ? await withWrk(target, seconds) : await withAutocannon(target, seconds);
}

async function withWrk(target: Target, seconds: number): Promise<LoadResult> {
  const headers = Object.entries(target.headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const options = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, ...headers];
  const script = target.paths === undefined ? [] : ['-s', TURNS];
  const command = ['wrk', ...options, ...script, target.url, '--', ...(target.paths ?? [])];
  const output = await outputOf(command);
  const errors = /Non-2xx or 3xx responses: (\d+)|Socket errors: (.*)/.exec(output);
  if (errors !== null) throw new Error(`${target.url}: ${errors[0]}`);
  const requests = Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1]);
  const [, amount, unit = 'B'] = /Transfer\/sec:\s+([\d.]+)(B|KB|MB|GB)/.exec(output) ?? [];
  const scale = { B: 1, KB: 1_024, MB: 1_048_576, GB: 1_073_741_824 }[unit] ?? Number.NaN;
  return { requests, bytes: Number(amount) * scale };
}

async function withAutocannon(target: Target, seconds: number): Promise<LoadResult> {
  installPeers();
  const headers = Object.entries(target.headers).flatMap(([name, value]) => ['-H', `${name}=${value}`]);
  const program = join(PEERS, 'node_modules/autocannon/autocannon.js');
  const output = await outputOf([
    process.execPath,
    program,
    '--json',
    '-c',
    String(CONNECTIONS),
    '-d',
    String(seconds),
    ...headers,
    target.url,
  ]);
  const result = JSON.parse(output);
  if (result.errors > 0 || result.timeouts > 0) throw new Error(`${target.url}: ${result.errors} errors`);
  return { requests: result.requests.average, bytes: result.throughput.average };
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
