import type { HostileServer } from '../lib/hostile-server.ts';
import { smallPages, zipOf } from '../lib/sites.ts';
import { findings, type HostileLoad } from './hostile-load.ts';
import { send } from './uploads.ts';

const ENTRIES = 4_900;
const NAME_BYTES = 1_024;
const NOTHING = new Uint8Array(new ArrayBuffer(0));

/** 10 MB of names of folders whose letters are slow to fold, compared with as many of plain letters. */
export const slowNames: HostileLoad = {
  rounds: 5,
  measure: async (start) => {
    const server = await start();
    await send(server.publisher, zipOf(smallPages(2)), 'warm');
    const slow = await silence(server, 'ß/');
    const plain = await silence(server, 'a/');
    const what = '10 MB of names: longest silence of the event loop';
    return [
      ...findings(what, ['', slow.longest, 'ms', 100]),
      ...findings(`${what}, as much as it had a core for`, ['', slow.atWork, 'ms']),
      ...findings(`${what}, names of plain letters`, ['', plain.longest, 'ms']),
      ...findings(`${what}, names of plain letters, as much as it had a core for`, ['', plain.atWork, 'ms']),
    ];
  },
};

function silence(server: HostileServer, folder: string) {
  const archive = zipOf(Object.fromEntries(names(folder).map((name) => [name, NOTHING])));
  return server.silenceDuring(async () => {
    const { status, body } = await send(server.publisher, archive, crypto.randomUUID());
    if (status !== 422) throw new Error(`${status} ${body}`);
  });
}

function names(folder: string): readonly string[] {
  const bytes = Buffer.byteLength(folder);
  return Array.from({ length: ENTRIES }, (_, n) => {
    const number = String(n).padStart(4, '0');
    const left = NAME_BYTES - number.length;
    return `${folder.repeat(Math.floor(left / bytes))}${number}`;
  });
}
