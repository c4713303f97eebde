import type { Refusal } from '@pinfold/core';
import { englishOf, REFUSAL_TEXTS, type RefusalTextId } from '@pinfold/http/internal/texts';
import { problemOf, refusedBy, type WireError } from '@pinfold/http-express/internal/problems';
import { CommandFailure, isRefusedWith, UsageError } from '../command-line/failures.ts';
import { escapeControls } from '../command-line/terminal.ts';
import { groupFindings } from './finding-groups.ts';

/** What the catalogue of refusals says, as the command and MCP say it. */
export function catalogueText(id: RefusalTextId): string {
  return englishOf(REFUSAL_TEXTS[id]);
}

export function noName(cause?: unknown): CommandFailure {
  return new CommandFailure(catalogueText('not_found_name'), { code: 'not_found', cause });
}

/** Rejects as the API has, and where it knows no such name with what the catalogue says of names. */
export function orNoName(error: unknown): never {
  throw isRefusedWith(error, 'not_found') ? noName(error) : error;
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

/** Why the core refuses something, as the API says it. */
export function refusalText(refusal: Refusal): string {
  if (refusal.code === 'not_found') return catalogueText('not_found_publication');
  const request = { requestId: '', publishing: false };
  const { code, detail, errors } = problemOf(refusedBy(refusal, 'change'), request);
  return problemText(code, detail, errors);
}

/** @throws CommandFailure for a refusal. */
export function accepted<Accepted extends { readonly kind: string }>(
  outcome: Accepted | Refusal,
): Exclude<Accepted, Refusal> {
  if (outcome.kind !== 'refused') return outcome as Exclude<Accepted, Refusal>;
  const { code } = outcome as Refusal;
  const detail = refusalText(outcome as Refusal);
  throw new CommandFailure(detail, { cause: outcome, json: { code, detail } });
}

/** @throws UsageError for an argument that the core refuses. */
export function readArgument<Read extends string | null>(
  read: Read | Refusal<'invalid_filename' | 'invalid_idempotency_key' | 'invalid_title'>,
): Read {
  if (read === null || typeof read === 'string') return read;
  throw new UsageError(refusalText(read), { cause: read });
}
