import { createHash } from 'node:crypto';
import {
  type ArchiveId,
  type ArchiveStorage,
  type Instant,
  isFault,
  type Role,
  type RoleId,
  type RoleStore,
  type Sha256,
  stateOf,
} from '@pinfold/core';
import { MAX_READ } from '@pinfold/core/adapter';
import type { MovedRecord } from '@pinfold/core/moving';
import { CommandFailure } from '../command-line/failures.ts';

export interface MovingArchive {
  readonly id: ArchiveId;
  readonly pieces: readonly Uint8Array[];
  readonly bytes: number;
  readonly sha256: Sha256;
}

export interface NamedArchive {
  readonly archive: ArchiveId;
  readonly pin: RoleId;
  readonly sha256: Sha256;
}

export function archiveIn({ kind, value }: MovedRecord): NamedArchive | undefined {
  if (kind !== 'publication' || value.manifest === null) return undefined;
  return { archive: value.archive, pin: value.id, sha256: value.sha256 };
}

/** A publication in service whose record says that its archive was removed. */
export function removedIn({ kind, value }: MovedRecord, now: Instant): NamedArchive | undefined {
  if (kind !== 'publication' || value.manifest !== null || !isInService(value, now)) return undefined;
  return { archive: value.archive, pin: value.id, sha256: value.sha256 };
}

/** Whether a publication is in service, and the records do not name its archive. */
export async function lacksArchive(
  roles: Pick<RoleStore, 'load' | 'whichAreNamed'>,
  { archive, pin }: Pick<NamedArchive, 'archive' | 'pin'>,
  now: Instant,
): Promise<boolean> {
  return (
    isInService((await roles.load(pin))?.value, now) && !(await roles.whichAreNamed([archive])).has(archive)
  );
}

export function isInService(role: Pick<Role, 'deletedAt' | 'expiresAt'> | undefined, now: Instant): boolean {
  return role !== undefined && stateOf(role, now) === 'published';
}

/** The most bytes of an archive that is moved: it is in memory as a whole. No setting allows so many. */
export const MAX_ARCHIVE_BYTES = 1_073_741_824;

export function archiveTooLarge(id: ArchiveId): CommandFailure {
  return new CommandFailure(`archive ${id} is over a gigabyte: no publication is`);
}

/** Reads a whole archive; `undefined` if it is not there. A CommandFailure names it: a disk may be damaged. */
export async function wholeArchive(
  archives: Pick<ArchiveStorage, 'read' | 'size'>,
  id: ArchiveId,
): Promise<MovingArchive | undefined> {
  try {
    const bytes = await archives.size(id);
    if (bytes !== undefined && bytes > MAX_ARCHIVE_BYTES) throw archiveTooLarge(id);
    const pieces: Uint8Array[] = [];
    for (let from = 0; from < (bytes ?? 0); from += MAX_READ) {
      const piece = await archives.read(id, from, Math.min(MAX_READ, Number(bytes) - from));
      if (piece === undefined) return undefined;
      pieces.push(piece);
    }
    return bytes === undefined ? undefined : { id, pieces, bytes, sha256: hashOf(pieces) };
  } catch (cause) {
    if (!isFault(cause)) throw cause;
    throw new CommandFailure(`archive ${id} cannot be read: ${cause.message} (${cause.code})`, { cause });
  }
}

export function hashOf(pieces: readonly Uint8Array[]): Sha256 {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex') as Sha256;
}

export async function* storedArchives(
  archives: Pick<ArchiveStorage, 'list'>,
): AsyncGenerator<ArchiveId, void> {
  let after: ArchiveId | undefined;
  for (;;) {
    const page = await archives.list(after, 1_000);
    yield* page;
    after = page.at(-1);
    if (after === undefined) return;
  }
}

/** Begins work on the next three items before the first is asked for again, and gives the results in order. */
export async function* prefetch<Item, Result>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result, void> {
  const underWay: Promise<Result>[] = [];
  try {
    for (const item of items) {
      const begun = work(item);
      // Its outcome is awaited in its turn: until then a rejection must not count as unhandled.
      begun.catch(() => undefined);
      underWay.push(begun);
      if (underWay.length >= AT_ONCE) yield await (underWay.shift() as Promise<Result>);
    }
    for (let next = underWay.shift(); next !== undefined; next = underWay.shift()) yield await next;
  } finally {
    await Promise.allSettled(underWay);
  }
}

/** Archives read or stored at the same time: each is in memory as a whole. */
export const AT_ONCE = 4;
