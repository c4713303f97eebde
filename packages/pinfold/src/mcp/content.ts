import { packFiles } from '@pinfold/client/zip';
import { entryPath } from '@pinfold/core/internal';
import { refuseRequest } from '@pinfold/http-express/internal/problems';
import { UsageError } from '../command-line/failures.ts';
import { type PackedPath, packPage } from '../publishing/pack.ts';
import type { Roots } from './roots.ts';
import { type Arguments, type Json, string } from './tool.ts';

/** A file of a site, as an agent without a disk gives it. */
export interface GivenFile {
  readonly path: string;
  readonly content?: string;
  readonly base64?: string;
}

/** Where the site comes from: one of these arguments. */
export const CONTENT: Readonly<Record<'path' | 'html' | 'files', Json>> = {
  path: string('A folder with an index.html, a .zip or an .html. Give exactly one of path, html and files.'),
  html: string('The source of a single page.'),
  files: {
    type: 'array',
    description: 'The files of a site, index.html among them.',
    items: {
      type: 'object',
      properties: {
        path: string('Its path in the site, such as css/main.css.'),
        content: string('Its text. Give either this or base64.'),
        base64: string('Its bytes.'),
      },
      required: ['path'],
      additionalProperties: false,
    },
  },
};

export const LEFT_OUT: Json = {
  type: 'array',
  items: { type: 'string' },
  description: 'Paths that were not packed.',
};

export async function pack({ path, html, files }: Arguments, roots: Roots): Promise<PackedPath> {
  const given = [path, html, files].filter((content) => content !== undefined);
  if (given.length !== 1) {
    const detail = 'Give exactly one of path, html and files.';
    throw new UsageError(detail, { cause: refuseRequest('invalid_request', { detail }) });
  }
  if (path !== undefined) return roots.pack(path);
  if (html !== undefined) return packPage('page', encoded(html, 'html'));
  return { filename: 'site.zip', ...(await packFiles(readFiles(files ?? []))) };
}

function readFiles(
  files: readonly GivenFile[],
): readonly { readonly path: string; readonly bytes: Uint8Array }[] {
  if (files.length === 0) throw new UsageError('files is empty: give index.html at least');
  const paths = new Set<string>();
  return files.map((file) => {
    const shown = JSON.stringify(file.path);
    if (entryPath(file.path) === undefined || !file.path.isWellFormed())
      throw new UsageError(
        `${shown} is no path of a file in a site: it must be relative, without "..", "\\", ":" and half characters`,
      );
    if (paths.has(file.path)) throw new UsageError(`${shown} is given twice`);
    paths.add(file.path);
    return { path: file.path, bytes: bytesOf(file, shown) };
  });
}

function bytesOf({ content, base64 }: GivenFile, shown: string): Uint8Array {
  if ((content === undefined) === (base64 === undefined))
    throw new UsageError(`${shown} needs exactly one of content and base64`);
  if (content !== undefined) return encoded(content, shown);
  const bytes = Buffer.from(base64 ?? '', 'base64');
  // Node decodes what it can, and leaves out the rest.
  if (bytes.toString('base64') !== base64) throw new UsageError(`the base64 of ${shown} is not valid`);
  return bytes;
}

/** As UTF-8, which has no form for half of a surrogate pair: it would become another character. */
function encoded(text: string, shown: string): Uint8Array {
  if (text.isWellFormed()) return new TextEncoder().encode(text);
  throw new UsageError(`${shown} has half of a character (a lone surrogate): give the whole character`);
}
