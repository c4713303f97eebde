import { STATUS_CODES } from 'node:http';
import { type Clock, type Duration, seconds } from '@pinfold/core';
import type { WireError } from '@pinfold/http-express';
import { CommandFailure } from '../command-line/failures.ts';
import { persist, type Try } from './persist.ts';
import { brokenRules, type Published, type Wish } from './publication.ts';

/** A Pinfold elsewhere. */
export interface Server {
  /** What its API begins with. */
  readonly url: string;
  readonly apiKey: string;
}

/** What is read of a problem (RFC 9457); everything may be missing where a proxy answers. */
interface ProblemJson {
  readonly code?: string;
  readonly detail?: string;
  readonly suggestion?: string;
  readonly retryable?: boolean;
  readonly errors?: readonly WireError[];
}

const RETRYABLE = [408, 429, 500, 502, 503, 504];

/** Publishes by the API, and sends the same again while that can help. */
export function publishOverHttp(
  server: Server,
  wish: Wish,
  clock: Clock,
  note: (reason: Error, pause: Duration) => void,
): Promise<Published> {
  return persist(clock, () => attempt(server, wish, clock), note);
}

async function attempt({ url, apiKey }: Server, wish: Wish, clock: Clock): Promise<Try<Published>> {
  const body = new FormData();
  body.set('archive', new Blob([wish.bytes], { type: 'application/zip' }), wish.filename);
  if (wish.title !== undefined) body.set('title', wish.title);
  const headers = { authorization: `Bearer ${apiKey}`, 'idempotency-key': wish.idempotencyKey };
  try {
    // A redirect would take the key to another place.
    const request = { method: 'POST', body, headers, redirect: 'manual' } as const;
    const answer = await fetch(`${url}/api/v1/pins`, request);
    const text = await answer.text();
    if (answer.status === 200 || answer.status === 201) return { kind: 'done', result: parsePublished(text) };
    const problem = parseProblem(text);
    const reason = failureOf(url, answer.status, problem);
    const again = problem.retryable ?? RETRYABLE.includes(answer.status);
    if (!again) throw reason;
    return { kind: 'again', after: waitOf(answer.headers.get('retry-after'), clock), reason };
  } catch (error) {
    if (!isNetworkFailure(error)) throw error;
    const reason = new CommandFailure(`${new URL(url).host} cannot be reached: ${causeOf(error)}`, {
      cause: error,
    });
    return { kind: 'again', after: undefined, reason };
  }
}

/** What `fetch` rejects with when no whole answer came. */
function isNetworkFailure(error: unknown): error is Error {
  return error instanceof TypeError && error.cause instanceof Error;
}

function causeOf({ cause, message }: Error): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : message;
}

function parsePublished(text: string): Published {
  const published = parseJson(text) as Partial<Published> | undefined;
  if (typeof published?.pin?.shared_url !== 'string')
    throw new CommandFailure('the answer is not that of a Pinfold');
  return { pin: published.pin, warnings: published.warnings ?? [] };
}

function parseProblem(text: string): ProblemJson {
  const parsed = parseJson(text);
  return typeof parsed === 'object' && parsed !== null ? parsed : {};
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function failureOf(url: string, status: number, problem: ProblemJson): CommandFailure {
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

/** Retry-After in seconds or as a date (RFC 9110, section 10.2.3). */
function waitOf(header: string | null, clock: Clock): Duration | undefined {
  if (header === null) return undefined;
  if (/^\d{1,6}$/.test(header)) return seconds(Number(header));
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : seconds(Math.max(0, at - clock.now()) / 1_000);
}
