import { STATUS_CODES } from 'node:http';
import type { WireError } from '@pinfold/http-express';
import { CommandFailure } from '../command-line/failures.ts';
import { brokenRules } from '../publishing/publication.ts';

/** What is read of a problem (RFC 9457); everything may be missing where a proxy answers. */
export interface ProblemJson {
  readonly code?: string;
  readonly detail?: string;
  readonly suggestion?: string;
  readonly retryable?: boolean;
  readonly errors?: readonly WireError[];
}

/** Reads the body of a refusal. */
export function parseProblem(text: string): ProblemJson {
  const parsed = parseJson(text);
  return typeof parsed === 'object' && parsed !== null ? parsed : {};
}

/** Reads a body; `undefined` where it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Says why a server refused. */
export function failureOf(url: string, status: number, problem: ProblemJson): CommandFailure {
  const { code, detail, suggestion, errors = [] } = problem;
  if (code === undefined && detail === undefined) return new CommandFailure(wordless(url, status));
  const what = [detail, suggestion].filter((sentence) => sentence !== undefined).join(' ');
  const rules = errors.length === 0 ? '' : `\n${brokenRules(errors)}`;
  const named = code === undefined ? '' : ` (${code})`;
  return new CommandFailure(`refused with ${status}${named}${what === '' ? '' : `: ${what}`}${rules}`);
}

/** An answer without a problem is mostly not Pinfold's own. */
function wordless(url: string, status: number): string {
  const why =
    status >= 500 ? 'a proxy that reaches no server does so' : `is ${new URL(url).origin} that of a Pinfold?`;
  const said = STATUS_CODES[status];
  return `${new URL(url).host} answered with ${status}${said === undefined ? '' : ` ${said}`} and no reason; ${why}`;
}

/** Says that no whole answer came, where that is what `fetch` rejected with. */
export function unreachable(url: string, error: unknown): CommandFailure | undefined {
  if (!(error instanceof TypeError) || !(error.cause instanceof Error)) return undefined;
  const why = 'code' in error.cause ? String(error.cause.code) : error.message;
  return new CommandFailure(`${new URL(url).host} cannot be reached: ${why}`, { cause: error });
}

/** Says that something answers there which is no Pinfold. */
export function foreignAnswer(): CommandFailure {
  return new CommandFailure('the answer is not that of a Pinfold');
}
