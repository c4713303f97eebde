import { randomInt } from 'node:crypto';
import { crc32, inflateRawSync } from 'node:zlib';
import {
  type ArchiveId,
  type ArchiveStorage,
  before,
  type Clock,
  hours,
  type ManifestEntry,
  type RoleStore,
  type Sha256,
} from '@pinfold/core';
import { archiveCreatedAt } from '@pinfold/core/adapter';
import { decodeManifest } from '@pinfold/core/internal';
import type { Snapshot } from '@pinfold/core/moving';
import type { Progress } from './progress.ts';
import {
  archiveIn,
  lacksArchive,
  type MovingArchive,
  type NamedArchive as Named,
  prefetch,
  removedIn,
  storedArchives,
  wholeArchive,
} from './whole-archive.ts';

/** For this long, an archive without a record may belong to a publication under way. */
const YOUNG = hours(24);

export interface VerifiedStores {
  readonly snapshot: Snapshot;
  readonly roles: Pick<RoleStore, 'load' | 'loadManifest' | 'whichAreNamed'>;
  readonly archives: ArchiveStorage;
  readonly clock: Clock;
}

export type NamedArchive = Omit<Named, 'sha256'>;

export interface Verified {
  readonly named: number;
  readonly read: number;
  readonly missing: readonly NamedArchive[];
  /** Not what their record says. */
  readonly altered: readonly NamedArchive[];
  /** Of publications in service, and removed. */
  readonly removed: readonly NamedArchive[];
  /** There for over a day, and named by no record. */
  readonly superfluous: readonly ArchiveId[];
  /** Not named either, and younger. */
  readonly young: number;
}

/** Compares the stored archives with those that records name, and reads all or `sample` of them. */
export async function verifyStores(
  stores: VerifiedStores,
  sample: number | undefined,
  progress: Progress,
): Promise<Verified> {
  // In this order: what is stored and committed between the two looks is named, and not missed.
  const stored = new Set(await Array.fromAsync(storedArchives(stores.archives)));
  const { named, removed } = await namedArchives(stores, progress);
  const chosen = sampleOf([...named.keys()], sample);
  progress.expect(chosen.length);
  const found: Record<Judgement['kind'], ArchiveId[]> = { sound: [], altered: [], missing: [], gone: [] };
  const judge = (id: ArchiveId): Promise<Judgement> => judged(stores, id, (named.get(id) as Named).sha256);
  for await (const { id, kind, bytes } of prefetch(chosen, judge)) {
    found[kind].push(id);
    progress.archive(bytes);
  }
  const withPins = (ids: readonly ArchiveId[]): readonly NamedArchive[] =>
    ids.map((archive) => ({ archive, pin: (named.get(archive) as Named).pin }));
  const missing = new Set([...named.keys()].filter((id) => !stored.has(id)).concat(found.missing));
  const unnamed = [...stored].filter((id) => !named.has(id));
  const dayAgo = before(stores.clock.now(), YOUNG);
  const old = unnamed.filter((id) => archiveCreatedAt(id) < dayAgo);
  return {
    named: named.size,
    read: found.sound.length + found.altered.length,
    missing: withPins(await recheck(stores, [...missing].sort(), { isNamed: true, isThere: false })),
    altered: withPins(await recheck(stores, found.altered, { isNamed: true, isThere: true })),
    removed: await stillRemoved(stores, removed),
    superfluous: await recheck(stores, old, { isNamed: false, isThere: true }),
    young: unnamed.length - old.length,
  };
}

interface Recorded {
  readonly named: ReadonlyMap<ArchiveId, Named>;
  readonly removed: readonly Named[];
}

async function namedArchives({ snapshot, clock }: VerifiedStores, progress: Progress): Promise<Recorded> {
  const named = new Map<ArchiveId, Named>();
  const removed: Named[] = [];
  for await (const record of snapshot.records()) {
    const archive = archiveIn(record);
    if (archive !== undefined) named.set(archive.archive, archive);
    const gone = removedIn(record, clock.now());
    if (gone !== undefined) removed.push(gone);
    progress.records(1);
  }
  return { named, removed };
}

async function stillRemoved(
  { roles, clock }: VerifiedStores,
  removed: readonly Named[],
): Promise<readonly NamedArchive[]> {
  const still: NamedArchive[] = [];
  for (const { archive, pin } of removed) {
    if (await lacksArchive(roles, { archive, pin }, clock.now())) still.push({ archive, pin });
  }
  return still;
}

/** So many of the ids, chosen at random, in order; all of them when there are no more. */
export function sampleOf(ids: readonly ArchiveId[], count: number = ids.length): readonly ArchiveId[] {
  const shuffled = [...ids];
  const chosen = Math.min(count, ids.length);
  for (let n = 0; n < chosen; n += 1) {
    const other = randomInt(n, ids.length);
    [shuffled[n], shuffled[other]] = [shuffled[other] as ArchiveId, shuffled[n] as ArchiveId];
  }
  return shuffled.slice(0, chosen).sort();
}

interface Judgement {
  readonly id: ArchiveId;
  /** `gone`: its record names it no longer. */
  readonly kind: 'sound' | 'altered' | 'missing' | 'gone';
  readonly bytes: number;
}

async function judged(
  { roles, archives }: VerifiedStores,
  id: ArchiveId,
  sha256: Sha256,
): Promise<Judgement> {
  const manifest = await roles.loadManifest(id);
  if (manifest === undefined) return { id, kind: 'gone', bytes: 0 };
  const archive = await wholeArchive(archives, id);
  if (archive === undefined) return { id, kind: 'missing', bytes: 0 };
  const { entries } = decodeManifest(manifest);
  return { id, kind: isSound(archive, { sha256, entries }) ? 'sound' : 'altered', bytes: archive.bytes };
}

/** Whether an archive is what its record says: all of its bytes, and each file that its manifest names. */
export function isSound(
  { pieces, sha256 }: MovingArchive,
  named: { readonly sha256: Sha256; readonly entries: readonly ManifestEntry[] },
): boolean {
  if (sha256 !== named.sha256) return false;
  const archive = Buffer.concat(pieces);
  return named.entries.every(({ offset, compressedSize, size, method, crc32: expected }) => {
    const data = archive.subarray(offset, offset + compressedSize);
    const bytes = method === 'stored' ? data : inflated(data, size);
    return data.length === compressedSize && bytes?.length === size && crc32(bytes) === expected;
  });
}

/** Data that inflates beyond the limit is dropped. */
function inflated(data: Uint8Array, size: number): Uint8Array | undefined {
  try {
    return inflateRawSync(data, { maxOutputLength: Math.max(1, size) });
  } catch {
    return undefined;
  }
}

/** Those of which it is still so: the service runs, and removes archives before it forgets their names. */
async function recheck(
  { roles, archives }: VerifiedStores,
  ids: readonly ArchiveId[],
  expected: { readonly isNamed: boolean; readonly isThere: boolean },
): Promise<readonly ArchiveId[]> {
  const still: ArchiveId[] = [];
  for (const id of ids) {
    const isThere = (await archives.size(id)) !== undefined;
    const isNamed = (await roles.whichAreNamed([id])).has(id);
    if (isNamed === expected.isNamed && isThere === expected.isThere) still.push(id);
  }
  return still;
}
