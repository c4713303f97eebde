import type { ArchiveProblem } from '../domain/archive-problems.ts';
import type { ArchiveListing, ProofTask } from '../domain/archive-rules.ts';
import type { ObservedFile } from '../domain/warnings.ts';
import type { StagedArchive } from './staging.ts';

/**
 * The findings in one entry. References are needed only if no file of the tasks has their target, or if they begin with `/`;
 * of each kind, no more than there can be warnings: those that `ReferenceFilter` passes.
 */
export interface EntryProof extends Omit<ObservedFile, 'path'> {
  readonly entry: number;
  /** Whether the whole entry is valid UTF-8 (and not ISO-2022-JP, whose bytes are valid UTF-8 too). */
  readonly utf8: boolean;
}

/** The outcome of inflating entries. Without problems, every task has its proof. */
export interface ArchiveProof {
  readonly problems: readonly ArchiveProblem[];
  readonly entries: readonly EntryProof[];
}

/** The entries of a staged archive to prove. */
export interface ProofRequest {
  readonly archive: StagedArchive;
  readonly listing: ArchiveListing;
  readonly tasks: readonly ProofTask[];
  /** The maximum number of bytes that all entries together may inflate to. */
  readonly expandedBytes: number;
}

/**
 * Reads ZIP archives and proves them (APPNOTE.TXT and docs/wire.md#the-rules-for-zips). A broken archive is an
 * outcome, never a fault.
 *
 * Faults: `staging_unavailable` when the staged file cannot be read.
 */
export interface ArchiveInspector {
  /**
   * Reads structure, names and headers. Reads data only for the encoding of names and for AppleDouble files, within bounds.
   * `maxEntries` includes folders; the default is the inspector's own bound.
   * @promise archive-inspector/list-entries: every entry of the directory is listed, in order, with the offset of its data
   * @promise archive-inspector/list-names: unmarked names are decoded with the one encoding that chooseNameEncoding chooses from the pages, and AppleDouble files are marked
   * @promise archive-inspector/list-structure: every broken rule of structure, headers and encoding is reported
   * @promise archive-inspector/list-bounded: a directory with more entries than the maximum is too_many_files and its entries are not listed, whatever count its end record has
   * @promise archive-inspector/list-tools: archives of real tools are listed without problems
   * @promise archive-inspector/list-aborted: an aborted signal rejects with its reason
   * @promise archive-inspector/list-unreadable: a missing staged file is the fault staging_unavailable
   */
  list(archive: StagedArchive, signal?: AbortSignal, maxEntries?: number): Promise<ArchiveListing>;

  /**
   * @promise archive-inspector/prove-sound: an entry is proved only if its data is exactly as the directory declares it
   * @promise archive-inspector/prove-limits: an entry that inflates beyond its limit is reported, and so are entries beyond the limit of all together, after which nothing is inflated
   * @promise archive-inspector/prove-observes: references, suspected secrets, registered service workers and valid UTF-8 are observed
   * @promise archive-inspector/prove-bounded: the search for warnings is bounded: an entry beyond the bounds is marked as not whole, and a second search finds the same
   * @promise archive-inspector/prove-aborted: an aborted signal rejects with its reason
   * @promise archive-inspector/prove-unreadable: a missing staged file is the fault staging_unavailable
   * @promise archive-inspector/prove-many: concurrent proofs of many archives do not mix
   */
  prove(request: ProofRequest, signal?: AbortSignal): Promise<ArchiveProof>;
}
