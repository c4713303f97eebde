import type { DirectoryEntry } from '@pinfold/archive-zip/listing';
import { archiveError, type WireError } from '@pinfold/http-express/internal/problems';
import { CommandFailure } from '../command-line/failures.ts';
import { escapeControls } from '../command-line/terminal.ts';
import type { ZipToSend } from './pack.ts';

const MAX_SHOWN = 3;

/**
 * Adds the size and the largest files to a refusal of a ZIP for its size; returns other errors unchanged. The server
 * does not know them, because it stops reading at the limit.
 */
export async function explainTooLarge(error: unknown, { bytes }: Pick<ZipToSend, 'bytes'>): Promise<unknown> {
  if (!(error instanceof CommandFailure) || error.json?.code !== 'archive_too_large') return error;
  const [{ limit } = {}] = (error.json.errors ?? []) as readonly Partial<WireError>[];
  if (limit === undefined) return error;
  const problem = archiveError({ rule: 'archive_too_large', limit, actual: bytes.length });
  const largest = await findLargest(bytes);
  const heading = largest.length === 0 ? '' : ' The largest files in it, as packed:';
  const lines = [
    `${error.message}\n  It has ${bytes.length} bytes.${heading}`,
    ...largest.map(({ name, compressedSize }) => `    ${escapeControls(name)}: ${compressedSize} bytes`),
  ];
  const json = { ...error.json, detail: problem.detail, errors: [problem] };
  return new CommandFailure(lines.join('\n'), { cause: error.cause, json });
}

async function findLargest(
  bytes: Uint8Array,
): Promise<readonly Pick<DirectoryEntry, 'name' | 'compressedSize'>[]> {
  // Loaded on demand: nothing else in the command reads a ZIP.
  const { readListing } = await import('@pinfold/archive-zip/listing');
  const readAt = (position: number, length: number) => bytes.subarray(position, position + length);
  const { entries } = await readListing({ size: bytes.length, readAt });
  return entries
    .filter(({ compressedSize }) => compressedSize > bytes.length / 100)
    .sort((one, other) => other.compressedSize - one.compressedSize)
    .slice(0, MAX_SHOWN);
}
