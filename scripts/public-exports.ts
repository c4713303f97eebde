// What packages export is a promise to their users: docs/public-exports.txt lists it, so that a change of it is seen in
// review. `node scripts/public-exports.ts` writes the list, and a test compares it. Entry points under `/internal` are
// for packages of the same release: semver does not cover them, and they are not listed.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const FROM = /^export (type )?\{([^}]*)\}(?: from '[^']+')?;/gm;
const DECLARED = /^export (?:declare )?(?:async )?(function|class|const|interface|type) (\w+)/gm;

/** The file that lists the exports. */
export const LIST: string = join(root, 'docs', 'public-exports.txt');

/** The names that each entry point of each package exports, as the file lists them. */
export function publicExports(): string {
  const manifests = globSync('{packages/*,test-contracts}/package.json', { cwd: root }).sort();
  return `${manifests.flatMap((file) => entriesOf(join(root, file))).join('\n\n')}\n`;
}

function entriesOf(manifest: string): readonly string[] {
  const { name, exports } = JSON.parse(readFileSync(manifest, 'utf8'));
  return Object.entries(exports as Record<string, string | Record<string, string>>).flatMap(
    ([path, target]) => {
      const source = typeof target === 'string' ? undefined : target['@pinfold/source'];
      if (source === undefined || path.startsWith('./internal')) return [];
      const names = namesIn(readFileSync(join(dirname(manifest), source), 'utf8'));
      return [[name + path.slice(1), ...names.map((exported) => `  ${exported}`)].join('\n')];
    },
  );
}

/** Values by their names, and types with `type` before them, in order of name. */
function namesIn(source: string): readonly string[] {
  if (/^export (?:\*|default)/m.test(source)) throw new Error('an entry point names what it exports');
  const passedOn = [...source.matchAll(FROM)].flatMap(([, allTypes, names = '']) =>
    names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '')
      .map((name) => {
        const isType = allTypes !== undefined || name.startsWith('type ');
        return [name.replace(/^type |^.* as /g, ''), isType] as const;
      }),
  );
  const declared = [...source.matchAll(DECLARED)].map(
    ([, kind = '', name = '']) => [name, kind === 'interface' || kind === 'type'] as const,
  );
  const all = new Map([...passedOn, ...declared]);
  return [...all]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, isType]) => (isType ? `type ${name}` : name));
}

if (process.argv[1] === import.meta.filename) writeFileSync(LIST, publicExports());
