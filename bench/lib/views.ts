// Shared by `serving` and `budget`: servers that answer the same bytes, under one load, in turn.
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type Answer, ask } from './http.ts';
import { load, type Target } from './load.ts';
import { installPeers, peerServer } from './peers.ts';
import { cpuSeconds } from './process-usage.ts';
import { freePort, type RunningServer, startServer } from './processes.ts';
import { inTemporaryFolder, type Row } from './report.ts';
import { compared, inRounds, median } from './statistics.ts';

export const ROUNDS = 15;
export const SECONDS = 1;
/** Seconds of load that warm a candidate. */
const WARM = 3;
export const GZIP = { 'Accept-Encoding': 'gzip' };

/** A server under comparison. */
export interface Candidate {
  readonly name: string;
  readonly server: RunningServer;
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Answered extends Omit<Answer, 'headers'> {
  /** Names and values in turn, as they were sent. */
  readonly headers: readonly string[];
  readonly body: Buffer;
  readonly etag: string | undefined;
}

/** Works in a folder of its own; everything that was pushed to `running` is stopped afterwards. */
export async function inFolder(
  work: (folder: string, running: RunningServer[]) => Promise<void>,
): Promise<void> {
  installPeers();
  await inTemporaryFolder(async (folder) => {
    // The workers of nginx are another user's.
    await chmod(folder, 0o755);
    const running: RunningServer[] = [];
    try {
      await work(folder, running);
    } finally {
      for (const server of running) await server.stop();
    }
  });
}

/** Starts a script of `peers/servers`. */
export async function startPeer(
  name: string,
  folder: string,
  environment: Readonly<Record<string, string>>,
): Promise<Candidate> {
  const port = await freePort();
  const all = { PORT: String(port), SCRATCH: join(folder, `scratch-${port}`), ...environment };
  const server = await startServer([process.execPath, peerServer(name)], all);
  return { name, server, port, headers: {} };
}

export async function get(
  { port, headers }: Omit<Candidate, 'server'>,
  path: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Answered> {
  const answer = await ask({ port, path, headers: { ...headers, ...GZIP, ...more } });
  const { 'content-encoding': encoding, etag } = answer.headers;
  return {
    ...answer,
    headers: answer.rawHeaders,
    body: encoding === 'gzip' && answer.raw.length > 0 ? gunzipSync(answer.raw) : answer.raw,
    etag,
  };
}

export function target(
  { port, headers }: Candidate,
  path: string,
  more: Record<string, string> = {},
): Target {
  return { url: `http://127.0.0.1:${port}${path}`, headers: { ...headers, ...GZIP, ...more } };
}

/** The results of each candidate in each round. */
export interface Measured {
  /** Requests or bytes a second. */
  readonly rates: Readonly<Record<string, readonly number[]>>;
  /** Microseconds of the server's processor time for each request. */
  readonly cpu: Readonly<Record<string, readonly number[]>>;
  /** Milliseconds at the median and the 99th percentile of the requests. */
  readonly p50: Readonly<Record<string, readonly number[]>>;
  readonly p99: Readonly<Record<string, readonly number[]>>;
}

/** Puts a load on every candidate in each round, in alternating order, after warming it up. */
export async function measured(
  candidates: readonly Candidate[],
  targetOf: (candidate: Candidate) => Promise<Target> | Target,
  figure: 'requests' | 'bytes' = 'requests',
  connections?: number,
): Promise<Measured> {
  const cpu: Record<string, number[]> = {};
  const p50: Record<string, number[]> = {};
  const p99: Record<string, number[]> = {};
  const works: Record<string, () => Promise<number>> = {};
  for (const candidate of candidates) {
    const aim = await targetOf(candidate);
    const { pid = 0 } = candidate.server.process;
    await load(aim, WARM, connections);
    const [times, halves, tails]: [number[], number[], number[]] = [[], [], []];
    cpu[candidate.name] = times;
    p50[candidate.name] = halves;
    p99[candidate.name] = tails;
    works[candidate.name] = async () => {
      const before = cpuSeconds(pid);
      const result = await load(aim, SECONDS, connections);
      times.push(((cpuSeconds(pid) - before) * 1e6) / (result.requests * SECONDS));
      halves.push(result.p50);
      tails.push(result.p99);
      return result[figure];
    };
  }
  return { rates: await inRounds(works, ROUNDS), cpu, p50, p99 };
}

/** Rows with the median and the 99th percentile of a candidate, in milliseconds, beside those of the others. */
export function waitRows(what: string, { p50, p99 }: Measured, name: string): readonly Row[] {
  const row = (part: string, values: Measured['p50']): Row => ({
    what: `${what}: ${name}, ${part}`,
    figure: median(values[name] ?? []),
    unit: 'ms',
    values,
  });
  return [row('p50', p50), row('p99', p99)];
}

/** One comparison: a candidate, the peer it is compared with, and the minimum ratio. */
export type Comparison = readonly [name: string, peer: string, atLeast?: number | undefined];

/**
 * For each comparison whose peer took part, a row of rates, with the goals, and one of processor time; in both more is
 * better. Rates depend on other work of the machine, processor time hardly does.
 */
export function rowsOf(
  what: string,
  { rates, cpu }: Measured,
  comparisons: readonly Comparison[],
): readonly Row[] {
  const rows = comparisons.flatMap(([name, peer, atLeast]): Row[] => {
    if (rates[peer] === undefined) return [];
    const goal = atLeast === undefined ? {} : { goal: { atLeast } };
    const unit = `× ${peer}`;
    return [
      { what: `${what}: ${name}`, figure: compared(rates[name], rates[peer]), unit, ...goal },
      { what: `${what}: ${name}, for the same CPU`, figure: compared(cpu[peer], cpu[name]), unit },
    ];
  });
  const [first, second, ...others] = rows;
  if (first === undefined || second === undefined) return rows;
  return [{ ...first, values: rates }, { ...second, values: cpu }, ...others];
}
