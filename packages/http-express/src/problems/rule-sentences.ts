import type {
  Ambiguity,
  ArchiveRules,
  BadEncoding,
  Figures,
  IdempotencyKeyRules,
  NoDetails,
  OriginNeed,
  PasswordRules,
  QuotaRules,
  RuleDetails,
  SecretKind,
  TitleRules,
  UnsafePath,
  WarningRules,
} from '@pinfold/core';
import { type BuildTool, buildToolOf } from '@pinfold/http/internal/site-tools';

/** The API's sentence for each rule, or a function that makes it of the details. A missing rule does not compile. */
export type Sentences<Rules> = {
  readonly [Rule in keyof Rules]: string | ((told: Rules[Rule]) => string);
};

export function sentenceOf<Rules>(sentences: Sentences<Rules>, told: RuleDetails<Rules>): string {
  const sentence: string | ((own: never) => string) = sentences[told.rule];
  return typeof sentence === 'string' ? sentence : sentence(told as never);
}

/** The rules of forms and headers, which the core does not have. */
export interface RequestRules {
  readonly archive_missing: NoDetails;
  readonly archive_too_large: Pick<Figures, 'limit'>;
  readonly field_twice: { readonly field: string };
  readonly filename: NoDetails;
  readonly password_header: NoDetails;
  readonly title_encoding: NoDetails;
  readonly title_file: NoDetails;
  /** An Idempotency-Key that came in several headers. */
  readonly twice: NoDetails;
  readonly unknown_field: NoDetails;
}

export const REQUEST: Sentences<RequestRules> = {
  archive_missing: 'Send the ZIP as a file named "archive".',
  archive_too_large: ({ limit }) => `The ZIP has more than ${limit} bytes.`,
  field_twice: ({ field }) => `Send the field "${field}" once.`,
  filename:
    'Send the archive as a file whose name has 1 to 255 characters in UTF-8 and no control characters.',
  password_header:
    'Send the password as encodeURIComponent writes it (UTF-8 with percent escapes), or leave the header out.',
  title_encoding: 'Send the title in UTF-8.',
  title_file: 'Send the title as text, without a file name.',
  twice: 'Send one Idempotency-Key header.',
  unknown_field:
    'Only the fields "archive" and "title" are accepted; a name goes into the query (?name=…), a password into the header Pinfold-Password.',
};

export const IDEMPOTENCY_KEY: Sentences<IdempotencyKeyRules> = {
  empty: 'The Idempotency-Key is empty.',
  characters: 'The Idempotency-Key must be printable ASCII.',
  too_long: ({ limit, actual }) =>
    `The Idempotency-Key has ${actual} characters; at most ${limit} are allowed.`,
  secret: 'The Idempotency-Key contains the API key.',
};

export const TITLE: Sentences<TitleRules> = {
  type: 'The title must be a string or null.',
  encoding: 'The title is not valid Unicode.',
  control_character: 'The title contains a control character.',
  too_long: ({ limit, actual }) => `The title has ${actual} characters; at most ${limit} are allowed.`,
};

export const PASSWORD: Sentences<PasswordRules> = {
  type: 'The password must be a string or null.',
  encoding: 'The password is not valid Unicode.',
  too_short: ({ limit }) => `The password needs at least ${limit} characters.`,
  too_long: ({ limit, actual }) => `The password has ${actual} bytes in UTF-8; at most ${limit} are allowed.`,
};

export const QUOTA: Sentences<QuotaRules> = {
  sites: ({ limit, actual }) =>
    `The account would have ${actual} publications in service; at most ${limit} are allowed.`,
  bytes: ({ limit, actual }) =>
    `The archives in service would have ${actual} bytes; at most ${limit} are allowed.`,
  names: ({ limit, actual }) => `The account would have ${actual} names; at most ${limit} are allowed.`,
  keys: ({ limit, actual }) =>
    `The account would have ${actual} API keys that are not revoked; at most ${limit} are allowed.`,
};

const UNSAFE: Readonly<Record<UnsafePath, string>> = {
  empty: 'The name is empty.',
  control_character: 'The path contains a control character.',
  backslash: 'The path contains a backslash.',
  colon: 'The path contains a colon.',
  absolute: 'The path is absolute.',
  segment: 'A segment of the path is empty, "." or "..".',
  too_long: 'The path has more than 1024 bytes.',
};

const ENCODING: Readonly<Record<BadEncoding, string>> = {
  not_utf8: 'The name is marked as UTF-8 but is not.',
  field_unreadable: 'The Unicode Path field cannot be read.',
  field_of_other_name: 'The Unicode Path field belongs to another name.',
  field_not_utf8: 'The Unicode Path field is not UTF-8.',
  field_with_other_name: 'The Unicode Path field holds another name.',
};

const AMBIGUOUS: Readonly<Record<Ambiguity, string>> = {
  bytes_before_directory: 'Bytes before the central directory belong to no entry.',
  bytes_before_entry: 'Bytes before the entry belong to no entry.',
  directory_misplaced: 'The central directory is not where the end record says.',
  directory_too_small: 'The end record counts more entries than the central directory has room for.',
  directory_unreadable: 'The central directory cannot be read to its end.',
  entry_counts: 'The ZIP counts its entries in two ways that differ.',
  entry_in_other_part: 'The entry is said to be in another part of a split ZIP.',
  entry_sizes: 'The sizes of the entries do not add up.',
  entry_zip64: 'The Zip64 field of the entry contradicts its header.',
  local_header_missing: 'There is no local header where the central directory says.',
  several_end_records: 'The ZIP has several end records; make it again.',
  several_parts: 'The ZIP is one part of several.',
  trailing_bytes: 'Something follows the end of the ZIP; make it again.',
  two_readings: 'The central directory can be read in two ways.',
  zip64_disagrees: 'The Zip64 end record and the end record disagree.',
  zip64_misplaced: 'The Zip64 end record is not where its locator says.',
};

export const ARCHIVE: Sentences<ArchiveRules> = {
  not_a_zip: 'The file is not a ZIP archive.',
  truncated: 'The end of the ZIP is missing; send the whole file.',
  encrypted: 'Make the ZIP without a password.',
  symlink: 'Replace the symbolic link with a file.',
  special_file: 'Only files and folders may be in the ZIP.',
  unsafe_path: ({ reason }) => UNSAFE[reason],
  bad_encoding: ({ reason }) => ENCODING[reason],
  forbidden_name: ({ segment }) => `Leave "${segment}" out of the ZIP.`,
  missing_index: ({ found }) => {
    const place =
      'Put an index.html (lower case) at the root of the ZIP or in the one folder that holds everything.';
    return found === undefined ? place : `${place} Found "${found.name}" ${whereIs(found)}.`;
  },
  too_many_files: ({ limit, actual }) => `The ZIP has ${actual} files; at most ${limit} are allowed.`,
  file_too_large: ({ limit, actual }) => `The file has ${tooMuch(limit, actual)}.`,
  expanded_too_large: ({ limit, actual }) => `The expanded files have ${tooMuch(limit, actual)}.`,
  duplicate_path: ({ other }) =>
    other === undefined ? 'The path is in the ZIP twice.' : `The path is the same as "${other}".`,
  path_conflict: 'The path is both a file and a folder.',
  unsupported_compression: ({ method }) =>
    `Compression method ${method} is not supported; use deflate or store.`,
  corrupt_data: 'The data does not match its headers; make the ZIP again.',
  header_mismatch: ({ fields }) => {
    const updated = fields.includes('missing_descriptor')
      ? ' .NET Framework, PowerShell 5 (Compress-Archive -Update) and adm-zip before 0.6 write such ZIPs when they update one: pack it anew from its files.'
      : '';
    return `The entry and the central directory disagree: ${fields.join(', ').replaceAll('_', ' ')}; make the ZIP again.${updated}`;
  },
  overlapping_entries: ({ path }) =>
    path === undefined ? 'An entry reaches into the central directory.' : 'The entry overlaps another one.',
  ambiguous_structure: ({ reason }) => AMBIGUOUS[reason],
  forbidden_content:
    'The operator of this service took this very archive down; it cannot be published again.',
};

const SECRETS: Readonly<Record<Exclude<SecretKind, 'secret_file'>, string>> = {
  private_key: 'private key',
  aws_access_key: 'AWS access key',
  github_token: 'GitHub token',
  gitlab_token: 'GitLab token',
  slack_token: 'Slack token',
  stripe_secret_key: 'Stripe secret key',
  anthropic_api_key: 'Anthropic API key',
  openai_api_key: 'OpenAI API key',
  npm_token: 'npm token',
  pinfold_api_key: 'Pinfold API key',
};

/** Stands before the advice on a reference that begins with `/`. */
export const LEADS_OUT = 'begins with "/" and leads out of the site here.';

function cureOf(tool: BuildTool | undefined): string {
  if (tool === undefined) {
    return 'Make it relative. If the tool that builds the site cannot do that, ask the operator for a service in origin mode.';
  }
  const { name, setting, byHand } = tool;
  if (byHand === true) return `The site was built with ${name}: write relative references in its templates.`;
  return setting === undefined
    ? `The site was built with ${name}, which has no setting for relative references: ask the operator for a service in origin mode.`
    : `The site was built with ${name}: use \`${setting}\` and build it again.`;
}

const NEEDS: Readonly<Record<OriginNeed, string>> = {
  storage:
    'A script uses localStorage, sessionStorage, IndexedDB or cookies. This service shows sites without an origin of their own, so the script may stop there: catch the error, or ask the operator for a service in origin mode.',
  worker:
    'A script starts a worker. This service shows sites without an origin of their own, so that may fail: catch the error, or ask the operator for a service in origin mode.',
  track:
    'The subtitles of the <track> may not show here: add the attribute crossorigin to the <video> or <audio>.',
  external_use: 'The <use> of another file may show nothing here: put the symbol into the page itself.',
  embedded_pdf: 'The embedded PDF may not show here: link to it instead.',
};

export const WARNING: Sentences<WarningRules> = {
  password_dropped:
    'The name showed a publication with a password, and this one has none: anyone with the link can open it.',
  names_nearly_full: ({ used, most }) =>
    `The account has ${used} of at most ${most} names: delete those that are no longer needed.`,
  names_decoded: ({ encoding }) =>
    `Nothing in the ZIP tells the encoding of its names. They were read as ${encoding}. If this name is wrong, make the ZIP again with names in UTF-8 (in 7-Zip, with the parameter cu=on), or publish the folder itself.`,
  case_mismatch: ({ target, file }) =>
    `"${target}" differs from the file "${file}" only in upper and lower case.`,
  broken_reference: ({ target }) => `No file of the site answers "${target}".`,
  source_map: 'Anyone with the link can read your source code in this source map.',
  possible_secret: ({ secret }) =>
    secret === 'secret_file'
      ? 'Files of this name usually hold secrets: if this one does, stop the publication and revoke them.'
      : `The file seems to contain a secret (${SECRETS[secret]}): if it is real, stop the publication and revoke it.`,
  service_worker:
    'The script registers a service worker. This server refuses service workers, so the site must work without one.',
  unused_server_file:
    'The file configures another server. It has no effect here, and anyone with the link can read it.',
  absolute_reference: ({ target, tool }) => `"${target}" ${LEADS_OUT} ${cureOf(buildToolOf(tool))}`,
  needs_origin: ({ need }) => NEEDS[need],
  needs_referrer: ({ target }) =>
    `"${target}" wants to know which site embeds it, and browsers do not say so here: add referrerpolicy="strict-origin-when-cross-origin" to the <iframe>.`,
  not_all_checked:
    'The site has more text and references than are checked, so there may be more to warn about.',
};

function whereIs({
  depth,
  inOnlyFolder,
}: {
  readonly depth: number;
  readonly inOnlyFolder: boolean;
}): string {
  if (depth === 0) return 'at the root';
  if (depth > 1) return `${depth} folders deep`;
  return inOnlyFolder ? 'in that folder' : 'in a folder that does not hold everything';
}

/** Proving stops at a limit, and does not know how much more there is. */
function tooMuch(limit: number, actual: number | undefined): string {
  return actual === undefined ? `more than ${limit} bytes` : `${actual} bytes; at most ${limit} are allowed`;
}
