import { type ArchiveId, before, hours, type RoleId } from '@pinfold/core';
import { archiveCreatedAt } from '@pinfold/core/adapter';
import { decodeManifest } from '@pinfold/core/internal';
import type { MovedRecord } from '@pinfold/core/moving';
import { CommandFailure } from '../command-line/failures.ts';
import { listArchives, type MovingArchive } from './archives.ts';
import { type ExportedStores, fromStores } from './from-stores.ts';
import { hasEntries, manifestEntries } from './manifest-proof.ts';
import type { Progress } from './progress.ts';
import { type Destination, type Gap, type Named, type Source, type Walked, walk } from './walk.ts';

/** A younger archive without a record may belong to a running publication. */
const YOUNG = hours(24);

export interface Finding {
  readonly archive: ArchiveId;
  readonly pin: RoleId;
}

interface Compared {
  /** The number of archives that records name. */
  readonly named: number;
  /** The number of archives whose bytes were compared. */
  readonly read: number;
  readonly missing: readonly Finding[];
  /** Archives whose size or SHA-256 differs from the record. */
  readonly altered: readonly Finding[];
}

/** The result of verifying an export. */
export interface VerifiedExport extends Compared {
  readonly records: number;
  /** The number of archives that no record names. */
  readonly superfluous: number;
  /** Other problems, a sentence each. */
  readonly failures: readonly string[];
}

/** The result of verifying the stores of a service. */
export interface VerifiedStores extends Compared {
  /** Removed archives of publications that are in service. */
  readonly removed: readonly Finding[];
  /** Archives that no record names, older than a day. */
  readonly superfluous: readonly ArchiveId[];
  /** The number of younger archives that no record names. */
  readonly young: number;
}

interface CheckOptions {
  /** How many archives to read. Default: all. */
  readonly sample: number | undefined;
  /** Receives items that cannot be read; if absent, the failure is thrown. */
  readonly onFailure?: (failure: CommandFailure) => void;
  /** Whether an archive with the right SHA-256 also has the files of its record. */
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
        this.onFailure(
          new CommandFailure(`the list of files of publication ${value.id} cannot be read`, 'unreadable'),
        );
    }
  }

  /** Skips archives outside the sample, as if the destination already had them. */
  has(id: ArchiveId): boolean {
    if (this.#options.sample === undefined) return false;
    this.#chosen ??= chooseSample(this.named.keys(), this.#options.sample);
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

  onFailure(failure: CommandFailure): void {
    if (this.#options.onFailure === undefined) throw failure;
    this.#options.onFailure(failure);
  }

  async end({ archives }: Walked): Promise<void> {
    const { missing, altered } = this.found;
    const found_ = new Set(archives);
    for (const { archive } of [...missing, ...altered]) found_.add(archive);
    for (const [archive, { pin }] of this.named) if (!found_.has(archive)) missing.push({ archive, pin });
    for (const id of found_) if (!this.named.has(id)) this.superfluous += 1;
  }
}

/** Chooses `count` ids at random. */
function chooseSample(ids: Iterable<ArchiveId>, count: number): ReadonlySet<ArchiveId> {
  const shuffled = Array.from(ids, (id) => ({ id, order: Math.random() }));
  shuffled.sort((one, other) => one.order - other.order);
  return new Set(shuffled.slice(0, count).map(({ id }) => id));
}

/** Compares the records of an export with each other, and its archives, or a sample, with their records. */
export async function verifyExport(
  source: Source,
  progress: Progress,
  sample?: number,
): Promise<VerifiedExport> {
  const failures: string[] = [];
  const onFailure = ({ message }: CommandFailure): void => void failures.push(message);
  const check = new Check({ sample, onFailure, isSound: async () => true });
  const { records } = await walk(source, check, progress);
  const { named, read, superfluous, found } = check;
  const { missing, altered } = found;
  return { records, named: named.size, read, superfluous, missing, altered, failures };
}

/** Compares the stored archives with the records, and reads all or `sample` of them. */
export async function verifyStores(
  stores: ExportedStores,
  progress: Progress,
  sample?: number,
): Promise<VerifiedStores> {
  const check = new Check({
    sample,
    isSound: async ({ id, pieces }) => {
      const manifest = await stores.roles.loadManifest(id);
      // Without a manifest, its record no longer names the archive.
      return manifest === undefined || hasEntries(pieces, decodeManifest(manifest).entries);
    },
  });
  await walk(fromStores(stores), check, progress);
  const { named, read, found } = check;
  const orphans: Pick<Finding, 'archive'>[] = [];
  for await (const archive of listArchives(stores.archives))
    if (!named.has(archive)) orphans.push({ archive });
  const youngSince = before(stores.clock.now(), YOUNG);
  const oldOrphans = orphans.filter(({ archive }) => archiveCreatedAt(archive) < youngSince);
  const superfluous = await recheck(stores, oldOrphans, { isNamed: false, isThere: true });
  return {
    named: named.size,
    read,
    missing: await recheck(stores, found.missing, { isNamed: true, isThere: false }),
    altered: await recheck(stores, found.altered, { isNamed: true, isThere: true }),
    removed: found.removed,
    superfluous: superfluous.map(({ archive }) => archive),
    young: orphans.length - oldOrphans.length,
  };
}

/**
 * Checks the findings again, because the running service may have removed archives meanwhile. It removes an archive
 * before its record's manifest.
 */
async function recheck<Found extends Pick<Finding, 'archive'>>(
  { roles, archives }: ExportedStores,
  found: readonly Found[],
  expected: { readonly isNamed: boolean; readonly isThere: boolean },
): Promise<readonly Found[]> {
  const confirmed: Found[] = [];
  for (const finding of found) {
    const isThere = (await archives.size(finding.archive)) !== undefined;
    const isNamed = (await roles.whichAreNamed([finding.archive])).has(finding.archive);
    if (isNamed === expected.isNamed && isThere === expected.isThere) confirmed.push(finding);
  }
  return confirmed;
}
