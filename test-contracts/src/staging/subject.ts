import type { Duration, StagedArchive, Staging } from '@pinfold/core';
import { AssertionError } from 'chai';
import type { ClauseTable, StoreSubject } from '../contract.ts';

/** The subject of the tests of a {@link Staging}. A peer is the same folder opened again, as after a restart. */
export interface StagingSubject extends StoreSubject<Staging> {
  /** The number of uploads in the folder, complete or not. */
  left(): Promise<number>;
  /** Puts files into the folder that are not uploads: with other names, and with names similar to an upload's. */
  strew(): Promise<void>;
  /** Advances the clock that was given to the staging; it starts at `START` of the fixtures. */
  advance(length: Duration): void;
}

/** More bytes than a staging keeps only in memory. */
export const LARGE = 100_000;

export type StagingClauses = ClauseTable<Staging, StagingSubject>;

/** A body in chunks of different lengths. */
export async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  let length = 1;
  for (let from = 0; from < bytes.length; from += length, length = (length * 7) % 65_521) {
    yield bytes.subarray(from, from + length);
  }
}

/** A body that yields some bytes and then fails. */
export async function* failing(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes.subarray(0, 1_000);
  throw new Error('broken');
}

/** A body that yields some bytes and then stalls; calls `stalled` when more bytes are requested. */
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

/** Receives bytes within the limit, in chunks of different lengths. */
export async function receive(staging: Staging, bytes: Uint8Array): Promise<StagedArchive> {
  const outcome = await staging.receive(inPieces(bytes), bytes.length);
  if (outcome.kind !== 'received') throw new AssertionError(`a body within the limit is ${outcome.kind}`);
  return outcome.archive;
}
