import type { OriginNeed } from '@pinfold/core';

/** Findings in a script, or in the scripts of a page. */
export interface ScriptFindings {
  /** Whether one registers a service worker. */
  readonly serviceWorker: boolean;
  readonly originNeeds: readonly OriginNeed[];
}

const PAGE = /\.html?$/i;
const SCRIPT = /\.[cm]?js$/i;
const NOTHING: ScriptFindings = { serviceWorker: false, originNeeds: [] };

/** Follows the name in a registration. The number of spaces is bounded, so that every text takes linear time. */
const REGISTERS = /\s{0,9}\??\.\s{0,9}register\s{0,9}\(/y;
const STARTS_WORKER = /\bnew\s{1,9}(?:[\w.]{1,30}\.)?(?:Shared)?Worker$/;
/** Longer than what {@link STARTS_WORKER} can match. */
const BEFORE_WORKER = 64;
/** Names that begin a search with a letter that is rare in scripts: V8 finds those of less than seven characters with memchr. */
const STORE_HINTS = [
  { hint: 'Storag', names: ['localStorage', 'sessionStorage'] },
  { hint: 'DB', names: ['indexedDB'] },
  { hint: 'kie', names: ['document.cookie', 'cookieStore'] },
  { hint: 'aches.', names: ['open', 'match', 'keys', 'has', 'delete'].map((name) => `caches.${name}`) },
] as const;
const GLOBAL = /(?<![\w$.])(?:window|self|globalThis)\.$/;
const WORKER_HINT = 'Worker';
/** Data for scripts, which no browser runs. */
const DATA =
  /^<script\b[^>]{0,500}\btype\s{0,9}=\s{0,9}["']?\s{0,9}(?:application\/(?:ld\+)?json|importmap|speculationrules|text\/(?!javascript|ecmascript|babel))/i;

/** Whether a file is searched for references as a page is. */
export function isPage(path: string): boolean {
  return PAGE.test(path);
}

export function isScript(path: string): boolean {
  return SCRIPT.test(path);
}

/** Searches a script, or the scripts of a page, for what a site may not have or may not find where it is shown. */
export function findInScripts(path: string, text: string): ScriptFindings {
  if (isScript(path)) return findIn([text]);
  // A page may show such a line to its readers: only scripts run.
  return isPage(path) ? findIn(scriptsIn(text)) : NOTHING;
}

function findIn(scripts: readonly string[]): ScriptFindings {
  const needs: OriginNeed[] = [];
  if (scripts.some(usesStorage)) needs.push('storage');
  const workers = scripts.map(workersIn);
  if (workers.some(({ starts }) => starts)) needs.push('worker');
  return { serviceWorker: workers.some(({ registers }) => registers), originNeeds: needs };
}

function usesStorage(script: string): boolean {
  return STORE_HINTS.some(({ hint, names }) => {
    for (let at = script.indexOf(hint); at !== -1; at = script.indexOf(hint, at + 1)) {
      if (names.some((name) => isNameAt(script, at - name.indexOf(hint), name))) return true;
    }
    return false;
  });
}

function isNameAt(script: string, start: number, name: string): boolean {
  if (start < 0 || !script.startsWith(name, start)) return false;
  if (isWord(script[start - 1]) || isWord(script[start + name.length])) return false;
  // Programs often have caches of their own.
  return (
    !name.startsWith('caches') ||
    script[start - 1] !== '.' ||
    GLOBAL.test(script.slice(Math.max(0, start - 12), start))
  );
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /[\w$]/.test(character);
}

function workersIn(script: string): { readonly starts: boolean; readonly registers: boolean } {
  let starts = false;
  let registers = false;
  for (let at = script.indexOf(WORKER_HINT); at !== -1; at = script.indexOf(WORKER_HINT, at + 1)) {
    const end = at + WORKER_HINT.length;
    REGISTERS.lastIndex = end;
    registers ||= script.endsWith('serviceWorker', end) && REGISTERS.test(script);
    starts ||= !isWord(script[end]) && STARTS_WORKER.test(script.slice(Math.max(0, at - BEFORE_WORKER), end));
  }
  return { starts, registers };
}

function scriptsIn(html: string): readonly string[] {
  const scripts: string[] = [];
  for (let from = html.indexOf('<script'); from !== -1; ) {
    const end = html.indexOf('</script', from);
    const script = html.slice(from, end === -1 ? undefined : end);
    if (!DATA.test(script)) scripts.push(script);
    from = end === -1 ? -1 : html.indexOf('<script', end);
  }
  return scripts;
}
