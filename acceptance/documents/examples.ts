import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { root } from './pages.ts';

/** A name that a package exports, with the `@example` of its comment. */
export interface Exported {
  readonly name: string;
  /** Whether it is a function or a class. */
  readonly isCalled: boolean;
  readonly file: string;
  readonly line: number;
  readonly isDocumented: boolean;
  readonly example: string | undefined;
}

/** Every name that packages export, each once; entry points under `/internal` are left out. */
export function exportedNames(): readonly Exported[] {
  const packages = globSync('{packages/*,test-contracts}/package.json', { cwd: root }).sort();
  const barrels = packages.flatMap((file) => barrelsOf(join(root, file)));
  const found = barrels.flatMap((barrel) => exportsOf(barrel));
  return [...new Map(found.map((exported) => [`${exported.file}#${exported.name}`, exported])).values()];
}

function barrelsOf(manifest: string): readonly string[] {
  const { exports = {} }: { exports?: Readonly<Record<string, unknown>> } = JSON.parse(
    readFileSync(manifest, 'utf8'),
  );
  return Object.entries(exports)
    .filter(([path]) => !path.startsWith('./internal'))
    .map(([, paths]) => (paths as { readonly '@pinfold/source'?: string })['@pinfold/source'])
    .filter((path) => path !== undefined)
    .map((path) => join(dirname(manifest), path));
}

/** What a module declares and passes on. */
function exportsOf(module: string): readonly Exported[] {
  const text = readFileSync(module, 'utf8');
  const declared = [...text.matchAll(DECLARATION)].flatMap(([, , name = '']) => declarationOf(module, name));
  const passedOn = [...text.matchAll(/^export (type )?\{([^}]*)\} from '(\.[^']+)';/gm)].flatMap(
    ([, allTypes, names = '', from = '']) =>
      names.split(',').flatMap((part) => {
        const [, ofType, name = ''] = /^\s*(type )?(\w+)\s*$/.exec(part) ?? [];
        const found = declarationOf(join(dirname(module), from), name);
        return allTypes || ofType ? found.map((one) => ({ ...one, isCalled: false })) : found;
      }),
  );
  return [...declared, ...passedOn];
}

const DECLARATION = /^export (async function|function|class|const|interface|type) (\w+)/gm;

/** The declaration of a name in a module, or in the one that it comes from. */
function declarationOf(module: string, name: string): readonly Exported[] {
  const text = readFileSync(module, 'utf8');
  const found = [...text.matchAll(DECLARATION)].find(([, , declared]) => declared === name);
  if (found === undefined) return exportsOf(module).filter((exported) => exported.name === name);
  const before = text.slice(0, found.index);
  const comment = /\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n$/.exec(before);
  const file = relative(root, module);
  const example = comment === null ? undefined : exampleIn(comment[0]);
  return [
    {
      name,
      isCalled: /function|class/.test(found[1] ?? ''),
      file,
      line: before.split('\n').length,
      isDocumented: comment !== null,
      example,
    },
  ];
}

/** The code below a comment's `@example`, up to the next tag or its end. */
export function exampleIn(comment: string): string | undefined {
  const text = comment
    .replace(/^\/\*\*/, '')
    .replace(/\*\/\s*$/, '')
    .replaceAll(/\n[ \t]*\*[ ]?/g, '\n');
  return /^@example\n((?:(?!^@)[\s\S])*)/m.exec(text)?.[1]?.trim();
}
