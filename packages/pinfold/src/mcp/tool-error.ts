import { randomUUID } from 'node:crypto';
import { PinfoldError } from '@pinfold/client';
import type { Refusal } from '@pinfold/core';
import { isWireCode, problemOf, refuseRequest } from '@pinfold/http-express/internal/problems';
import { CommandFailure, toFailureJson, UnavailableError, UsageError } from '../command-line/failures.ts';
import { escapeControlsInLines } from '../command-line/terminal.ts';
import { joinSentences } from '../publishing/refusal-text.ts';

export interface ToolResult {
  readonly content: { type: 'text'; text: string }[];
  readonly structuredContent: Record<string, unknown>;
  readonly isError?: true;
  readonly [member: string]: unknown;
}

/** The result of a failed tool call: the problem document, and a sentence with advice. */
export function toolError(error: unknown, publishing: boolean): ToolResult {
  const problem = createProblem(error, publishing);
  const isReadable = error instanceof CommandFailure;
  const detail = isReadable ? error.message : joinSentences(problem.detail, problem.errors);
  const text = `${detail.replace(/\.?$/, '.')} ${problem.suggestion}`;
  return {
    content: [{ type: 'text', text: escapeControlsInLines(text) }],
    structuredContent: { ...problem },
    isError: true,
  };
}

/** The ZIP is made by the tool, so the advice is about the content instead of the ZIP. */
const ADVICE = {
  invalid_archive: { advice: 'Correct what you publish and call the tool again' },
  archive_too_large: { advice: 'Publish less and call the tool again' },
};

interface ProblemDocument {
  readonly detail: string;
  readonly suggestion: string;
  readonly retryable: boolean;
  readonly [member: string]: unknown;
  readonly errors?: readonly { readonly detail: string }[];
}

function createProblem(error: unknown, publishing: boolean): ProblemDocument {
  const json = toFailureJson(error) ?? { code: 'internal_error', detail: 'failed' };
  const key = json.idempotency_key === undefined ? {} : { idempotency_key: json.idempotency_key };
  const cause = error instanceof Error ? error.cause : undefined;
  const requestId = (cause instanceof PinfoldError && cause.requestId) || randomUUID();
  const refusal = findRefusal(cause);
  // A call with wrong arguments has no key that could be sent again.
  const hasKey = publishing && !(error instanceof UsageError);
  if (refusal !== undefined)
    return { ...problemOf(refusal, { requestId, publishing: hasKey, words: ADVICE }), ...key };
  const retryable = error instanceof UnavailableError;
  return {
    type: `urn:pinfold:problem:${json.code}`,
    title: 'The tool could not do this',
    code: json.code,
    detail: json.detail,
    retryable,
    suggestion: retryable
      ? `Try again later${publishing ? ' with the same idempotency_key' : ''}.`
      : 'Correct the problem in the detail, and call the tool again.',
    ...key,
  };
}

function findRefusal(cause: unknown): Parameters<typeof problemOf>[0] | undefined {
  if (cause instanceof PinfoldError) {
    const { code, detail, errors } = cause;
    return isWireCode(code) ? refuseRequest(code, { detail, errors }) : undefined;
  }
  const isRefusal =
    typeof cause === 'object' && cause !== null && 'kind' in cause && cause.kind === 'refused';
  return isRefusal ? (cause as Refusal) : undefined;
}
