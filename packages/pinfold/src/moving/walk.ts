import type { ArchiveId, RoleId, Sha256 } from '@pinfold/core';
import type { MovedRecord } from '@pinfold/core/moving';
import { CommandFailure } from '../command-line/failures.ts';
import type { MovingArchive } from './archives.ts';
import type { Progress } from './progress.ts';

/** The data of a record that its archive is checked against. Kept small, because an export may have millions. */
export interface NamedArchive {
  readonly pin: RoleId;
  readonly sha256: Sha256;
  readonly bytes: number;
}

export type Named = ReadonlyMap<ArchiveId, NamedArchive>;

/** An archive that the source lacks. */
export interface Gap {
  readonly kind: 'gap';
  /** `removed`: its record no longer names it. */
  readonly fault: 'missing' | 'altered' | 'removed';
  readonly archive: ArchiveId;
  readonly pin: RoleId;
  /** Whether its publication is in service nevertheless. */
  readonly isLost: boolean;
}

export type Step =
  | { readonly kind: 'records'; readonly records: readonly MovedRecord[] }
  /** `loaded` is undefined if the destination has the archive already, or if it cannot be read. */
  | { readonly kind: 'archive'; readonly id: ArchiveId; readonly loaded: MovingArchive | undefined }
  | Gap
  /** Archives that the manifest of an export lists as missing or altered. */
  | { readonly kind: 'broken'; readonly ids: readonly ArchiveId[] };

/** The state of a walk, for its source. */
export interface Walking {
  /** The archives that the records so far name. */
  readonly named: Named;
  /** Whether the destination has an archive, which then need not be read. */
  has(id: ArchiveId): boolean;
  /** Receives an item that cannot be read, and throws it or lets the source continue. */
  onFailure(failure: CommandFailure): void;
}

/** The source of an export: yields its records first, then its archives. */
export type Source = (walking: Walking) => AsyncIterable<Step>;

/** The destination of an export: receives its records first, then its archives, then its end. */
export interface Destination {
  begin(named: Named): Promise<void>;
  records(records: readonly MovedRecord[]): Promise<void>;
  has(id: ArchiveId): boolean;
  /** Receives an archive; may resolve before it is stored. */
  archive(archive: MovingArchive): Promise<void>;
  gap?(gap: Gap): void;
  /** Without it, the first failure ends the walk. */
  onFailure?(failure: CommandFailure): void;
  end(walked: Walked): Promise<void>;
}

export interface Walked {
  readonly records: number;
  /** The archives of the export. */
  readonly archives: readonly ArchiveId[];
  /** The number of archives that the destination did not have before. */
  readonly copied: number;
  /** Archives that are missing or altered at the source. */
  readonly broken: readonly ArchiveId[];
  /** Archives of publications in service that were removed or are missing at the source. */
  readonly lost: readonly Gap[];
}

export function throwFailure(failure: CommandFailure): never {
  throw failure;
}

/**
 * Moves an export from a source to a destination. The destination begins with the first step, so that an invalid
 * source changes nothing.
 */
export async function walk(source: Source, to: Destination, progress: Progress): Promise<Walked> {
  const named = new Map<ArchiveId, NamedArchive>();
  const archives: ArchiveId[] = [];
  const broken: ArchiveId[] = [];
  const lost: Gap[] = [];
  let [hasBegun, records, copied] = [false, 0, 0];
  const take = async (step: Step): Promise<void> => {
    if (step.kind === 'records') {
      for (const { kind, value } of step.records) {
        if (kind === 'removal') named.delete(value.archive);
        if (kind === 'publication' && value.manifest !== null)
          named.set(value.archive, { pin: value.id, sha256: value.sha256, bytes: value.archiveBytes });
      }
      await to.records(step.records);
      records += step.records.length;
      progress({ records: step.records.length }, named.size);
    } else if (step.kind === 'archive') {
      if (step.loaded !== undefined) await to.archive(step.loaded);
      copied += step.loaded === undefined ? 0 : 1;
      archives.push(step.id);
      progress({ archives: 1, bytes: step.loaded?.bytes }, named.size);
    } else if (step.kind === 'broken') {
      for (const id of step.ids) broken.push(id);
    } else {
      if (step.fault !== 'removed' && !to.has(step.archive)) broken.push(step.archive);
      if (step.isLost) lost.push(step);
      to.gap?.(step);
    }
  };
  const onFailure = (failure: CommandFailure): void =>
    to.onFailure === undefined ? throwFailure(failure) : to.onFailure(failure);
  try {
    for await (const step of source({ named, has: (id) => to.has(id), onFailure })) {
      if (!hasBegun) await to.begin(named);
      hasBegun = true;
      await take(step);
    }
  } catch (error) {
    // If no step was read, the source is not an export.
    if (!hasBegun || !(error instanceof CommandFailure)) throw error;
    onFailure(error);
  }
  const walked = { records, archives, copied, broken, lost };
  await to.end(walked);
  return walked;
}
