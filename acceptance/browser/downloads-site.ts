import { gzipSync } from 'node:zlib';
import { strToU8, zipSync } from 'fflate';

export const TAR: Buffer = Buffer.from('the tides of a year '.repeat(5_000));
const DRAWING =
  '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><path d="M0 0h64v64H0z"/></svg>';
const DATABASE = Buffer.alloc(300_000, 'SQLite format 3 ');

/** Reads the database as sql.js-httpvfs does: its length by HEAD first, then parts. */
export const READ_PARTS: string = `(async () => {
  const head = await fetch('tides.sqlite', { method: 'HEAD' });
  const headers = { Range: 'bytes=4096-4111' };
  const part = await fetch('tides.sqlite', { headers });
  return JSON.stringify({
    length: head.headers.get('Content-Length'),
    ranges: head.headers.get('Accept-Ranges'),
    coding: head.headers.get('Content-Encoding'),
    status: part.status,
    bytes: await part.text(),
  });
})()`;

/** The result of {@link READ_PARTS}. */
export const PARTS = {
  length: String(DATABASE.length),
  ranges: 'bytes',
  coding: null,
  status: 206,
  bytes: 'SQLite format 3 ',
} as const;

const PAGE = `<!doctype html><a id="tgz" href="tides.tgz" download>tgz</a>
<a id="gz" href="tides.csv.gz" download>gz</a><img src="map.svgz">`;

/** A site with files that browsers save or read in parts; every file is deflated in its ZIP. */
export function downloadsSite(): Uint8Array<ArrayBuffer> {
  return zipSync({
    'index.html': strToU8(PAGE),
    'tides.tgz': gzipSync(TAR),
    'tides.csv.gz': gzipSync(TAR),
    'map.svgz': gzipSync(DRAWING),
    'tides.sqlite': DATABASE,
  });
}
