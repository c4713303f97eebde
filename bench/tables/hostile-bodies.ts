import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { get, sayAndTakeNothing } from '../lib/hostile-clients.ts';
import { othersP99 } from '../lib/others.ts';
import { peakMiB, residentMiB } from '../lib/process-usage.ts';
import { type Site, smallPages, zipOf } from '../lib/sites.ts';
import { findings, type HostileLoad } from './hostile-load.ts';

const MiB = 1_048_576;
const SITES = 20;
const FILES = 49;
const BODIES = SITES * FILES;
const MINUTE = 60_000;
const NAMES = Array.from({ length: FILES }, (_, n) => `${n}.bin`);

/** 980 bodies of 1 MiB that no client reads, requested by a number of connections that stay open. */
export function untakenBodies(connections: number): HostileLoad {
  return {
    // It takes more than a minute, and memory hardly differs between rounds.
    rounds: 1,
    measure: async (start) => {
      const server = await start();
      const { pid, port } = server;
      const small = await server.publish(zipOf(smallPages(2)));
      const hosts: string[] = [];
      for (let n = 0; n < SITES; n += 1) hosts.push(await server.publish(zipOf(largeFiles())));
      await othersP99(port, small, 2);
      // Fills the cache first, which is not part of the measurement.
      for (const host of hosts.slice(0, 4)) await takeAll(port, host);
      const held = await server.heldMiB();
      const before = residentMiB(pid);
      const requests = hosts.flatMap((host) => NAMES.map((name) => get(`/${name}`, host)));
      const attackers = await sayAndTakeNothing(port, ...dealt(requests, connections));
      const peak = await peakMiB(pid, pause(MINUTE));
      const after = residentMiB(pid);
      const heldAfter = await server.heldMiB();
      for (const attacker of attackers) attacker.destroy();
      return findings(
        `${BODIES} bodies of 1 MiB that ${connections} connections do not take`,
        ['memory at its peak', peak - before, 'MiB more', 256],
        ['memory after 60 s', after - before, 'MiB more'],
        ['of it in use after 60 s', heldAfter - held, 'MiB more', 32],
      );
    },
  };
}

/** Loads every file of a site, like a viewer. */
async function takeAll(port: number, host: string): Promise<void> {
  for (const name of NAMES) {
    const socket = connect(port, '127.0.0.1');
    socket.write(get(`/${name}`, host, ['Connection: close']));
    await buffer(socket);
  }
}

function largeFiles(): Site {
  const zeros = new Uint8Array(new ArrayBuffer(MiB - 16));
  return { ...smallPages(1), ...Object.fromEntries(NAMES.map((name) => [name, zeros])) };
}

/** Distributes the requests over connections; returns the text to send on each. */
function dealt(requests: readonly string[], connections: number): readonly string[] {
  return Array.from({ length: connections }, (_, n) =>
    requests.filter((_request, index) => index % connections === n).join(''),
  );
}
