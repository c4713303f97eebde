import { createHash } from 'node:crypto';
import type { OpenArchiveOutcome } from '@pinfold/core';
import { MAX_READ } from '@pinfold/core/adapter';
import { CommandFailure } from '../command-line/failures.ts';
import { expectAccepted } from '../publishing/refusal-text.ts';

/** The ZIP of a publication as it was uploaded, for reading. */
export interface Original {
  readonly pieces: AsyncIterable<Uint8Array>;
  /** In hexadecimal digits; undefined if the answer had no ETag. */
  readonly sha256: string | undefined;
}

/** Reads the archive that a use case opened. */
export function toOriginal(outcome: OpenArchiveOutcome): Original {
  const archive = expectAccepted(outcome);
  async function* pieces(): AsyncGenerator<Uint8Array, void> {
    for (let from = 0; from < archive.size; from += MAX_READ) {
      yield expectAccepted(await archive.read(from, Math.min(MAX_READ, archive.size - from))).bytes;
    }
  }
  return { pieces: pieces(), sha256: archive.publication.sha256 };
}

export interface CheckedBytes {
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Yields the bytes of a ZIP, and checks their SHA-256 at the end.
 *
 * @throws CommandFailure if they differ from the published ones.
 */
export async function* checkedPieces(
  { pieces, sha256: expected }: Original,
  onChecked: (checked: CheckedBytes) => void,
): AsyncGenerator<Uint8Array, void> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of pieces) {
    hash.update(piece);
    bytes += piece.length;
    yield piece;
  }
  const sha256 = hash.digest('hex');
  if (expected !== undefined && sha256 !== expected) {
    throw new CommandFailure(
      `the ZIP differs from the published one: its SHA-256 is ${sha256}, not ${expected}`,
      'unreadable',
    );
  }
  onChecked({ bytes, sha256 });
}
