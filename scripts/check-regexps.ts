// `npm run check:regexps`: a regular expression whose time grows with the square of its text lets a caller block
// everyone. Recheck searches for such a text, for each literal of the packages and of the files that users copy.
import { globSync, readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { parse, type Token } from 'acorn';
import { transform } from 'esbuild';
import type { Diagnostics } from 'recheck';

const root = join(import.meta.dirname, '..');
const SOURCES = [
  'packages/*/{src,browser}/**/*.ts',
  'test-contracts/src/**/*.ts',
  'examples/**/*.ts',
  'deploy/**/*.mjs',
];
const LEFT_OUT = ['**/node_modules/**', '**/*.spec.ts', '**/*.d.ts'];
/** Milliseconds for one expression. Recheck gives up on a few that are linear, mostly those with large counts. */
const TIMEOUT = 10_000;

/** The literals of a source, each once. */
export async function regexpsIn(source: string): Promise<ReadonlySet<string>> {
  const { code } = await transform(source, { loader: 'ts', target: 'esnext' });
  const found = new Set<string>();
  const onToken = (token: Token): void => {
    const value: unknown = 'value' in token ? token.value : undefined;
    if (isLiteral(value)) found.add(`/${value.pattern}/${value.flags}`);
  };
  parse(code, { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true, onToken });
  return found;
}

function isLiteral(value: unknown): value is { readonly pattern: string; readonly flags: string } {
  return typeof value === 'object' && value !== null && 'pattern' in value && 'flags' in value;
}

/** The verdict of Recheck on a literal: `safe`, `vulnerable`, or `unknown` when it ran out of time. */
export async function judge(literal: string): Promise<Diagnostics> {
  // Its other backends are a native program and a Java program of 50 MB.
  process.env.RECHECK_BACKEND = 'pure';
  const { check } = await import('recheck');
  const end = literal.lastIndexOf('/');
  return check(literal.slice(1, end), literal.slice(end + 1), { timeout: TIMEOUT });
}

if (import.meta.main) {
  const files = globSync(SOURCES, {
    cwd: root,
    exclude: (path) => LEFT_OUT.some((left) => matchesGlob(path, left)),
  });
  const places = new Map<string, string[]>();
  for (const file of files)
    for (const literal of await regexpsIn(readFileSync(join(root, file), 'utf8')))
      places.set(literal, [...(places.get(literal) ?? []), file]);
  const unjudged: string[] = [];
  for (const [literal, where] of places) {
    const found = await judge(literal);
    if (found.status === 'unknown') unjudged.push(literal);
    if (found.status !== 'vulnerable') continue;
    process.exitCode = 1;
    console.log(
      `${where.join(', ')}: ${literal} takes ${found.complexity.summary} time for ${found.attack.pattern}`,
    );
  }
  console.log(
    `${places.size} regular expressions; out of time for ${unjudged.length}: ${unjudged.join('  ')}`,
  );
}
