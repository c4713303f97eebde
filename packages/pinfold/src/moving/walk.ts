import type { ArchiveId, RoleId, Sha256 } from '@pinfold/core';
import type { MovedRecord } from '@pinfold/core/moving';
import { CommandFailure } from '../command-line/failures.ts';
import type { MovingArchive } from './archives.ts';
import type { Progress } from './progress.ts';

/** What a record says of its archive. As little as possible: an export may have millions. */
export interface NamedArchive {
  readonly pin: RoleId;
  readonly sha256: Sha256;
  readonly bytes: number;
}

export type Named = ReadonlyMap<ArchiveId, NamedArchive>;

/** An archive that a running service lacks. */
export interface Gap {
  readonly kind: 'gap';
  /** `removed`: its record names it no longer. */
  readonly fault: 'missing' | 'altered' | 'removed';
  readonly archive: ArchiveId;
  readonly pin: RoleId;
  /** Whether its publication is in service, and it is not there. */
  readonly isLost: boolean;
}

export type Step =
  | { readonly kind: 'records'; readonly records: readonly MovedRecord[] }
  /** Without its bytes where the destination has it already. */
  | { readonly kind: 'archive'; readonly id: ArchiveId; readonly whole: MovingArchive | undefined }
  | Gap
  /** Archives that an export does not have, as its manifest says. */
  | { readonly kind: 'broken'; readonly ids: readonly ArchiveId[] };

/** What a source may ask meanwhile. */
export interface Walking {
  /** By the records that it gave until now. */
  readonly named: Named;
  /** Whether the destination has an archive, which then need not be read. */
  has(id: ArchiveId): boolean;
  /** Takes what cannot be read, after which the source continues; or throws it. */
  failed(failure: CommandFailure): void;
}

/** Where an export comes from: its records first, then its archives. */
export type Source = (walking: Walking) => AsyncIterable<Step>;

/** Where an export goes to: its records first, then its archives, then its end. */
export interface Destination {
  begin(named: Named): Promise<void>;
  records(records: readonly MovedRecord[]): Promise<void>;
  has(id: ArchiveId): boolean;
  /** Takes an archive; it may resolve before that is stored. */
  archive(archive: MovingArchive): Promise<void>;
  gap?(gap: Gap): void;
  /** Without it, the first failure ends the walk. */
  failed?(failure: CommandFailure): void;
  end(walked: Walked): Promise<void>;
}

export interface Walked {
  /** How many. */
  readonly records: number;
  /** The archives that belong to it. */
  readonly archives: readonly ArchiveId[];
  /** How many of them the destination did not have before. */
  readonly copied: number;
  /** Archives that are missing or altered where they come from. */
  readonly broken: readonly ArchiveId[];
  /** Archives of publications in service that were removed or are missing where they come from. */
  readonly lost: readonly Gap[];
}

export function throwFailure(failure: CommandFailure): never {
  throw failure;
}

/** Brings an export to a destination, which begins with the first step: a source that is no export changes nothing. */
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
      if (step.whole !== undefined) await to.archive(step.whole);
      copied += step.whole === undefined ? 0 : 1;
      archives.push(step.id);
      progress({ archives: 1, bytes: step.whole?.bytes }, named.size);
    } else if (step.kind === 'broken') {
      for (const id of step.ids) broken.push(id);
    } else {
      if (step.fault !== 'removed' && !to.has(step.archive)) broken.push(step.archive);
      if (step.isLost) lost.push(step);
      to.gap?.(step);
    }
  };
  const failed = (failure: CommandFailure): void =>
    to.failed === undefined ? throwFailure(failure) : to.failed(failure);
  try {
    for await (const step of source({ named, has: (id) => to.has(id), failed })) {
      if (!hasBegun) await to.begin(named);
      hasBegun = true;
      await take(step);
    }
  } catch (error) {
    // What is no export at all is a failure of its own.
    if (!hasBegun || !(error instanceof CommandFailure)) throw error;
    failed(error);
  }
  const walked = { records, archives, copied, broken, lost };
  await to.end(walked);
  return walked;
}
