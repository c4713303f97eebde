import type { OriginNeed } from '@pinfold/core';

export interface ScriptFindings {
  /** Whether a script registers a service worker. */
  readonly serviceWorker: boolean;
  readonly originNeeds: readonly OriginNeed[];
}

const PAGE = /\.html?$/i;
const SCRIPT = /\.[cm]?js$/i;

/** A script as text, or as bytes in any encoding that includes ASCII, which are much faster to search. */
export type Script = string | Buffer;

/** Matches the text after `serviceWorker` in a registration. The number of spaces is bounded, so it takes linear time. */
const REGISTERS = /^\s{0,9}\??\.\s{0,9}register\s{0,9}\(/;
/** Longer than what {@link REGISTERS} can match. */
const AFTER_WORKER = 64;
const STARTS_WORKER = /\bnew\s{1,9}(?:[\w.]{1,30}\.)?(?:Shared)?Worker$/;
/** Longer than what {@link STARTS_WORKER} can match. */
const BEFORE_WORKER = 64;
/** Parts of names to search for: with a rare first letter, and short, since V8 then uses memchr. */
const STORE_HINTS = [
  { hint: 'Storag', names: ['localStorage', 'sessionStorage'] },
  { hint: 'DB', names: ['indexedDB'] },
  { hint: 'kie', names: ['document.cookie', 'cookieStore'] },
  { hint: 'hes.', names: ['open', 'match', 'keys', 'has', 'delete'].map((name) => `caches.${name}`) },
] as const;
/** Room for `globalThis.` and the character before it. */
const BEFORE_NAME = 12;
const GLOBAL = /(?<![\w$.])(?:window|self|globalThis)\.$/;
const WORKER_HINT = 'Worker';
/** Matches every script that may have findings. */
export const SCRIPT_HINT: RegExp = new RegExp(
  [WORKER_HINT, ...STORE_HINTS.map(({ hint }) => hint)].join('|'),
);
/** Characters before a finding that are searched for the beginning of a comment: lines of minified scripts are long. */
const BEFORE_COMMENTED = 256;
const COMMENT = /^\s*(?:\/\/|\/\*|\*\s)/;

/** Whether a file is HTML by its name. */
export function isPage(path: string): boolean {
  return PAGE.test(path);
}

export function isScript(path: string): boolean {
  return SCRIPT.test(path);
}

/** Searches scripts for service workers, and for features that need an origin of the site's own. */
export function findInScripts(scripts: readonly Script[]): ScriptFindings {
  const needs: OriginNeed[] = [];
  if (scripts.some(usesStorage)) needs.push('storage');
  const workers = scripts.map(workersIn);
  if (workers.some(({ starts }) => starts)) needs.push('worker');
  return { serviceWorker: workers.some(({ registers }) => registers), originNeeds: needs };
}

function usesStorage(script: Script): boolean {
  return STORE_HINTS.some(({ hint, names }) => {
    for (let at = script.indexOf(hint); at !== -1; at = script.indexOf(hint, at + 1)) {
      if (names.some((name) => isNameAt(script, at - name.indexOf(hint), name)) && !isInComment(script, at))
        return true;
    }
    return false;
  });
}

function isNameAt(script: Script, start: number, name: string): boolean {
  const found = partOf(script, start, start + name.length + 1);
  if (start < 0 || !found.startsWith(name)) return false;
  const before = partOf(script, start - BEFORE_NAME, start);
  if (isWord(before.at(-1)) || isWord(found[name.length])) return false;
  // Other objects of scripts are often called `caches`, too.
  return !name.startsWith('caches') || !before.endsWith('.') || GLOBAL.test(before);
}

/** Whether the line begins as a comment. A comment after code cannot be distinguished from a URL in a string. */
function isInComment(script: Script, at: number): boolean {
  const before = partOf(script, at - BEFORE_COMMENTED, at);
  const start = before.lastIndexOf('\n') + 1;
  const isWholeLine = start > 0 || at <= BEFORE_COMMENTED;
  const line = before.slice(start);
  return isWholeLine && COMMENT.test(line) && !line.includes('*/');
}

function partOf(script: Script, from: number, to: number): string {
  const start = Math.max(0, from);
  return typeof script === 'string' ? script.slice(start, to) : script.toString('latin1', start, to);
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /[\w$]/.test(character);
}

function workersIn(script: Script): { readonly starts: boolean; readonly registers: boolean } {
  let starts = false;
  let registers = false;
  for (let at = script.indexOf(WORKER_HINT); at !== -1; at = script.indexOf(WORKER_HINT, at + 1)) {
    const end = at + WORKER_HINT.length;
    const before = partOf(script, at - BEFORE_WORKER, end);
    const after = partOf(script, end, end + AFTER_WORKER);
    registers ||= before.endsWith('serviceWorker') && REGISTERS.test(after) && !isInComment(script, at);
    starts ||= !isWord(after[0]) && STARTS_WORKER.test(before) && !isInComment(script, at);
  }
  return { starts, registers };
}
