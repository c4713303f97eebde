import type { Duration, StagedArchive, Staging } from '@pinfold/core';
import { AssertionError } from 'chai';
import type { ClauseTable, StoreSubject } from '../contract.ts';

/** The subject of the tests of a {@link Staging}. A peer is the same folder opened again, as after a restart. */
export interface StagingSubject extends StoreSubject<Staging> {
  /** How many uploads lie in the folder, whole or not. */
  left(): Promise<number>;
  /** Leaves things in the folder that are no uploads: other names, names that are nearly an upload's. */
  strew(): Promise<void>;
  /** Moves on the clock that was given to the staging; it begins at `START` of the fixtures. */
  advance(length: Duration): void;
}

/** More bytes than a staging leaves in memory alone. */
export const LARGE = 100_000;

export type StagingClauses = ClauseTable<Staging, StagingSubject>;

/** A body that comes in pieces of uneven length. */
export async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  let length = 1;
  for (let from = 0; from < bytes.length; from += length, length = (length * 7) % 65_521) {
    yield bytes.subarray(from, from + length);
  }
}

/** A body that gives some bytes and then breaks. */
export async function* failing(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes.subarray(0, 1_000);
  throw new Error('broken');
}

/** A body that gives some bytes and then stalls; `stalled` is called when more bytes are requested. */
export async function* stalling(bytes: Uint8Array, stalled: () => void): AsyncGenerator<Uint8Array, void> {
  yield bytes;
  stalled();
  await new Promise<never>(() => {});
}

/** All bytes of a staged archive. */
export async function bytesOf(archive: StagedArchive): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of archive.open()) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Receives bytes whole. */
export async function receive(staging: Staging, bytes: Uint8Array): Promise<StagedArchive> {
  const outcome = await staging.receive(inPieces(bytes), bytes.length);
  if (outcome.kind !== 'received') throw new AssertionError(`a body within the limit is ${outcome.kind}`);
  return outcome.archive;
}
