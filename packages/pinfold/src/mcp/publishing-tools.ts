import { randomUUID } from 'node:crypto';
import { packFiles } from '@pinfold/client/zip';
import { parseIdempotencyKey, parsePassword } from '@pinfold/core';
import { entryPath } from '@pinfold/core/internal';
import { FINDING_TEXTS } from '@pinfold/http/internal/texts';
import type { WireWarning } from '@pinfold/http-express/internal/problems';
import { CommandFailure, UsageError } from '../command-line/failures.ts';
import { pluralize } from '../command-line/print-list.ts';
import { explainRefusal } from '../publishing/explain-refusal.ts';
import { explainUnpackable, isPage, type PackedPath, packPage } from '../publishing/pack-path.ts';
import type { Publications } from '../publishing/publications.ts';
import { groupFindings } from '../publishing/refusal-text.ts';
import type { Roots } from './roots.ts';
import {
  type Arguments,
  formatPin,
  type Json,
  READS,
  result,
  schemaOf,
  string,
  stringOrNull,
  type Tool,
  type ToolContext,
  type ToolResult,
  warnIfOpen,
} from './tool.ts';

/** A file of a site whose content is in the arguments, for agents without a disk. */
export interface FileContent {
  readonly path: string;
  readonly content?: string;
  readonly base64?: string;
}

/** The arguments that contain the site; a call has exactly one of them. */
const CONTENT: Readonly<Record<'path' | 'html' | 'files', Json>> = {
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

const LEFT_OUT: Json = {
  type: 'array',
  items: { type: 'string' },
  description: 'Paths that were not packed.',
};

export const PUBLISHING_TOOLS: readonly Tool[] = [
  {
    name: 'publish',
    title: 'Publish a site',
    description:
      'Publishes a folder, a ZIP, a page or a list of files as a website, and answers with the URL to share. Its content never changes: publish a new version under the same name. It expires after some days.',
    input: {
      ...CONTENT,
      title: string('A title for the owner; viewers do not see it.'),
      password: stringOrNull(
        'Viewers need it to open the site. Absent or null: no password, even if the name showed a protected publication before.',
      ),
      name: string('A name whose URL always shows the newest publication under it: a to z, 0 to 9 and "-".'),
      idempotency_key: string(
        'The same key with the same content publishes once: to repeat a failed call, give its key.',
      ),
    },
    output: schemaOf('Publication', {
      idempotency_key: { type: 'string' },
      replayed: { type: 'boolean', description: 'Whether it was published before with this key.' },
      left_out: LEFT_OUT,
    }),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
    run: publish,
  },
  {
    name: 'check',
    title: 'Check a site',
    description: 'Checks what publish would send, and publishes nothing.',
    input: CONTENT,
    output: schemaOf('DryRun', { left_out: LEFT_OUT }),
    annotations: READS,
    run: async (args, { publications, roots }) => {
      const packed = await pack(args, roots);
      const checked = await publications.api
        .check(packed.bytes, { filename: packed.filename })
        .catch(explainFailure(args, packed, publications));
      const { file_count, size } = checked.archive;
      const summary = `It can be published: ${pluralize(file_count, 'file')}, ${pluralize(size, 'byte')}.`;
      return result([summary, ...formatWarnings(checked.warnings, args)], {
        ...checked,
        left_out: packed.leftOut,
      });
    },
  },
];

async function publish(args: Arguments, { publications, roots }: ToolContext): Promise<ToolResult> {
  const packed = await pack(args, roots);
  const { filename, bytes, leftOut } = packed;
  const { title, password, name, idempotency_key: idempotencyKey = randomUUID() } = args;
  checkSendable(idempotencyKey, password);
  const published = await publications
    .publish({
      filename,
      bytes,
      title: title ?? undefined,
      idempotencyKey,
      name,
      password: password ?? undefined,
    })
    .catch(explainFailure(args, packed, publications))
    .catch((error: unknown) => {
      if (!(error instanceof CommandFailure)) throw error;
      const json = {
        code: 'internal_error',
        detail: error.message,
        ...error.json,
        idempotency_key: idempotencyKey,
      };
      // Keeps the class, which decides whether the problem is retryable.
      const Failure = error.constructor as typeof CommandFailure;
      throw new Failure(error.message, { cause: error.cause, json });
    });
  const lines = [
    `${published.replayed ? 'It was published before' : 'Published'}: ${formatPin(published.pin)}`,
    ...(published.name ? [`Under its name: ${published.name.url}`] : []),
    ...(published.name?.pin === published.pin.id ? warnIfOpen(published.name.name, published.pin) : []),
    ...formatWarnings(published.warnings, args),
    ...(leftOut.length === 0 ? [] : [`Left out: ${leftOut.join(', ')}`]),
  ];
  return result(lines, { ...published, idempotency_key: idempotencyKey, left_out: leftOut });
}

/** Throws for texts that a header cannot carry, although JSON can. The service itself checks the lengths. */
function checkSendable(key: string, password: string | null | undefined): void {
  for (const parsed of [
    parseIdempotencyKey(key, { idempotencyKeyCharacters: Infinity }),
    parsePassword(password ?? null, { passwordMinCharacters: 0, passwordMaxBytes: Infinity }),
  ]) {
    if (typeof parsed === 'object' && parsed !== null) throw new UsageError(parsed.code, { cause: parsed });
  }
}

/** Returns a rejection handler that explains the refusal of an archive for this caller. */
function explainFailure(
  { path = '' }: Arguments,
  packed: PackedPath,
  { toFailure }: Publications,
): (error: unknown) => Promise<never> {
  return async (error) => {
    throw await explainRefusal(toFailure(error), path, packed);
  };
}

function formatWarnings(warnings: readonly WireWarning[], { path = '', html }: Arguments): readonly string[] {
  const isSinglePage = html !== undefined || isPage(path);
  const lines = groupFindings(warnings).map(
    ({ sentence, places }) => `Warning: ${[sentence, ...places].join('\n  ')}`,
  );
  const lacksFiles = isSinglePage && warnings.some(({ rule }) => rule === 'broken_reference');
  return lacksFiles ? [...lines, FINDING_TEXTS.page_alone.en] : lines;
}

async function pack({ path, html, files }: Arguments, roots: Roots): Promise<PackedPath> {
  const contents = [path, html, files].filter((content) => content !== undefined);
  if (contents.length !== 1) throw new UsageError('give exactly one of path, html and files');
  if (path !== undefined) return roots.pack(path);
  if (html !== undefined) return packPage('page', encode(html, 'html'));
  return { filename: 'site.zip', ...(await explainUnpackable(packFiles(readFiles(files ?? [])))) };
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
