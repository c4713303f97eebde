import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ask, askWell } from '../lib/http.ts';
import { makeMemoryGroup } from '../lib/memory-group.ts';
import { type PinfoldServer, startPinfold } from '../lib/pinfold.ts';
import { peakMiB, residentMiB } from '../lib/process-usage.ts';
import type { Row } from '../lib/report.ts';
import { filledSite, type Site, smallPages, zipOf } from '../lib/sites.ts';
import { postMany } from './uploads.ts';

const CONNECTIONS = 1_000;
const SITES = 100;
const PAGES = 50;
const PUBLISHERS = 16;
/** The memory of a small container, in MiB. */
const SMALL = 256;
const SMALL_SITES = 82;
const SMALL_FILES = 490;

/** Resident memory of a server at rest and at work. */
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

/**
 * Publishing, views and a password in a control group with the memory of a small container: a server that needs more
 * is killed, and the bench fails. Only root on Linux can make the group; without it there is no row.
 */
export async function smallRows(folder: string): Promise<readonly Row[]> {
  const job = async (pinfold: PinfoldServer) => {
    await viewSites(pinfold);
    const archive = zipOf(filledSite(500, 9_000_000, 12_000_000));
    await postMany(pinfold, archive, PUBLISHERS, 3);
    await pinfold.protect(await pinfold.publish(archive, 'protected'));
  };
  return peakInGroup('at the most, doing all of it', SMALL, join(folder, 'small'), job);
}

/** Many small files, each viewed once: the cache must count exactly what it stores. */
export async function smallFilesRows(folder: string): Promise<readonly Row[]> {
  const what = `at the most, having shown ${SMALL_SITES * SMALL_FILES} small files`;
  return peakInGroup(what, 2 * SMALL, join(folder, 'small-files'), async (pinfold) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 8 });
    for (let site = 0; site < SMALL_SITES; site += 1) {
      const archive = zipOf(smallFiles(site));
      const headers = { host: pinfold.hostOf(await pinfold.publish(archive, `small files ${site}`)) };
      const show = (path: string) => askWell({ port: pinfold.port, path, headers, agent });
      const missing = (n: number) => ask({ port: pinfold.port, path: `/missing${n}`, headers, agent });
      // Pages about missing files also come from Node's buffer pool.
      for (let n = 0; n < SMALL_FILES; n += 1)
        await Promise.all([show(`/${n}.txt`), missing(n), missing(-n)]);
    }
    agent.destroy();
  });
}

function smallFiles(site: number): Site {
  const text = (n: number) => new TextEncoder().encode(`${site} ${n} `.repeat(16));
  const names = Array.from({ length: SMALL_FILES }, (_, n) => [`${n}.txt`, text(n)]);
  return { ...smallPages(1), ...Object.fromEntries(names) };
}

async function peakInGroup(
  what: string,
  mebibytes: number,
  folder: string,
  job: (pinfold: PinfoldServer) => Promise<void>,
): Promise<readonly Row[]> {
  const name = `resident memory: ${what} in a group of ${mebibytes} MiB`;
  const group = makeMemoryGroup(mebibytes);
  if (group === undefined)
    return [{ what: `${name}: not run, no group can be made`, figure: 0, unit: 'MiB' }];
  try {
    const pinfold = await group.start(() => startPinfold(folder));
    // It counts the code of the program, which the group does not if another process read it first.
    const figure = await peakMiB(pinfold.pid, job(pinfold)).finally(() => pinfold.stop());
    return [{ what: name, figure, unit: 'MiB' }];
  } finally {
    group.remove();
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
