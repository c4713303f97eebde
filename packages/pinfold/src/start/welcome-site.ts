import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Duration, days, hours, type Limits, minutes, seconds } from '@pinfold/core';
import { paletteOf } from '@pinfold/http';
import { strFromU8, strToU8, type Zippable, zipSync } from 'fflate';

/** Beside `src` and `dist` alike. */
const FOLDER = join(import.meta.dirname, '..', '..', 'welcome');

/** One instant for every file, so that the archive is the same at every start and on every node. */
const MODIFIED = new Date(2026, 0, 1);

/** What the style sheet uses. */
const PALETTE = paletteOf(
  ...([
    'page',
    'surface',
    'raised',
    'text',
    'quiet',
    'line',
    'accent',
    'accent-strong',
    'on-accent',
    'sans',
    'mono',
    'small',
    'large',
    'title',
    'radius',
    'shadow',
  ] as const),
);

const PAGES: Readonly<Record<string, string>> = { 'index.html': 'en', 'ja/index.html': 'ja' };

/** How long publications live here: what the welcome site's pages say. */
export type Lifetimes = Pick<Limits, 'lifetime' | 'renewal'>;

/** Packs the welcome site. */
export async function packWelcomeSite(lifetimes: Lifetimes): Promise<Uint8Array<ArrayBuffer>> {
  const entries = await readdir(FOLDER, { recursive: true, withFileTypes: true });
  const files: Zippable = {};
  for (const entry of entries.filter((candidate) => candidate.isFile())) {
    const file = join(entry.parentPath, entry.name);
    const path = file.slice(FOLDER.length + 1).replaceAll('\\', '/');
    const bytes = new Uint8Array(await readFile(file));
    const language = PAGES[path];
    if (path === 'style.css') files[path] = strToU8(PALETTE + strFromU8(bytes));
    else files[path] = language === undefined ? bytes : filledIn(bytes, lifetimes, language);
  }
  const sorted = Object.fromEntries(Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1)));
  return new Uint8Array(zipSync(sorted, { level: 9, mtime: MODIFIED }));
}

function filledIn(page: Uint8Array, { lifetime, renewal }: Lifetimes, language: string): Uint8Array {
  const text = strFromU8(page)
    .replace('{lifetime}', inWords(lifetime, language))
    .replace('{renewal}', inWords(renewal, language));
  return strToU8(text);
}

/** In days, or in a smaller unit when it is not even one of them. */
function inWords(length: Duration, language: string): string {
  const [unit, milliseconds] = UNITS.find(([, size]) => length >= size) ?? SECOND;
  const options = { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(language, options).format(length / milliseconds);
}

const SECOND = ['second', seconds(1)] as const;
const UNITS = [['day', days(1)], ['hour', hours(1)], ['minute', minutes(1)], SECOND] as const;
