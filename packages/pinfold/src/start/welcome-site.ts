import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type FileToPack, packFiles } from '@pinfold/client/zip';
import { type Duration, days, hours, type Limits, minutes, seconds } from '@pinfold/core';
import { paletteOf } from '@pinfold/http/internal';

/** Relative to `src` or `dist`, which are in the same folder. */
const FOLDER = join(import.meta.dirname, '..', '..', 'welcome');

const PAGES: Readonly<Record<string, string>> = { 'index.html': 'en', 'ja/index.html': 'ja' };

type Lifetimes = Pick<Limits, 'lifetime' | 'renewal'>;

/** Packs the welcome site; the archive is the same at every start and on every node. */
export async function packWelcomeSite(lifetimes: Lifetimes): Promise<Uint8Array<ArrayBuffer>> {
  const entries = await readdir(FOLDER, { recursive: true, withFileTypes: true });
  const files: FileToPack[] = [];
  for (const entry of entries.filter((candidate) => candidate.isFile())) {
    const file = join(entry.parentPath, entry.name);
    const path = file.slice(FOLDER.length + 1).replaceAll('\\', '/');
    const bytes = await readFile(file);
    const language = PAGES[path];
    if (path === 'style.css') files.push({ path, bytes: Buffer.from(paletteOf(String(bytes)) + bytes) });
    else files.push({ path, bytes: language === undefined ? bytes : fillIn(bytes, lifetimes, language) });
  }
  return (await packFiles(files)).bytes;
}

/** Inserts the lifetimes into a page. */
function fillIn(page: Buffer, { lifetime, renewal }: Lifetimes, language: string): Uint8Array {
  const text = page
    .toString()
    .replace('{lifetime}', formatDuration(lifetime, language))
    .replace('{renewal}', formatDuration(renewal, language));
  return Buffer.from(text);
}

/** Formats a duration in days, or in the largest smaller unit if it is shorter. */
function formatDuration(length: Duration, language: string): string {
  const [unit, milliseconds] = UNITS.find(([, size]) => length >= size) ?? SECOND;
  const options = { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(language, options).format(length / milliseconds);
}

const SECOND = ['second', seconds(1)] as const;
const UNITS = [['day', days(1)], ['hour', hours(1)], ['minute', minutes(1)], SECOND] as const;
