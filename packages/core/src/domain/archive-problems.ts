import type { LimitAndActual, NoDetails, RuleDetails } from '../refusal.ts';
import type { UnsafePath } from './entry-path.ts';
import type { IndexHint } from './index-hint.ts';

/** Contradictions in an archive's structure. */
export type Ambiguity =
  | 'bytes_before_directory'
  | 'bytes_before_entry'
  | 'directory_ambiguous'
  | 'directory_misplaced'
  | 'directory_too_small'
  | 'directory_unreadable'
  | 'entry_counts'
  | 'entry_in_other_part'
  | 'entry_sizes'
  | 'entry_zip64'
  | 'local_header_missing'
  | 'several_end_records'
  | 'several_parts'
  | 'trailing_bytes'
  | 'zip64_disagrees'
  | 'zip64_misplaced';

/** The field in which a local header or data descriptor differs from the central directory. */
export type HeaderField =
  | 'compressed_size'
  | 'crc32'
  | 'descriptor'
  | 'flags'
  | 'method'
  | 'missing_descriptor'
  | 'name'
  | 'size'
  | 'time';

/**
 * Why the bytes of an entry's name, or its Unicode Path field, cannot be relied on. `field_crc_mismatch`: the CRC-32 in the
 * field is not that of the name. `field_name_differs`: the field holds another name.
 */
export type BadEncoding =
  | 'field_crc_mismatch'
  | 'field_name_differs'
  | 'field_not_utf8'
  | 'field_unreadable'
  | 'not_utf8';

interface AtPath {
  readonly path: string;
}

/** The rules an archive can break, with the details of a problem. The proof stops at a limit, and then there is no `actual`. */
export interface ArchiveRules {
  readonly not_a_zip: NoDetails;
  readonly truncated: NoDetails;
  readonly encrypted: AtPath;
  readonly symlink: AtPath;
  readonly special_file: AtPath;
  readonly unsafe_path: AtPath & { readonly reason: UnsafePath };
  readonly bad_encoding: AtPath & { readonly reason: BadEncoding };
  readonly forbidden_name: AtPath & { readonly segment: string };
  readonly missing_index: { readonly hint?: IndexHint };
  readonly too_many_files: LimitAndActual;
  readonly file_too_large: AtPath & Pick<LimitAndActual, 'limit'> & Partial<LimitAndActual>;
  readonly expanded_too_large: Pick<LimitAndActual, 'limit'> & Partial<LimitAndActual>;
  /** `other` is the same path in another spelling; absent if both are spelled the same. */
  readonly duplicate_path: AtPath & { readonly other?: string };
  readonly path_conflict: AtPath;
  readonly unsupported_compression: AtPath & { readonly method: number };
  readonly corrupt_data: AtPath;
  readonly header_mismatch: AtPath & { readonly fields: readonly HeaderField[] };
  /** The path is absent if an entry reaches into the central directory. */
  readonly overlapping_entries: Partial<AtPath>;
  readonly ambiguous_structure: Partial<AtPath> & { readonly reason: Ambiguity };
  /** An archive with the same bytes was taken down. */
  readonly forbidden_content: NoDetails;
}

/** The name of a rule for archives. */
export type ArchiveRule = keyof ArchiveRules;

/** One broken rule of an archive, with its data. */
export type ArchiveProblem = RuleDetails<ArchiveRules>;

/** The maximum number of problems listed of one rule. */
const MAX_OF_A_RULE = 1_000;

/**
 * Collects the problems of one archive: lists the first 1,000 of each rule and counts the others. An archive of 10 MiB can
 * have some 100,000 problems, and only a few are ever shown.
 *
 * @example
 * import { ProblemList } from '@pinfold/core/adapter';
 *
 * const found = new ProblemList();
 * for (let n = 0; n < 1_250; n += 1) found.add([{ rule: 'corrupt_data', path: `${n}.txt` }]);
 * found.listed.length; // 1000
 * found.omitted; // 250
 */
export class ProblemList {
  readonly #counts = new Map<ArchiveRule, number>();
  readonly #listed: ArchiveProblem[] = [];
  #omitted = 0;

  get listed(): readonly ArchiveProblem[] {
    return this.#listed;
  }

  get omitted(): number {
    return this.#omitted;
  }

  has(rule: ArchiveRule): boolean {
    return this.#counts.has(rule);
  }

  /** Adds problems; `omitted` is the number of further ones that were only counted. */
  add(problems: Iterable<ArchiveProblem>, omitted = 0): void {
    this.#omitted += omitted;
    for (const problem of problems) {
      const count = (this.#counts.get(problem.rule) ?? 0) + 1;
      this.#counts.set(problem.rule, count);
      if (count <= MAX_OF_A_RULE) this.#listed.push(problem);
      else this.#omitted += 1;
    }
  }
}
