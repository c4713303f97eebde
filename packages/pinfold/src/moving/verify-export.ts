import type { ArchiveId, RoleId, Sha256 } from '@pinfold/core';
import type { MovedRecord } from '@pinfold/core/moving';
import { CommandFailure } from '../command-line/failures.ts';
import { type ExportEnd, type RecordsFile, recordsIn } from './export-form.ts';
import { manifestEntries } from './manifest-proof.ts';
import { type Destination, move, type Step } from './move.ts';
import type { Progress } from './progress.ts';
import { type NamedArchive, sampleOf } from './verify-stores.ts';
import type { MovingArchive } from './whole-archive.ts';

/** What there is to say of an export. */
export interface VerifiedExport {
  readonly records: number;
  /** Archives that records name. */
  readonly named: number;
  /** Those of them whose bytes were compared. */
  readonly read: number;
  /** Archives that no record names. */
  readonly superfluous: number;
  readonly missing: readonly NamedArchive[];
  /** Longer, shorter or other than their records say. */
  readonly altered: readonly NamedArchive[];
  /** What else is wrong, a sentence each. */
  readonly failures: readonly string[];
}

/** As little as possible: an export may have millions. */
interface Expected {
  readonly pin: RoleId;
  readonly sha256: Sha256;
  readonly bytes: number;
}

/** Takes the steps of an export, and keeps nothing of them but what is wrong. */
class ExportCheck implements Destination {
  readonly failures: string[] = [];
  readonly altered: NamedArchive[] = [];
  readonly named: Map<ArchiveId, Expected> = new Map();
  /** Archives that were read and are as their records say. */
  read = 0;
  readonly #seen: Set<ArchiveId> = new Set();
  readonly #publications: Set<RoleId> = new Set();
  readonly #sample: number | undefined;
  #chosen: ReadonlySet<ArchiveId> | undefined;

  constructor(sample: number | undefined) {
    this.#sample = sample;
  }

  readonly failed = ({ message }: CommandFailure): void => {
    this.failures.push(message);
  };

  async begin(): Promise<void> {}

  async records(lines: Uint8Array, { file }: RecordsFile): Promise<void> {
    const fail = (message: string): void => {
      this.failures.push(`${file}: ${message}`);
    };
    try {
      for (const record of recordsIn(lines)) this.#record(record, fail);
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      fail(error.message);
    }
  }

  #record({ kind, value }: MovedRecord, fail: (message: string) => void): void {
    if (kind === 'removal') this.named.delete(value.archive);
    if (kind === 'name' && !this.#publications.has(value.role))
      fail(`the name ${value.name} shows ${value.role}, a publication that the export does not have`);
    if (kind !== 'publication') return;
    this.#publications.add(value.id);
    if (value.manifest === null) return;
    const { archive, id: pin, sha256, archiveBytes: bytes } = value;
    if (manifestEntries(value.manifest) === undefined)
      fail(`the list of files of publication ${pin} cannot be read`);
    this.named.set(archive, { pin, sha256, bytes });
  }

  /** Whether its bytes need not be read, which a sample leaves out. */
  has(id: ArchiveId): boolean {
    if (this.#sample === undefined) return false;
    this.#chosen ??= new Set(sampleOf([...this.named.keys()], this.#sample));
    if (this.#chosen.has(id)) return false;
    this.#seen.add(id);
    return true;
  }

  async archive(archive: MovingArchive): Promise<void> {
    this.#seen.add(archive.id);
    const expected = this.named.get(archive.id);
    if (expected === undefined) return;
    const { pin, sha256, bytes } = expected;
    if (archive.bytes !== bytes || archive.sha256 !== sha256) this.altered.push({ archive: archive.id, pin });
    else this.read += 1;
  }

  async end(_: ExportEnd): Promise<void> {}

  get missing(): readonly NamedArchive[] {
    const missing = [...this.named].filter(([archive]) => !this.#seen.has(archive));
    return missing.map(([archive, { pin }]) => ({ archive, pin }));
  }

  get superfluous(): number {
    return [...this.#seen].filter((id) => !this.named.has(id)).length;
  }
}

/**
 * Reads an export, and compares it with itself: every record, and every archive, or a sample of them, with what its record
 * says.
 *
 * @param stepsOf makes the steps of the export; it throws if there is no export.
 */
export async function verifyExport(
  stepsOf: (to: Destination, failed: (failure: CommandFailure) => void) => AsyncIterable<Step>,
  progress: Progress,
  sample?: number,
): Promise<VerifiedExport> {
  const check = new ExportCheck(sample);
  let records = 0;
  let hasBegun = false;
  const steps = async function* (): AsyncGenerator<Step, void> {
    for await (const step of stepsOf(check, check.failed)) {
      hasBegun = true;
      yield step;
    }
  };
  try {
    ({ records } = await move(steps(), check, progress));
  } catch (error) {
    // What is no export at all is a failure of its own.
    if (!hasBegun || !(error instanceof CommandFailure)) throw error;
    check.failed(error);
  }
  const { named, read, missing, altered, failures, superfluous } = check;
  const count = named.size;
  return { records, named: count, read: read + altered.length, superfluous, missing, altered, failures };
}
