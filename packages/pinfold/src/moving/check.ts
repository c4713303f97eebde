import { type ArchiveId, before, hours } from '@pinfold/core';
import { archiveCreatedAt } from '@pinfold/core/adapter';
import { decodeManifest } from '@pinfold/core/internal';
import type { MovedRecord } from '@pinfold/core/moving';
import type { CommandFailure } from '../command-line/failures.ts';
import { hasEntries, manifestEntries } from './archives.ts';
import type { Progress } from './progress.ts';
import { type ExportedStores, fromStores } from './stores.ts';
import { type Destination, type Finding, type Source, type Walk, walk } from './walk.ts';

/** A younger archive without a record may belong to a running publication. */
const YOUNG = hours(24);

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

/** Compares the records of an export with each other, and its archives with their records. */
export async function verifyExport(source: Source, progress: Progress): Promise<VerifiedExport> {
  const failures: string[] = [];
  const onFailure = ({ message }: CommandFailure): void => void failures.push(message);
  const records = async (moved: readonly MovedRecord[]): Promise<void> => {
    for (const { kind, value } of moved) {
      if (kind !== 'publication' || value.manifest === null || manifestEntries(value.manifest)) continue;
      failures.push(`the list of files of publication ${value.id} cannot be read`);
    }
  };
  const walked = await walk(source, { records, onFailure }, progress);
  const superfluous = walked.unnamed.length;
  return { records: walked.recordCount, superfluous, ...describeCompared(walked), failures };
}

/** Compares the stored archives with the records, and the files in them with those that viewers are shown. */
export async function verifyStores(
  stores: ExportedStores,
  progress: Progress,
  sample?: number,
): Promise<VerifiedStores> {
  const { roles, archives, clock } = stores;
  const unsound: Finding[] = [];
  const store: Destination['store'] = async (archive, pin) => {
    const manifest = await roles.loadManifest(archive.id);
    // Without a manifest, its record no longer names the archive.
    if (manifest === undefined || hasEntries(archive.bytes, decodeManifest(manifest).entries)) return;
    unsound.push({ archive: archive.id, pin });
  };
  const walked = await walk(fromStores(stores, sample), { store }, progress);
  const { altered, ...compared } = describeCompared(walked);
  const youngSince = before(clock.now(), YOUNG);
  const old = walked.unnamed.filter((id) => archiveCreatedAt(id) < youngSince);
  const superfluous: ArchiveId[] = [];
  for (const id of old) {
    // Checked again, because the running service may have removed it meanwhile.
    const isThere = (await archives.size(id)) !== undefined;
    if (isThere && !(await roles.whichAreNamed([id])).has(id)) superfluous.push(id);
  }
  return {
    ...compared,
    altered: [...altered, ...unsound],
    // Others are among the missing.
    removed: walked.lost.filter(({ archive }) => !walked.named.has(archive)),
    superfluous,
    young: walked.unnamed.length - old.length,
  };
}

function describeCompared({ named, copied, absent }: Walk): Compared {
  const findings = (wanted: string): readonly Finding[] =>
    absent.flatMap(({ archive, pin, state }) => (state === wanted ? [{ archive, pin }] : []));
  const altered = findings('altered');
  return { named: named.size, read: copied + altered.length, missing: findings('missing'), altered };
}
