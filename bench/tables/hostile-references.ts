import { setTimeout as pause } from 'node:timers/promises';
import { type Site, smallPages, zipOf } from '../lib/sites.ts';
import { findings, type HostileLoad, type Start } from './hostile-load.ts';
import { send, type UploadTarget } from './uploads.ts';

const PAGES = 124;
const TAGS = 340;
const DEEP = 'ß/'.repeat(335);
const PADDING = { files: 5, bytes: 9 * 1_048_576 };
/** How long to wait for a publication before the server is ended. */
const MAX_WAIT = 60_000;
/** After this time the hostile archive is being proved, and the other account publishes. */
const AHEAD = 50;

/**
 * 84,320 references of pages deep below folders whose letters are slow to fold, compared with the same pages with other
 * attributes, and the duration of another account's small publication during each.
 */
export function deepReferences(padded: boolean): HostileLoad {
  const what = `84,320 deep references${padded ? ' and 45 MiB of nothing' : ''}`;
  return {
    rounds: padded ? 3 : 5,
    measure: async (start) => {
      const plain = await proving(start, siteOf('name', 'alt', padded));
      const hostile = await proving(start, siteOf('href', 'src', padded));
      return findings(
        what,
        ['CPU', hostile.cpu / plain.cpu, '× without references', 2],
        [`CPU, ${MAX_WAIT / 1_000} s at most`, hostile.cpu, 's'],
        ["another account's small publication", hostile.other, 's', 2],
        ['the same beside no references', plain.other, 's'],
      );
    },
  };
}

/** Seconds of the server's CPU for one dry run, and of the clock for another account's publication meanwhile. */
async function proving(start: Start, site: Site): Promise<{ readonly cpu: number; readonly other: number }> {
  const server = await start();
  const other = await server.publisherOf('other');
  const small = zipOf(smallPages(2));
  for (const publisher of [server.publisher, other]) await publish(publisher, small);
  const archive = zipOf(site);
  const from = await server.workedSeconds();
  const began = performance.now();
  const hostile = publish({ ...server.publisher, path: '/api/v1/pins?dry_run=true' }, archive);
  await pause(AHEAD);
  const taken = publish(other, small).then(() => performance.now() - began - AHEAD);
  const late = pause(MAX_WAIT, MAX_WAIT, { ref: false });
  const waited = await Promise.race([Promise.all([hostile, taken]).then(() => taken), late]);
  const cpu = (await server.workedSeconds()) - from;
  await server.end();
  return { cpu, other: waited / 1_000 };
}

/** Publishes, or is cut off with the server. */
async function publish(target: UploadTarget, archive: Uint8Array<ArrayBuffer>): Promise<void> {
  const { status, body } = await send(target, archive, crypto.randomUUID()).catch(() => ({
    status: 201,
    body: '',
  }));
  if (status !== 200 && status !== 201) throw new Error(`${status} ${body}`);
}

function siteOf(first: string, second: string, padded: boolean): Site {
  const text = new TextEncoder();
  const pages = Array.from({ length: PAGES }, (_, page) => {
    const tags = Array.from({ length: TAGS }, (_tag, tag) => {
      const n = (page * TAGS + tag) * 2;
      return `<a ${first}=${n.toString(36)} ${second}=${(n + 1).toString(36)}>`;
    });
    return [`${DEEP}p${String(page).padStart(3, '0')}.html`, text.encode(tags.join(''))] as const;
  });
  const nothing = new Uint8Array(new ArrayBuffer(PADDING.bytes));
  const padding = Array.from(
    { length: padded ? PADDING.files : 0 },
    (_, n) => [`${n}.bin`, nothing] as const,
  );
  return { 'index.html': text.encode('x'), ...Object.fromEntries([...pages, ...padding]) };
}
