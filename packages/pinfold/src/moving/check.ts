import { type ArchiveId, before, hours, type RoleId } from '@pinfold/core';
import { archiveCreatedAt } from '@pinfold/core/adapter';
import { decodeManifest } from '@pinfold/core/internal';
import type { MovedRecord } from '@pinfold/core/moving';
import { CommandFailure } from '../command-line/failures.ts';
import { type MovingArchive, storedArchives } from './archives.ts';
import { type ExportedStores, fromStores } from './from-stores.ts';
import { hasEntries, manifestEntries } from './manifest-proof.ts';
import type { Progress } from './progress.ts';
import { type Destination, type Gap, type Named, type Source, type Walked, walk } from './walk.ts';

/** For this long, an archive without a record may belong to a publication under way. */
const YOUNG = hours(24);

export interface Finding {
  readonly archive: ArchiveId;
  readonly pin: RoleId;
}

interface Compared {
  /** Archives that records name. */
  readonly named: number;
  /** Those of them whose bytes were compared. */
  readonly read: number;
  readonly missing: readonly Finding[];
  /** Longer, shorter or other than their records say. */
  readonly altered: readonly Finding[];
}

/** What there is to say of an export. */
export interface VerifiedExport extends Compared {
  readonly records: number;
  /** Archives that no record names. */
  readonly superfluous: number;
  /** What else is wrong, a sentence each. */
  readonly failures: readonly string[];
}

/** What there is to say of a service. */
export interface VerifiedStores extends Compared {
  /** Of publications in service, and removed. */
  readonly removed: readonly Finding[];
  /** There for over a day, and named by no record. */
  readonly superfluous: readonly ArchiveId[];
  /** Not named either, and younger. */
  readonly young: number;
}

interface CheckOptions {
  /** How many archives are read; all of them when absent. */
  readonly sample: number | undefined;
  /** Takes what cannot be read; without it, that is thrown. */
  readonly failed?: (failure: CommandFailure) => void;
  /** Whether an archive with the right SHA-256 is what its record says otherwise. */
  isSound(archive: MovingArchive): Promise<boolean>;
}

/** A destination that only compares. */
class Check implements Destination {
  readonly found: Record<Gap['fault'], Finding[]> = { missing: [], altered: [], removed: [] };
  named: Named = new Map();
  read = 0;
  superfluous = 0;
  readonly #options: CheckOptions;
  #chosen: ReadonlySet<ArchiveId> | undefined;

  constructor(options: CheckOptions) {
    this.#options = options;
  }

  async begin(named: Named): Promise<void> {
    this.named = named;
  }

  async records(records: readonly MovedRecord[]): Promise<void> {
    for (const { kind, value } of records) {
      if (kind !== 'publication' || value.manifest === null) continue;
      if (manifestEntries(value.manifest) === undefined)
        this.failed(
          new CommandFailure(`the list of files of publication ${value.id} cannot be read`, 'unreadable'),
        );
    }
  }

  /** Whether a sample leaves it out. */
  has(id: ArchiveId): boolean {
    if (this.#options.sample === undefined) return false;
    this.#chosen ??= sampleOf(this.named.keys(), this.#options.sample);
    return !this.#chosen.has(id);
  }

  async archive(archive: MovingArchive): Promise<void> {
    const { id, bytes, sha256 } = archive;
    const named = this.named.get(id);
    if (named === undefined) return;
    this.read += 1;
    const isSame = bytes === named.bytes && sha256 === named.sha256;
    if (!isSame || !(await this.#options.isSound(archive)))
      this.found.altered.push({ archive: id, pin: named.pin });
  }

  gap({ fault, archive, pin, isLost }: Gap): void {
    if (fault === 'altered') this.read += 1;
    if (fault !== 'removed' || isLost) this.found[fault].push({ archive, pin });
  }

  failed(failure: CommandFailure): void {
    if (this.#options.failed === undefined) throw failure;
    this.#options.failed(failure);
  }

  async end({ archives }: Walked): Promise<void> {
    const { missing, altered } = this.found;
    const seen = new Set(archives);
    for (const { archive } of [...missing, ...altered]) seen.add(archive);
    for (const [archive, { pin }] of this.named) if (!seen.has(archive)) missing.push({ archive, pin });
    for (const id of seen) if (!this.named.has(id)) this.superfluous += 1;
  }
}

/** So many of the ids, chosen at random. */
function sampleOf(ids: Iterable<ArchiveId>, count: number): ReadonlySet<ArchiveId> {
  const inAnyOrder = Array.from(ids, (id) => ({ id, place: Math.random() }));
  inAnyOrder.sort((one, other) => one.place - other.place);
  return new Set(inAnyOrder.slice(0, count).map(({ id }) => id));
}

/** Compares an export with itself: every record, and every archive, or a sample of them, with what its record says. */
export async function verifyExport(
  source: Source,
  progress: Progress,
  sample?: number,
): Promise<VerifiedExport> {
  const failures: string[] = [];
  const failed = ({ message }: CommandFailure): void => void failures.push(message);
  const check = new Check({ sample, failed, isSound: async () => true });
  const { records } = await walk(source, check, progress);
  const { named, read, superfluous, found } = check;
  const { missing, altered } = found;
  return { records, named: named.size, read, superfluous, missing, altered, failures };
}

/** Compares the stored archives with those that records name, and reads all or `sample` of them. */
export async function verifyStores(
  stores: ExportedStores,
  progress: Progress,
  sample?: number,
): Promise<VerifiedStores> {
  const check = new Check({
    sample,
    isSound: async ({ id, pieces }) => {
      const manifest = await stores.roles.loadManifest(id);
      // Without one, its record names it no longer.
      return manifest === undefined || hasEntries(pieces, decodeManifest(manifest).entries);
    },
  });
  await walk(fromStores(stores), check, progress);
  const { named, read, found } = check;
  const unnamed: Pick<Finding, 'archive'>[] = [];
  for await (const archive of storedArchives(stores.archives))
    if (!named.has(archive)) unnamed.push({ archive });
  const dayAgo = before(stores.clock.now(), YOUNG);
  const old = unnamed.filter(({ archive }) => archiveCreatedAt(archive) < dayAgo);
  const superfluous = await stillSo(stores, old, { isNamed: false, isThere: true });
  return {
    named: named.size,
    read,
    missing: await stillSo(stores, found.missing, { isNamed: true, isThere: false }),
    altered: await stillSo(stores, found.altered, { isNamed: true, isThere: true }),
    removed: found.removed,
    superfluous: superfluous.map(({ archive }) => archive),
    young: unnamed.length - old.length,
  };
}

/** Those of which it is still so: the service runs, and removes archives before it forgets their names. */
async function stillSo<Found extends Pick<Finding, 'archive'>>(
  { roles, archives }: ExportedStores,
  found: readonly Found[],
  expected: { readonly isNamed: boolean; readonly isThere: boolean },
): Promise<readonly Found[]> {
  const still: Found[] = [];
  for (const one of found) {
    const isThere = (await archives.size(one.archive)) !== undefined;
    const isNamed = (await roles.whichAreNamed([one.archive])).has(one.archive);
    if (isNamed === expected.isNamed && isThere === expected.isThere) still.push(one);
  }
  return still;
}
