import { type ArchiveId, isFault, type ManifestEntry, type Sha256 } from '@pinfold/core';
import { decodeManifest } from '@pinfold/core/internal';
import { CommandFailure } from '../command-line/failures.ts';
import { type ExportEnd, type RecordsFile, recordsIn } from './export-form.ts';
import { type Destination, move, type Step } from './move.ts';
import type { Progress } from './progress.ts';
import { isSound, type NamedArchive } from './verify-stores.ts';
import type { MovingArchive } from './whole-archive.ts';

/** What there is to say of an export. */
export interface VerifiedExport {
  readonly records: number;
  /** Archives that records name. */
  readonly named: number;
  /** Archives that no record names. */
  readonly superfluous: number;
  readonly missing: readonly NamedArchive[];
  /** Longer, shorter or other than their records say. */
  readonly altered: readonly NamedArchive[];
  /** What else is wrong, a sentence each. */
  readonly failures: readonly string[];
}

interface Expected extends NamedArchive {
  readonly sha256: Sha256;
  readonly bytes: number;
  readonly entries: readonly ManifestEntry[];
}

/** Takes the steps of an export, and keeps nothing of them but what is wrong. */
class ExportCheck implements Destination {
  readonly failures: string[] = [];
  readonly altered: NamedArchive[] = [];
  readonly named: Map<ArchiveId, Expected> = new Map();
  readonly #seen: Set<ArchiveId> = new Set();

  readonly failed = ({ message }: CommandFailure): void => {
    this.failures.push(message);
  };

  async begin(): Promise<void> {}

  async records(lines: Uint8Array, { file }: RecordsFile): Promise<void> {
    try {
      for (const { kind, value } of recordsIn(lines)) {
        if (kind === 'removal') this.named.delete(value.archive);
        if (kind !== 'publication' || value.manifest === null) continue;
        const { archive, id: pin, sha256, archiveBytes: bytes, manifest } = value;
        this.named.set(archive, { archive, pin, sha256, bytes, entries: decodeManifest(manifest).entries });
      }
    } catch (error) {
      // No list of files, or no record.
      if (!isFault(error) && !(error instanceof CommandFailure)) throw error;
      this.failures.push(`${file}: ${error.message}`);
    }
  }

  has(): boolean {
    return false;
  }

  async archive(archive: MovingArchive): Promise<void> {
    this.#seen.add(archive.id);
    const expected = this.named.get(archive.id);
    if (expected === undefined) return;
    const { pin, sha256, bytes, entries } = expected;
    // Records of early releases have no SHA-256, and a size that was reckoned.
    const isLong = sha256 === '' || archive.bytes === bytes;
    if (!isLong || !isSound(archive, { sha256, entries })) this.altered.push({ archive: archive.id, pin });
  }

  async end(_: ExportEnd): Promise<void> {}

  get missing(): readonly NamedArchive[] {
    const missing = [...this.named.values()].filter(({ archive }) => !this.#seen.has(archive));
    return missing.map(({ archive, pin }) => ({ archive, pin }));
  }

  get superfluous(): number {
    return [...this.#seen].filter((id) => !this.named.has(id)).length;
  }
}

/**
 * Reads an export, and compares it with itself: every record, and every archive with what its record says.
 *
 * @param stepsOf makes the steps of the export; it throws where there is none.
 */
export async function verifyExport(
  stepsOf: (to: Destination, failed: (failure: CommandFailure) => void) => AsyncIterable<Step>,
  progress: Progress,
): Promise<VerifiedExport> {
  const check = new ExportCheck();
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
  const { named, missing, altered, failures, superfluous } = check;
  return { records, named: named.size, superfluous, missing, altered, failures };
}
