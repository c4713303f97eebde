import { setTimeout as pause } from 'node:timers/promises';
import { get, sayAndTakeNothing } from '../lib/hostile-clients.ts';
import type { HostileServer } from '../lib/hostile-server.ts';
import { longestOfNewcomers } from '../lib/others.ts';
import { peakMiB, residentMiB } from '../lib/process-usage.ts';
import { smallPages, zipOf } from '../lib/sites.ts';
import { type Finding, findings, type HostileLoad, type Start } from './hostile-load.ts';

const MiB = 1_048_576;
/** Seconds. */
const WATCHED = 6;
/** The age at which a server has collected its whole memory once more. */
const GROWN = 8_000;

/** Connections that send many requests at once and read no answer, while another client opens a new connection. */
export const unreadPipelines: HostileLoad = {
  rounds: 3,
  measure: async (start) => [
    ...(await unread(start, '400 connections with 20 unread requests for 1 MiB each', 400, async (server) => {
      const large = crypto.getRandomValues(new Uint8Array(65_536));
      const file = new Uint8Array(MiB - 16).map((_, index) => large[index % large.length] ?? 0);
      const host = await server.publish(zipOf({ ...smallPages(1), '0.bin': file }));
      return get('/0.bin', host).repeat(20);
    })),
    ...(await unread(start, '300 connections with 1,000 unread requests each', 300, async () =>
      get('/livez', 'localhost').repeat(1_000),
    )),
  ],
};

async function unread(
  start: Start,
  what: string,
  connections: number,
  prepare: (server: HostileServer) => Promise<string>,
): Promise<readonly Finding[]> {
  const server = await start();
  const words = await prepare(server);
  await longestOfNewcomers(server.port, 1);
  await pause(GROWN);
  const before = residentMiB(server.pid);
  const watching = longestOfNewcomers(server.port, WATCHED);
  const peak = peakMiB(server.pid, watching);
  await pause(200);
  const attackers = await sayAndTakeNothing(server.port, ...Array<string>(connections).fill(words));
  const longest = await watching;
  const memory = (await peak) - before;
  for (const attacker of attackers) attacker.destroy();
  await server.end();
  return findings(
    what,
    ["another client's request", longest, 'ms at most', 100],
    ['memory at its peak', memory, 'MiB more', 256],
  );
}
