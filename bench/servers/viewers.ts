// Views a page as others do while a server is under a hostile load. A process of its own: what the attackers' clients
// cost the bench is not the server's.

import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { get } from '../lib/hostile-clients.ts';
import { ask } from '../lib/http.ts';

/** The rate of requests of others per second, whether the previous ones were answered or not. */
const A_SECOND = 100;
/** How long they wait for an answer; a missing one counts as this long. */
const MAX_WAIT = 30_000;
/** Between two newcomers, in milliseconds. */
const NEWCOMER_EACH = 50;
/** The viewers' own address, so that the server can distinguish them from the attacker. */
const ADDRESS = '127.0.0.2';

/** Its connections stay open between measurements, like those of browsers. */
const agent = new Agent({ keepAlive: true, maxSockets: 8 });

/** The duration of each view over a number of seconds, in milliseconds from when it was due, the shortest first. */
async function timesOf(port: number, host: string, seconds: number): Promise<readonly number[]> {
  const start = performance.now();
  const views: Promise<number>[] = [];
  for (let n = 0; n < seconds * A_SECOND; n += 1) {
    const due = start + (n * 1_000) / A_SECOND;
    await pause(Math.max(0, due - performance.now()));
    views.push(view(port, host, due));
  }
  return (await Promise.all(views)).toSorted((a, b) => a - b);
}

async function view(port: number, host: string, due: number): Promise<number> {
  // Timers are whole milliseconds, so that some views are sent before they are due.
  const from = Math.min(due, performance.now());
  const headers = { host, 'accept-encoding': 'gzip' };
  const signal = AbortSignal.timeout(MAX_WAIT);
  const options = { localAddress: ADDRESS, port, path: '/', headers, agent, signal };
  const status = await ask(options).then(
    (answer) => answer.status,
    () => undefined,
  );
  return status === 200 ? performance.now() - from : MAX_WAIT;
}

/** The longest probe on a new connection until the time is over. */
async function longestOf(port: number, seconds: number): Promise<number> {
  const durations: Promise<number>[] = [];
  for (const end = performance.now() + seconds * 1_000; performance.now() < end; await pause(NEWCOMER_EACH))
    durations.push(askAnew(port));
  return Math.max(...(await Promise.all(durations)));
}

async function askAnew(port: number): Promise<number> {
  const begun = performance.now();
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(get('/livez', 'localhost', ['Connection: close']));
  await buffer(socket);
  return performance.now() - begun;
}

process.on('message', async ([port, host, seconds]: [number, string | null, number]) => {
  process.send?.(await (host === null ? longestOf(port, seconds) : timesOf(port, host, seconds)));
});
