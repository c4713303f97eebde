import type { ArchiveId, RoleId } from '@pinfold/core';
import type { ExportEnd, RecordsFile } from './export-form.ts';
import type { Progress } from './progress.ts';
import type { MovingArchive } from './whole-archive.ts';

/** The destination of an export: its records first, then its archives, then its end. */
export interface Destination {
  begin(): Promise<void>;
  /** Lines of whole records, each with its end. */
  records(lines: Uint8Array, file: RecordsFile): Promise<void>;
  /** Whether it has an archive already, which then need not be read. */
  has(id: ArchiveId): boolean;
  /** Takes an archive; it may resolve before that is stored. */
  archive(archive: MovingArchive): Promise<void>;
  end(end: ExportEnd): Promise<void>;
}

export type Step =
  | { readonly kind: 'records'; readonly lines: Uint8Array; readonly file: RecordsFile }
  /** How many archives there will be, where that is known before. */
  | { readonly kind: 'expected'; readonly archives: number }
  /** Without its bytes where the destination has it already. */
  | { readonly kind: 'archive'; readonly id: ArchiveId; readonly whole: MovingArchive | undefined }
  /** Archives that are missing or altered there. */
  | { readonly kind: 'broken'; readonly ids: readonly ArchiveId[] }
  /** A publication in service without its archive. */
  | { readonly kind: 'lost'; readonly archive: ArchiveId; readonly pin: RoleId };

export interface Moved {
  readonly records: number;
  /** Archives that belong to it. */
  readonly archives: number;
  /** Those of them that were not there before. */
  readonly copied: number;
  /** Archives that are missing or altered where they come from. */
  readonly broken: readonly ArchiveId[];
  /** Publications in service whose archive was removed or is missing where they come from. */
  readonly withoutArchive: readonly RoleId[];
}

/** Brings an export to a destination, which begins with the first step: a source that is no export changes nothing. */
export async function move(steps: AsyncIterable<Step>, to: Destination, progress: Progress): Promise<Moved> {
  const records: RecordsFile[] = [];
  const archives: ArchiveId[] = [];
  const broken: ArchiveId[] = [];
  const lost: ArchiveId[] = [];
  const withoutArchive: RoleId[] = [];
  let [begun, copied] = [false, 0];
  for await (const step of steps) {
    if (!begun) await to.begin();
    begun = true;
    if (step.kind === 'records') {
      await to.records(step.lines, step.file);
      records.push(step.file);
      progress.records(step.file.records);
    } else if (step.kind === 'expected') {
      progress.expect(step.archives);
    } else if (step.kind === 'broken') {
      for (const id of step.ids) broken.push(id);
    } else if (step.kind === 'lost') {
      lost.push(step.archive);
      withoutArchive.push(step.pin);
    } else {
      const { id, whole } = step;
      if (whole !== undefined) await to.archive(whole);
      copied += whole === undefined ? 0 : 1;
      archives.push(id);
      progress.archive(whole?.bytes ?? 0);
    }
  }
  if (!begun) await to.begin();
  await to.end({ records, archives, broken, lost });
  const count = records.reduce((sum, file) => sum + file.records, 0);
  return { records: count, archives: archives.length, copied, broken, withoutArchive };
}
