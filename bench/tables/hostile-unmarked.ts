import { smallPages, zipOf } from '../lib/sites.ts';
import { findings, type HostileLoad, type Start } from './hostile-load.ts';
import { send } from './uploads.ts';

const NAMES = 10_000;
const REFERENCES = 120_000;
const NOTHING = new Uint8Array(new ArrayBuffer(0));
/** Stands in names until the ZIP is made: two characters of ASCII, so that no flag says UTF-8. */
const PLACE = '@@';
/** 表 in CP932; its second byte is a backslash elsewhere. Each of the nine encodings of names reads it as something. */
const BYTES = Buffer.from([0x95, 0x5c]);

/** 10,000 names in an encoding that nothing tells, and a page whose references are compared in each, against ASCII. */
export const unmarkedNames: HostileLoad = {
  rounds: 5,
  measure: async (start) => {
    const unmarked = await proving(start, BYTES, '表');
    const plain = await proving(start, Buffer.from('ab'), 'ab');
    const what = '10,000 unmarked names and 120,000 references';
    return findings(
      what,
      ['CPU', unmarked.cpu / plain.cpu, '× names of ASCII', 2],
      ['CPU, all of it', unmarked.cpu, 's'],
      ['longest silence of the event loop', unmarked.longest, 'ms', 100],
    );
  },
};

/** The names are counted once they are known: the archive is refused for their number. */
async function proving(
  start: Start,
  inNames: Buffer,
  inReferences: string,
): Promise<{ readonly cpu: number; readonly longest: number }> {
  const server = await start();
  await send(server.publisher, zipOf(smallPages(2)), 'warm');
  const archive = archiveOf(inNames, inReferences);
  const from = await server.workedSeconds();
  const { longest } = await server.silenceDuring(async () => {
    const { status, body } = await send(server.publisher, archive, crypto.randomUUID());
    if (status !== 422 || !body.includes('too_many_files')) throw new Error(`${status} ${body}`);
  });
  const cpu = (await server.workedSeconds()) - from;
  await server.end();
  return { cpu, longest };
}

function archiveOf(inNames: Buffer, inReferences: string): Uint8Array<ArrayBuffer> {
  const names = Array.from({ length: NAMES }, (_, n) => `${PLACE}${n.toString(36).padStart(4, '0')}.html`);
  const links = Array.from({ length: REFERENCES }, (_, n) => `<a href=${inReferences}${n.toString(36)}>`);
  const page = new TextEncoder().encode(links.join(''));
  const site = { 'index.html': page, ...Object.fromEntries(names.map((name) => [name, NOTHING])) };
  const archive = zipOf(site);
  const bytes = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
  for (let at = bytes.indexOf(PLACE); at !== -1; at = bytes.indexOf(PLACE, at + 2)) inNames.copy(bytes, at);
  return archive;
}
