import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { askWell } from '../lib/http.ts';
import { type PinfoldServer, startPinfold } from '../lib/pinfold.ts';
import { peakMiB, residentMiB } from '../lib/process-figures.ts';
import type { Row } from '../lib/report.ts';
import { filledSite, smallPages, zipOf } from '../lib/sites.ts';
import { postMany } from './uploads.ts';

const CONNECTIONS = 1_000;
const SITES = 100;
const PAGES = 50;
const PUBLISHERS = 16;

/** Resident memory of a server, and what its work adds to it. */
export async function memoryRows(folder: string): Promise<readonly Row[]> {
  const pinfold = await startPinfold(join(folder, 'memory'));
  const { pid } = pinfold;
  const rows: Row[] = [];
  const add = (what: string, figure: number) =>
    rows.push({ what: `resident memory: ${what}`, figure, unit: 'MiB' });
  const settled = async () => {
    await pause(2_000);
    return residentMiB(pid);
  };
  try {
    const idle = await settled();
    add('idle', idle);
    const sockets = await idleConnections(pinfold.port);
    add(`${CONNECTIONS} idle connections more`, (await settled()) - idle);
    for (const socket of sockets) socket.destroy();
    const before = await settled();
    await viewSites(pinfold);
    add(`${SITES} hot sites more`, (await settled()) - before);
    const archive = zipOf(filledSite(500, 9_000_000, 12_000_000));
    const peak = await peakMiB(pid, postMany(pinfold, archive, PUBLISHERS, 3));
    add(`at the most, under ${PUBLISHERS} publishers`, peak);
    return rows;
  } finally {
    await pinfold.stop();
  }
}

/** Each has had one answer, and stays open. */
async function idleConnections(port: number): Promise<readonly Socket[]> {
  const sockets: Socket[] = [];
  for (let n = 0; n < CONNECTIONS; n += 1) {
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(socket, 'data');
    sockets.push(socket);
  }
  return sockets;
}

/** Views every page of many sites. */
async function viewSites(pinfold: PinfoldServer): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  for (let n = 0; n < SITES; n += 1) {
    const own = { 'own.txt': new TextEncoder().encode(`site ${n}`) };
    const host = pinfold.hostOf(
      await pinfold.publish(zipOf({ ...smallPages(PAGES), ...own }), `memory ${n}`),
    );
    for (let page = 0; page < PAGES - 1; page += 1) {
      await askWell({ port: pinfold.port, path: `/p${page}.html`, headers: { host }, agent });
    }
  }
  agent.destroy();
}
