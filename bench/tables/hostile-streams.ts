import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type ClientHttp2Session, connect } from 'node:http2';
import { setTimeout as pause } from 'node:timers/promises';
import { get, sayAndTakeNothing } from '../lib/hostile-clients.ts';
import type { HostileServer } from '../lib/hostile-server.ts';
import { type MemoryGroup, makeMemoryGroup } from '../lib/memory-group.ts';
import { othersTimes } from '../lib/others.ts';
import { peakMiB } from '../lib/process-usage.ts';
import { freePort } from '../lib/processes.ts';
import { missingPrograms, type ProxyName, proxyNames, startProxy } from '../lib/reverse-proxies.ts';
import { type Site, smallPages, zipOf } from '../lib/sites.ts';
import { type Finding, findings, type HostileLoad, type Start } from './hostile-load.ts';

const MiB = 1_048_576;
const CONNECTIONS = 60;
const STREAMS = 250;
/** Seconds that the clients stay: longer than a client that reads nothing is allowed to. */
const HELD = 60;
/** The number of these seconds, from the beginning, in which others view. */
const VIEWED = 30;
const GROUPS = [256, 1_024];
const SITES_HOST = 'share-sites.example';

/** Bodies of more than 1 MiB: stored, deflated, and the deflated one expanded. */
const ASKED = [
  { path: '/large.bin', coding: 'identity' },
  { path: '/large.txt', coding: 'gzip' },
  { path: '/large.txt', coding: 'identity' },
] as const;

type Way = ProxyName | 'HTTP/1.1';

interface Attack {
  leave(): unknown;
}

/** Large answers that are not read, through each proxy and directly, on a server with little memory. */
export const unreadStreams: HostileLoad = {
  rounds: 1,
  measure: async (start) => {
    const found: Finding[] = [];
    for (const way of ['HTTP/1.1', ...proxyNames] as const) {
      for (const mebibytes of GROUPS) found.push(...(await measureThrough(start, way, mebibytes)));
    }
    return found;
  },
};

async function measureThrough(start: Start, way: Way, mebibytes: number): Promise<readonly Finding[]> {
  const count = way === 'HTTP/1.1' ? connectionsTo(mebibytes) : CONNECTIONS * STREAMS;
  const by = way === 'HTTP/1.1' ? 'straight' : way;
  const what = `${count} large answers that nobody reads, ${by}, in a group of ${mebibytes} MiB`;
  const isThere = way === 'HTTP/1.1' || missingPrograms([way]).length === 0;
  const group = isThere ? makeMemoryGroup(mebibytes) : undefined;
  if (group === undefined) return findings(`${what}: not run, no group or no proxy`, ['', 0, 'ms']);
  const server = await group.start(() =>
    start({
      PINFOLD_PUBLIC_URL: 'https://share.example',
      PINFOLD_SITES_URL: `https://${SITES_HOST}`,
      PINFOLD_TRUST_PROXY: '127.0.0.1',
    }),
  );
  try {
    return await measureAt(server, way, mebibytes, what);
  } finally {
    await ended(server, group);
  }
}

async function ended(server: HostileServer, group: MemoryGroup): Promise<void> {
  await server.end();
  group.remove();
}

async function measureAt(
  server: HostileServer,
  way: Way,
  mebibytes: number,
  what: string,
): Promise<readonly Finding[]> {
  const published = await server.publish(zipOf(siteOfLarge()));
  const host = published.replace(/\..*/, `.${SITES_HOST}`);
  await othersTimes(server.port, host, 8, []);
  const before = await server.heldMiB();
  const options = { connections: connectionsTo(mebibytes) };
  const nodes = [server.port, await freePort(), await freePort()];
  const proxy = way === 'HTTP/1.1' ? undefined : await startProxy(way, nodes, options);
  try {
    const attack =
      proxy === undefined
        ? askStraight(server.port, host, connectionsTo(mebibytes))
        : askInStreams(proxy.port, host);
    const others = othersTimes(server.port, host, VIEWED, [0.5, 0.95]);
    const peak = await peakMiB(server.pid, Promise.all([attack, others, pause(HELD * 1_000)])).catch(
      () => Number.NaN,
    );
    const isAlive = !Number.isNaN(peak);
    const [median = Number.NaN, p95 = Number.NaN] = isAlive ? await others : [];
    const held = isAlive ? (await server.heldMiB()) - before : Number.NaN;
    (await attack).leave();
    return findings(
      what,
      ['median of others meanwhile', median, 'ms'],
      ['p95 of others meanwhile', p95, 'ms', 100],
      // Cached pages of files count here, but not in the group, which kills a server that uses too much.
      ['memory at its peak', peak, 'MiB'],
      [`in use after ${HELD} s`, held, 'MiB more', heldAtMost(mebibytes)],
    );
  } finally {
    await proxy?.stop();
  }
}

/** Text in hexadecimal digits shrinks to a little more than half. */
function siteOfLarge(): Site {
  return {
    ...smallPages(2),
    'large.bin': new Uint8Array(randomBytes(2 * MiB)),
    'large.txt': new Uint8Array(Buffer.from(randomBytes(1.5 * MiB).toString('hex'))),
  };
}

function askedOf(number: number): (typeof ASKED)[number] {
  return ASKED[number % ASKED.length] ?? ASKED[0];
}

/** The documented connections to a server with this memory: it accepts more, which stay free for others. */
function connectionsTo(mebibytes: number): number {
  return (mebibytes - 128) * 4;
}

/** MiB in use while the clients stay: the limit of unread answers, and 8 KiB for each connection. */
function heldAtMost(mebibytes: number): number {
  return mebibytes / 8 + connectionsTo(mebibytes) / 128;
}

/** Sends requests on separate connections. */
async function askStraight(port: number, host: string, count: number): Promise<Attack> {
  const words = Array.from({ length: count }, (_, number) => {
    const { path, coding } = askedOf(number);
    return get(path, host, [`Accept-Encoding: ${coding}`]);
  });
  const sockets = await sayAndTakeNothing(port, ...words);
  return { leave: () => sockets.map((socket) => socket.destroy()) };
}

async function askInStreams(port: number, host: string): Promise<Attack> {
  const sessions = await Promise.all(Array.from({ length: CONNECTIONS }, () => stall(port, host)));
  return { leave: () => sessions.map((session) => session.destroy()) };
}

/** Sends requests in as many streams as allowed, none of which reads a byte of a body. */
async function stall(port: number, host: string): Promise<ClientHttp2Session> {
  const options = { rejectUnauthorized: false, servername: host, settings: { initialWindowSize: 0 } };
  const session = connect(`https://127.0.0.1:${port}`, options).on('error', () => {});
  await once(session, 'remoteSettings');
  const most = session.remoteSettings.maxConcurrentStreams ?? STREAMS;
  for (let stream = 0; stream < Math.min(STREAMS, most); stream += 1) {
    const { path, coding } = askedOf(stream);
    const head = { ':path': path, ':authority': host, 'accept-encoding': coding };
    session.request(head).on('error', () => {});
  }
  return session;
}
