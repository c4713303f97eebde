import { packFiles } from '@pinfold/client/zip';
import { entryPath } from '@pinfold/core/internal';
import { refuseRequest } from '@pinfold/http-express/internal/problems';
import { UsageError } from '../command-line/failures.ts';
import { explainTooLarge, type PackedPath, packPage } from '../publishing/pack.ts';
import type { Roots } from './roots.ts';
import { type Arguments, type Json, string } from './tool.ts';

/** A file of a site whose content is in the arguments, for agents without a disk. */
export interface FileContent {
  readonly path: string;
  readonly content?: string;
  readonly base64?: string;
}

/** The arguments that contain the site; a call has exactly one of them. */
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
  const contents = [path, html, files].filter((content) => content !== undefined);
  if (contents.length !== 1) {
    const detail = 'Give exactly one of path, html and files.';
    throw new UsageError(detail, { cause: refuseRequest('invalid_request', { detail }) });
  }
  if (path !== undefined) return roots.pack(path);
  if (html !== undefined) return packPage('page', encode(html, 'html'));
  return { filename: 'site.zip', ...(await explainTooLarge(packFiles(readFiles(files ?? [])))) };
}

function readFiles(
  files: readonly FileContent[],
): readonly { readonly path: string; readonly bytes: Uint8Array }[] {
  if (files.length === 0) throw new UsageError('files is empty: give index.html at least');
  const paths = new Set<string>();
  return files.map((file) => {
    const quotedPath = JSON.stringify(file.path);
    if (entryPath(file.path) === undefined || !file.path.isWellFormed())
      throw new UsageError(
        `${quotedPath} is not a path of a file in a site: it must be relative, without "..", "\\", ":" and lone surrogates`,
      );
    if (paths.has(file.path)) throw new UsageError(`${quotedPath} is given twice`);
    paths.add(file.path);
    return { path: file.path, bytes: readBytes(file, quotedPath) };
  });
}

function readBytes({ content, base64 }: FileContent, quotedPath: string): Uint8Array {
  if ((content === undefined) === (base64 === undefined))
    throw new UsageError(`${quotedPath} needs exactly one of content and base64`);
  if (content !== undefined) return encode(content, quotedPath);
  const bytes = Buffer.from(base64 ?? '', 'base64');
  // Node's decoder skips invalid characters.
  if (bytes.toString('base64') !== base64) throw new UsageError(`the base64 of ${quotedPath} is not valid`);
  return bytes;
}

/** Encodes a text as UTF-8. Throws for a lone surrogate, which UTF-8 would replace with another character. */
function encode(text: string, quotedPath: string): Uint8Array {
  if (text.isWellFormed()) return new TextEncoder().encode(text);
  throw new UsageError(`${quotedPath} has half of a character (a lone surrogate): give the whole character`);
}
