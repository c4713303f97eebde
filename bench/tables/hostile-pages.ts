import { othersP99, quietP99 } from '../lib/others.ts';
import { signIn } from '../lib/person.ts';
import { peakMiB, residentMiB } from '../lib/process-usage.ts';
import { type Site, smallPages, zipOf } from '../lib/sites.ts';
import { findings, type HostileLoad } from './hostile-load.ts';

const CONNECTIONS = 8;
const FILES = 499;
const EVENTS = 60;
const WHILE = 6;

/** One account that requests the costliest pages of the screen on 8 connections, as fast as they are answered. */
export const costlyPages: HostileLoad = {
  rounds: 5,
  measure: async (start) => {
    const server = await start();
    const { pid, port } = server;
    const small = await server.publish(zipOf(smallPages(2)));
    const large = await server.publish(zipOf(longNames()));
    const { key } = await server.publisherOf('default', 'manage');
    const person = await signIn(port, { key });
    const path = `/publications/${large.split('.')[0]}`;
    for (let n = 0; n < EVENTS; n += 1) {
      const { status } = await person.post(`${path}/${n % 2 === 0 ? 'pin' : 'unpin'}`);
      if (status !== 303) throw new Error(`${path}: ${status}`);
    }
    const quiet = await quietP99(port, small, WHILE);
    const before = residentMiB(pid);
    const end = performance.now() + WHILE * 1_000;
    let pages = 0;
    const ask = async (): Promise<void> => {
      while (performance.now() < end) {
        await person.drop(pages % 2 === 0 ? path : '/history');
        pages += 1;
      }
    };
    const during = othersP99(port, small, WHILE);
    const peak = await peakMiB(pid, Promise.all(Array.from({ length: CONNECTIONS }, ask)));
    const views = await during;
    return findings(
      `costly pages of the screen, asked for on ${CONNECTIONS} connections`,
      ["others' p99", views / quiet, '× quiet', 5],
      ["others' p99", views, 'ms'],
      ['memory at its peak', peak - before, 'MiB more', 256],
      ['answered', pages / WHILE, 'a second'],
    );
  },
};

/** Files with names of the maximum length, of a character that takes five in markup. */
function longNames(): Site {
  const nothing = new Uint8Array(new ArrayBuffer(0));
  const names = Array.from({ length: FILES }, (_, n) => `${n}${"'".repeat(947)}`);
  return { ...smallPages(1), ...Object.fromEntries(names.map((name) => [name, nothing])) };
}
