import { crc32, deflateRawSync } from 'node:zlib';
import type { EntryPath, ManifestEntry, Open, Publication, RoleId } from '@pinfold/core';
import { Semaphore } from '@pinfold/core/adapter';
import { UnavailableError } from '@pinfold/http/internal';
import { createManualClock } from '@pinfold/test-contracts/fixtures';
import { CircuitBreaker } from '../src/sending/circuit-breaker.ts';
import { SiteFile } from '../src/sending/file-answer.ts';
import type { ReadingTools } from '../src/sending/pieces.ts';

export const PUBLICATION = {} as Publication;

/** A file of a site, and its bytes in the archive, at the archive's start unless another offset is given. */
export function storedFile(content: Uint8Array, method: ManifestEntry['method'] = 'deflated', offset = 0) {
  const bytes = method === 'stored' ? content : deflateRawSync(content);
  const entry: ManifestEntry = {
    path: 'tide.txt' as EntryPath,
    offset,
    compressedSize: bytes.length,
    size: content.length,
    method,
    crc32: crc32(content),
    utf8: true,
  };
  const file = new SiteFile('id' as RoleId, entry);
  const formOf = (gzip: boolean) => file.form(gzip, { index: 0, headers: [] });
  return { bytes, entry, file, formOf };
}

/** A number of places for inflating files, and of clients that may wait for one. */
export function turnsOf(places: number, queue: number): Semaphore<string> {
  return new Semaphore({ places, queue, overloaded: () => new UnavailableError(2) });
}

/** The tools for sending a body, with a storage that reads with the given function. */
export function toolsOver(
  read: (...input: never) => Promise<unknown>,
  replaced: Partial<ReadingTools> = {},
): ReadingTools {
  return {
    open: { read } as unknown as Open,
    breaker: new CircuitBreaker(createManualClock()),
    turns: turnsOf(1, 1),
    ...replaced,
  };
}
