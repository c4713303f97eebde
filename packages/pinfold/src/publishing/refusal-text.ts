import type { Refusal } from '@pinfold/core';
import { englishOf, REFUSAL_TEXTS, type RefusalTextId, readFinding } from '@pinfold/http/internal/texts';
import {
  problemOf,
  refusedBy,
  type WireError,
  type WireWarning,
} from '@pinfold/http-express/internal/problems';
import { CommandFailure, isRefusedWith, UsageError } from '../command-line/failures.ts';
import { pluralize } from '../command-line/print-list.ts';
import { escapeControls } from '../command-line/terminal.ts';

/** The English text of a refusal, for the command and MCP. */
export function refusalMessage(id: RefusalTextId): string {
  return englishOf(REFUSAL_TEXTS[id]);
}

export function nameNotFound(cause?: unknown): CommandFailure {
  return new CommandFailure(refusalMessage('not_found_name'), { code: 'not_found', cause });
}

/** Rethrows an error of the API; `not_found` becomes the message for an unknown name. */
export function throwNameError(error: unknown): never {
  throw isRefusedWith(error, 'not_found') ? nameNotFound(error) : error;
}

export function formatProblem(code: string, detail: string, errors: readonly WireError[] = []): string {
  if (code === 'invalid_archive') return `the archive breaks these rules:\n${formatBrokenRules(errors)}`;
  return joinSentences(detail, errors);
}

/** Lists the broken rules of an archive: each cause once, followed by its first files. */
function formatBrokenRules(errors: readonly WireError[]): string {
  return groupFindings(errors)
    .flatMap(({ sentence, places }) => [`  ${sentence}`, ...places.map((place) => `    ${place}`)])
    .map(escapeControls)
    .join('\n');
}

export function joinSentences(detail: string, errors: readonly { readonly detail: string }[] = []): string {
  return errors.length === 0 ? detail : errors.map((problem) => problem.detail).join(' ');
}

/** The text with which the API describes a refusal of the core. */
export function formatRefusal(refusal: Refusal): string {
  if (refusal.code === 'not_found') return refusalMessage('not_found_publication');
  const request = { requestId: '', publishing: false };
  const { code, detail, errors } = problemOf(refusedBy(refusal, 'change'), request);
  return formatProblem(code, detail, errors);
}

/** Returns an outcome. @throws CommandFailure for a refusal. */
export function expectAccepted<Outcome extends { readonly kind: string }>(
  outcome: Outcome | Refusal,
): Exclude<Outcome, Refusal> {
  if (outcome.kind !== 'refused') return outcome as Exclude<Outcome, Refusal>;
  const { code } = outcome as Refusal;
  const detail = formatRefusal(outcome as Refusal);
  throw new CommandFailure(detail, { cause: outcome, json: { code, detail } });
}

/** Returns a parsed argument. @throws UsageError for a refusal of the core. */
export function readArgument<Parsed extends string | null>(
  parsed: Parsed | Refusal<'invalid_filename' | 'invalid_idempotency_key' | 'invalid_title'>,
): Parsed {
  if (parsed === null || typeof parsed === 'string') return parsed;
  throw new UsageError(formatRefusal(parsed), { cause: parsed });
}

/** Broken rules, or warnings, with the same cause. */
interface FindingGroup {
  /** The problem and the advice, then the rule and its count in brackets. */
  readonly sentence: string;
  /** The first files, each with the text found there, then the number of further files. */
  readonly places: readonly string[];
}

/** The maximum number of findings in one answer; an answer with as many may omit others. */
const MAX_FINDINGS = 20;
const SHOWN_PLACES = 5;

/** Groups findings by cause, so that one cause in many files is one sentence. */
export function groupFindings(findings: readonly WireWarning[]): readonly FindingGroup[] {
  const atLeast = findings.length < MAX_FINDINGS ? '' : 'at least ';
  const all = findings.map((finding) => ({ ...finding, ...readFinding(finding.detail) }));
  return [...Map.groupBy(all, ({ rule, sentences }) => `${rule} ${sentences}`).values()].flatMap((group) => {
    const [{ rule, sentences }] = group as [(typeof all)[number]];
    const places = formatPlaces(group);
    const more = places.length - SHOWN_PLACES;
    const count = group.length > 1 ? `, ${atLeast}${group.length}` : '';
    return {
      sentence: `${sentences} (${rule}${count})`,
      places: [...places.slice(0, SHOWN_PLACES), ...(more > 0 ? [`and ${more} more`] : [])],
    };
  });
}

interface Place {
  readonly path?: string;
  /** The text found there. */
  readonly seen?: string;
}

/** Formats places. Files in which the same text was found share one place. */
function formatPlaces(group: readonly Place[]): readonly string[] {
  const byText = Map.groupBy(group, (place) => place.seen);
  return [...byText].flatMap(([text, places]) => {
    const paths = [...new Set(places.flatMap(({ path }) => path ?? []))];
    if (text === undefined) return paths;
    const [path, ...others] = paths;
    if (path === undefined) return text;
    return others.length === 0 ? `${path}: ${text}` : `${pluralize(paths.length, 'file')}: ${text}`;
  });
}
