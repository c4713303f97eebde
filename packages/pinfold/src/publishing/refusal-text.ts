import type { Refusal } from '@pinfold/core';
import { englishOf, REFUSAL_TEXTS, type RefusalTextId } from '@pinfold/http/internal/texts';
import {
  archiveError,
  problemOf,
  type RoleOperation,
  refusedBy,
  type WireError,
} from '@pinfold/http-express/internal';
import { escapeControls } from '../command-line/escape-control-characters.ts';
import { CommandFailure, UsageError } from '../command-line/failures.ts';
import { groupFindings } from './finding-groups.ts';

/** What the catalogue of refusals says, as the command and MCP say it. */
export function catalogueText(id: RefusalTextId): string {
  return englishOf(REFUSAL_TEXTS[id]);
}

export function noName(cause?: unknown): CommandFailure {
  return new CommandFailure(catalogueText('not_found_name'), { code: 'not_found', cause });
}

export function problemText(code: string, detail: string, errors: readonly WireError[] = []): string {
  if (code === 'invalid_archive') return `the archive breaks these rules:\n${brokenRules(errors)}`;
  return sentencesOf(detail, errors);
}

/** An archive's broken rules for a person: each cause once, with the first of the files under it. */
function brokenRules(errors: readonly WireError[]): string {
  return groupFindings(errors)
    .flatMap(({ sentence, places }) => [`  ${sentence}`, ...places.map((place) => `    ${place}`)])
    .map(escapeControls)
    .join('\n');
}

export function sentencesOf(detail: string, errors: readonly { readonly detail: string }[] = []): string {
  return errors.length === 0 ? detail : errors.map((broken) => broken.detail).join(' ');
}

/** Why something was refused on this machine: as the API says it, and what only a person here may know. */
export function refusalText(refusal: Refusal, operation: RoleOperation = 'change'): string {
  switch (refusal.code) {
    case 'account_blocked':
      return `${catalogueText(refusal.code)} The reason: ${refusal.reason}`;
    case 'archive_too_large':
      return archiveError({ rule: refusal.code, limit: refusal.limit }).detail;
    case 'forbidden':
      return catalogueText('forbidden_viewing');
    case 'invalid_archive':
      return problemText(refusal.code, '', refusal.problems.map(archiveError));
    case 'not_found':
      return catalogueText('not_found_publication');
    case 'read_only':
      return [catalogueText(refusal.code), refusal.message].filter((text) => text !== null).join(' ');
    case 'refused_by_host':
      return refusal.words.en;
  }
  const { code, detail, errors } = problemOf(refusedBy(refusal, operation), {
    requestId: '',
    publishing: false,
  });
  return problemText(code, detail, errors);
}

export function refused(refusal: Refusal, operation?: RoleOperation): CommandFailure | UsageError {
  const detail = refusalText(refusal, operation);
  const { code } = refusal;
  if (code === 'invalid_filename' || code === 'invalid_idempotency_key' || code === 'invalid_title')
    return new UsageError(detail, { cause: refusal });
  const errors = code === 'invalid_archive' && { errors: refusal.problems.map(archiveError) };
  return new CommandFailure(detail, { cause: refusal, json: { code, detail, ...errors } });
}

/** @throws CommandFailure or UsageError for a refusal. */
export function accepted<Accepted extends { readonly kind: string }>(
  outcome: Accepted | Refusal,
  operation?: RoleOperation,
): Exclude<Accepted, Refusal> {
  if (outcome.kind === 'refused') throw refused(outcome as Refusal, operation);
  return outcome as Exclude<Accepted, Refusal>;
}

/** @throws UsageError for an argument that the core refuses. */
export function readArgument<Read extends string | null>(
  read: Read | Refusal<'invalid_filename' | 'invalid_idempotency_key' | 'invalid_title'>,
): Read {
  if (read === null || typeof read === 'string') return read;
  throw refused(read);
}
