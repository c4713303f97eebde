import { once } from 'node:events';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { get, sayAndTakeNothing } from '../lib/hostile-clients.ts';
import type { HostileServer } from '../lib/hostile-server.ts';
import { peakMiB, residentMiB } from '../lib/process-figures.ts';
import { smallPages, zipOf } from '../lib/sites.ts';
import { type Finding, findings, type HostileLoad, type Start } from './hostile-load.ts';

const MiB = 1_048_576;
const WATCHED = 6_000;
/** The age at which a server has looked through its whole memory once more, by itself. */
const GROWN = 8_000;
/** Between two requests of another client, in milliseconds. */
const OFTEN = 50;

/** Connections that send many requests at once and read no answer, and a new connection of another client beside them. */
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
  await longestOf(server.port, 1_000);
  await pause(GROWN);
  const before = residentMiB(server.pid);
  const watching = longestOf(server.port, WATCHED);
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

/** The longest that an answer on a connection of its own takes, of those asked for until the time is over. */
async function longestOf(port: number, time: number): Promise<number> {
  const asked: Promise<number>[] = [];
  for (const end = performance.now() + time; performance.now() < end; await pause(OFTEN))
    asked.push(ask(port));
  return Math.max(...(await Promise.all(asked)));
}

async function ask(port: number): Promise<number> {
  const begun = performance.now();
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(get('/livez', 'localhost', ['Connection: close']));
  await buffer(socket);
  return performance.now() - begun;
}
