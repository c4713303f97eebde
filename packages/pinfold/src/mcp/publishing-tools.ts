import { randomUUID } from 'node:crypto';
import { parseIdempotencyKey, parsePassword } from '@pinfold/core';
import { FINDING_TEXTS } from '@pinfold/http/internal/texts';
import type { WireWarning } from '@pinfold/http-express/internal/problems';
import { CommandFailure, UsageError } from '../command-line/failures.ts';
import { pluralize } from '../command-line/print-list.ts';
import { groupFindings } from '../publishing/finding-groups.ts';
import { explainMissingIndex } from '../publishing/missing-index.ts';
import { isPage, type ZipToSend } from '../publishing/pack.ts';
import type { Publications } from '../publishing/publications.ts';
import { explainTooLarge } from '../publishing/too-large.ts';
import { CONTENT, LEFT_OUT, pack } from './content.ts';
import {
  type Arguments,
  formatPin,
  READS,
  result,
  schemaOf,
  string,
  stringOrNull,
  type Tool,
  type ToolContext,
  warnIfOpen,
} from './tool.ts';
import type { ToolResult } from './tool-error.ts';

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
      const { leftOut, folder, ...packed } = await pack(args, roots);
      const { bytes, filename } = packed;
      const checked = await publications.api
        .check(bytes, { filename })
        .catch(explainFailure(args, { folder, ...packed }, publications));
      const { file_count, size } = checked.archive;
      const summary = `It can be published: ${pluralize(file_count, 'file')}, ${pluralize(size, 'byte')}.`;
      return result([summary, ...formatWarnings(checked.warnings, args)], {
        ...checked,
        left_out: leftOut,
      });
    },
  },
];

async function publish(args: Arguments, { publications, roots }: ToolContext): Promise<ToolResult> {
  const { leftOut, folder, ...packed } = await pack(args, roots);
  const { title, password, name, idempotency_key: idempotencyKey = randomUUID() } = args;
  checkSendable(idempotencyKey, password);
  const published = await publications
    .publish({ ...packed, title: title ?? undefined, idempotencyKey, name, password: password ?? undefined })
    .catch(explainFailure(args, { folder, ...packed }, publications))
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

/** Returns a rejection handler that explains a missing index.html, or the size of the site, for this caller. */
function explainFailure(
  { path }: Arguments,
  { folder, ...packed }: ZipToSend & { readonly folder: string | undefined },
  { toFailure }: Publications,
): (error: unknown) => Promise<never> {
  return async (error) => {
    const failure = await explainTooLarge(toFailure(error), packed);
    throw path === undefined || folder === undefined
      ? failure
      : await explainMissingIndex(failure, path, folder);
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
