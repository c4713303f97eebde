import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { DECLARED, entryPoints, exportsOf } from '../../scripts/public-exports.ts';
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
  const found = entryPoints().flatMap(({ module }) => exportedBy(module));
  return [...new Map(found.map((exported) => [`${exported.file}#${exported.name}`, exported])).values()];
}

function exportedBy(module: string): readonly Exported[] {
  return exportsOf(module).flatMap(({ name, isType, from }) => {
    if (from === undefined) return declarationOf(module, name);
    const found = from.startsWith('.') ? declarationOf(join(dirname(module), from), name) : [];
    return isType ? found.map((one) => ({ ...one, isCalled: false })) : found;
  });
}

/** The declaration of a name in a module, or in the one that it comes from. */
function declarationOf(module: string, name: string): readonly Exported[] {
  const text = readFileSync(module, 'utf8');
  const found = [...text.matchAll(DECLARED)].find(([, , declared]) => declared === name);
  if (found === undefined) return exportedBy(module).filter((exported) => exported.name === name);
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
