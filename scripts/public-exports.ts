// The exports of packages are a promise to their users: docs/public-exports.txt lists them, so that a change of it is seen in
// review. `node scripts/public-exports.ts` writes the list, and a test compares it. Entry points under `/internal` are
// for packages of the same release: semver does not cover them, and they are not listed.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const ALL_TYPES = /^export type \* from '([^']+)';/gm;
const PASSED_ON = /^export (type )?\{([^}]*)\}(?: from '([^']+)')?;/gm;

/** The declaration of an exported name: its kind, and the name. */
export const DECLARED: RegExp =
  /^export (?:declare )?(?:async )?(function|class|const|interface|type) (\w+)/gm;

/** The file that lists the exports. */
export const LIST: string = join(root, 'docs', 'public-exports.txt');

/** A name that a module exports. */
interface ExportedName {
  readonly name: string;
  readonly isType: boolean;
  /** The module that it comes from; undefined where this one declares it. */
  readonly from: string | undefined;
}

/** The entry points of all packages by name, such as `@pinfold/core/history`, and the module of each. */
export function entryPoints(): readonly { readonly name: string; readonly module: string }[] {
  const manifests = globSync('{packages/*,test-contracts}/package.json', { cwd: root }).sort();
  return manifests.flatMap((manifest) => {
    const { name, exports } = JSON.parse(readFileSync(join(root, manifest), 'utf8'));
    return Object.entries(exports as Record<string, string | Record<string, string>>).flatMap(
      ([path, target]) => {
        const source = typeof target === 'string' ? undefined : target['@pinfold/source'];
        if (source === undefined || path.startsWith('./internal')) return [];
        return [{ name: name + path.slice(1), module: join(root, dirname(manifest), source) }];
      },
    );
  });
}

/** The re-exports and the declarations of a module. */
export function exportsOf(module: string): readonly ExportedName[] {
  const source = readFileSync(module, 'utf8');
  if (/^export (?:\*|default)/m.test(source)) throw new Error('an entry point names what it exports');
  const passedOn = [...source.matchAll(PASSED_ON)].flatMap(([, allTypes, names = '', from]) =>
    names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '')
      .map((name) => {
        const isType = allTypes !== undefined || name.startsWith('type ');
        return { name: name.replace(/^type |^.* as /g, ''), isType, from };
      }),
  );
  const types = [...source.matchAll(ALL_TYPES)].flatMap(([, from = '']) =>
    exportsOf(join(dirname(module), from)).map(({ name }) => ({ name, isType: true, from })),
  );
  const declared = [...source.matchAll(DECLARED)].map(([, kind = '', name = '']) => {
    return { name, isType: kind === 'interface' || kind === 'type', from: undefined };
  });
  return [...passedOn, ...types, ...declared];
}

/** The names that each entry point exports, as the file lists them: in order of name, types with `type` before them. */
export function publicExports(): string {
  const entries = entryPoints().map(({ name: entryPoint, module }) => {
    const all = new Map(exportsOf(module).map(({ name, isType }) => [name, isType]));
    const names = [...all].sort(([one], [other]) => (one < other ? -1 : 1));
    return [entryPoint, ...names.map(([name, isType]) => `  ${isType ? 'type ' : ''}${name}`)].join('\n');
  });
  return `${entries.join('\n\n')}\n`;
}

if (process.argv[1] === import.meta.filename) writeFileSync(LIST, publicExports());
