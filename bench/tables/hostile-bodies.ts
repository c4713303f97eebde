import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { get, sayAndTakeNothing } from '../lib/hostile-clients.ts';
import { startHostileServer } from '../lib/hostile-server.ts';
import { othersView } from '../lib/others.ts';
import { peakMiB, residentMiB } from '../lib/process-figures.ts';
import { type Site, smallPages, zipOf } from '../lib/sites.ts';
import type { HostileLoad } from './hostile-load.ts';

const MiB = 1_048_576;
const SITES = 20;
const FILES = 49;
const BODIES = SITES * FILES;
const MINUTE = 60_000;

/** 980 bodies of 1 MiB that nobody takes, asked for by so many connections that stay open. */
export function untakenBodies(connections: number): HostileLoad {
  return {
    // It takes more than a minute, and memory hardly differs from one round to the next.
    rounds: 1,
    measure: async (checkout) => {
      const server = await startHostileServer(checkout);
      try {
        const small = await server.publish(zipOf(smallPages(2)));
        const hosts: string[] = [];
        for (let n = 0; n < SITES; n += 1) hosts.push(await server.publish(zipOf(largeFiles())));
        await othersView(server.port, small, 2);
        // What is kept in memory for viewers is no part of what is measured.
        for (const host of hosts.slice(0, 4)) await takeAll(server.port, host);
        const held = await server.heldMiB();
        const before = residentMiB(server.pid);
        const requests = hosts.flatMap((host) => fileNames().map((name) => get(`/${name}`, host)));
        const attackers = await Promise.all(
          dealt(requests, connections).map((words) => sayAndTakeNothing(server.port, words)),
        );
        const peak = await peakMiB(server.pid, pause(MINUTE));
        const after = residentMiB(server.pid);
        const heldAfter = await server.heldMiB();
        for (const attacker of attackers) attacker.destroy();
        const what = `${BODIES} bodies of 1 MiB that ${connections} connections do not take`;
        const goal = { atMost: 256 };
        return [
          { what: `${what}: memory at its peak`, figure: peak - before, unit: 'MiB more', goal },
          { what: `${what}: memory after 60 s`, figure: after - before, unit: 'MiB more' },
          {
            what: `${what}: of it in use after 60 s`,
            figure: heldAfter - held,
            unit: 'MiB more',
            goal: { atMost: 32 },
          },
        ];
      } finally {
        await server.end();
      }
    },
  };
}

/** Takes every file of a site, as a viewer does. */
async function takeAll(port: number, host: string): Promise<void> {
  for (const name of fileNames()) {
    const socket = connect(port, '127.0.0.1');
    socket.write(get(`/${name}`, host, ['Connection: close']));
    await buffer(socket);
  }
}

function fileNames(): readonly string[] {
  return Array.from({ length: FILES }, (_, n) => `${n}.bin`);
}

function largeFiles(): Site {
  const zeros = new Uint8Array(new ArrayBuffer(MiB - 16));
  return { ...smallPages(1), ...Object.fromEntries(fileNames().map((name) => [name, zeros])) };
}

/** What each of so many connections says. */
function dealt(requests: readonly string[], connections: number): readonly string[] {
  return Array.from({ length: connections }, (_, n) =>
    requests.filter((_request, index) => index % connections === n).join(''),
  );
}
