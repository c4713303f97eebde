import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import { peerFolder } from './peers.ts';

/** The files of a site by path. */
export type Site = Readonly<Record<string, Uint8Array<ArrayBuffer>>>;

/** A real site: a 0.7 KB page, a stylesheet of 28 KB and a script of 0.5 MB when compressed; 1.2 MB in 15 files. */
export async function swaggerSite(): Promise<Site> {
  const folder = peerFolder('swagger-ui-dist');
  const names = (await readdir(folder)).filter((name) => /\.(?:html|css|js|png)$/.test(name));
  const files = names.map(
    async (name) => [name, new Uint8Array(await readFile(join(folder, name)))] as const,
  );
  return Object.fromEntries(await Promise.all(files));
}

/** A site of small pages, each with a different text. */
export function smallPages(count: number): Site {
  const page = (n: number) =>
    `<!doctype html><html lang="en"><title>Page ${n}</title><p>${words(n, 400)}</p><a href="/p${n + 1}.html">on</a>`;
  const pages = Array.from({ length: count - 1 }, (_, n) => [`p${n}.html`, page(n)] as const);
  const all = [['index.html', page(count)] as const, ...pages];
  return Object.fromEntries(all.map(([name, text]) => [name, new TextEncoder().encode(text)]));
}

/** Files that make an archive of about `archiveBytes` and expand to `expandedBytes`. */
export function filledSite(count: number, archiveBytes: number, expandedBytes: number): Site {
  const noise = Math.floor(archiveBytes / count) - 200;
  const text = Math.floor(expandedBytes / count) - noise;
  const files = Array.from({ length: count }, (_, n) => {
    const bytes = new Uint8Array(noise + text);
    bytes.set(randomBytes(n, noise));
    bytes.fill(97 + (n % 20), noise);
    return [n === 0 ? 'index.html' : `assets/file-${n}.bin`, bytes] as const;
  });
  return Object.fromEntries(files);
}

/** The site as the ZIP that people would upload. */
export function zipOf(site: Site): Uint8Array<ArrayBuffer> {
  return zipSync(site, { level: 9, mtime: '2026-01-01' });
}

/** The site as a folder, each file with its compressed copy, as the peers serve it. */
export async function writeSite(site: Site, folder: string): Promise<void> {
  for (const [name, bytes] of Object.entries(site)) {
    const file = join(folder, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes);
    await writeFile(`${file}.gz`, gzipSync(bytes, { level: 9 }));
  }
}

/** Words that compress like those of a page. */
function words(seed: number, count: number): string {
  const next = generator(seed);
  return Array.from({ length: count }, () => (next() % 5_000).toString(36)).join(' ');
}

function randomBytes(seed: number, length: number): Uint8Array {
  const next = generator(seed + 1);
  return Uint8Array.from({ length }, () => next() & 0xff);
}

/** Marsaglia's xorshift: the same numbers on every machine. */
function generator(seed: number): () => number {
  let state = (seed * 2_654_435_761 + 88_172_645) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state >>> 8;
  };
}
