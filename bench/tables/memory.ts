import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
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
/** The memory of a small container, in MiB. */
const SMALL = 256;

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

/**
 * Publishing, views and a password in a control group with the memory of a small container: a server that needs more
 * is killed, and the bench fails. Only root on Linux can make the group; without it there is no row.
 */
export async function smallRows(folder: string): Promise<readonly Row[]> {
  if (process.getuid?.() !== 0 || !existsSync('/sys/fs/cgroup')) return [];
  const isUnified = existsSync('/sys/fs/cgroup/cgroup.controllers');
  const root = isUnified ? '/sys/fs/cgroup' : '/sys/fs/cgroup/memory';
  const own = /^\d+:(?:memory)?:(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1] ?? '/';
  const group = join(root, `pinfold-bench-${process.pid}`);
  const enter = (at: string) => writeFileSync(join(at, 'cgroup.procs'), String(process.pid));
  mkdirSync(group);
  try {
    const limit = join(group, isUnified ? 'memory.max' : 'memory.limit_in_bytes');
    writeFileSync(limit, String(SMALL * 1_048_576));
    // A process begins in the group of the one that starts it.
    enter(group);
    const pinfold = await startPinfold(join(folder, 'small')).finally(() => enter(join(root, own)));
    const job = async () => {
      await viewSites(pinfold);
      const archive = zipOf(filledSite(500, 9_000_000, 12_000_000));
      await postMany(pinfold, archive, PUBLISHERS, 3);
      await pinfold.protect(await pinfold.publish(archive, 'protected'));
    };
    const figure = await peakMiB(pinfold.pid, job()).finally(() => pinfold.stop());
    // It counts the program's own text, which the group does not where another process read it first.
    const what = `resident memory: at the most, doing all of it in a group of ${SMALL} MiB`;
    return [{ what, figure, unit: 'MiB' }];
  } finally {
    rmdirSync(group);
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
