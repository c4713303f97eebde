import type { HostileServer } from '../lib/hostile-server.ts';
import { filledSite, smallPages, zipOf } from '../lib/sites.ts';
import { type Finding, findings, type HostileLoad } from './hostile-load.ts';
import { send } from './uploads.ts';

/** Entries: the maximum of an end record without Zip64, and the maximum that the default limits allow to be read. */
const ALL = 65_534;
const READ = 5_000;
/** Bytes of a long name. */
const LONG = 900;
/** Files of the honest ZIP: as many as the default limits allow. */
const FILES = 500;
/** Archives in one measurement, enough for the resolution of processor time. */
const ARCHIVES = 10;
const END_BYTES = 22;
const CENTRAL_BYTES = 46;

/** Archives whose directory lists one file again and again, compared with honest ones of their sizes. */
export const manyEntries: HostileLoad = {
  rounds: 5,
  measure: async (start) => {
    const server = await start();
    await server.publish(zipOf(smallPages(2)));
    const found: Finding[] = [];
    const archives = [
      [`${ALL} entries`, repeatedEntries(ALL)],
      // The directories of these are read, like that of a site with as many folders.
      [`${READ} entries`, repeatedEntries(READ)],
      [`${READ} names of ${LONG} bytes`, longNames(READ)],
    ] as const;
    for (const [entries, hostile] of archives) {
      const honest = zipOf(filledSite(FILES, hostile.length, hostile.length));
      const cost = await cpu(server, hostile, 422);
      const usual = await cpu(server, honest, 201);
      found.push(
        ...findings(
          `a ZIP of ${entries} (${(hostile.length / 1_000_000).toFixed(1)} MB)`,
          ['CPU', cost / usual, '× an honest ZIP of its size', 2],
          ['CPU', (cost / ARCHIVES) * 1_000, 'ms'],
        ),
      );
    }
    const { longest } = await server.silenceDuring(() => upload(server, repeatedEntries(ALL), 422));
    const silence = ['longest silence of the event loop', longest, 'ms', 100] as const;
    return [...found, ...findings(`a ZIP of ${ALL} entries`, silence)];
  },
};

/** Seconds of the server's CPU for some uploads of an archive. */
async function cpu(
  server: HostileServer,
  archive: Uint8Array<ArrayBuffer>,
  expected: number,
): Promise<number> {
  await upload(server, archive, expected);
  const from = await server.workedSeconds();
  for (let n = 0; n < ARCHIVES; n += 1) await upload(server, archive, expected);
  return (await server.workedSeconds()) - from;
}

async function upload(
  server: HostileServer,
  archive: Uint8Array<ArrayBuffer>,
  expected: number,
): Promise<void> {
  const { status, body } = await send(server.publisher, archive, crypto.randomUUID());
  if (status !== expected) throw new Error(`${status} ${body}`);
}

/** An archive of one file whose central header is repeated `count` times (APPNOTE.TXT, sections 4.3.12 and 4.3.16). */
function repeatedEntries(count: number): Uint8Array<ArrayBuffer> {
  const whole = Buffer.from(zipOf({ 'index.html': new TextEncoder().encode('<p>Hello') }));
  const end = Buffer.from(whole.subarray(-END_BYTES));
  const header = whole.subarray(end.readUInt32LE(16), whole.length - END_BYTES);
  if (header.length < CENTRAL_BYTES) throw new TypeError('the archive has no central header');
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(header.length * count, 12);
  const local = whole.subarray(0, end.readUInt32LE(16));
  return new Uint8Array(Buffer.concat([local, ...new Array<Buffer>(count).fill(header), end]));
}

/** Empty files whose names are long. */
function longNames(count: number): Uint8Array<ArrayBuffer> {
  const empty = new Uint8Array(new ArrayBuffer(0));
  const names = Array.from({ length: count - 1 }, (_, n) => `${n}`.padStart(LONG, 'x'));
  return zipOf({ ...smallPages(1), ...Object.fromEntries(names.map((name) => [name, empty])) });
}
