import { causesOf } from './causes.ts';
import { type Failure, PinfoldError } from './pinfold-error.ts';
import { isOfProtocol } from './protocol-errors.ts';
import { is } from './wire.ts';

export interface ApiRequest<Answer> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Behind the URL of the service, with the query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Makes the body anew for each attempt. */
  readonly body?: () => FormData | string;
  /** Milliseconds until the head of the answer, and again until its end. */
  readonly timeout: number;
  readonly isAnswer: (value: unknown) => value is Answer;
  /** Takes an answer by its head, and leaves its body to the caller; `undefined` for one to be read here. */
  readonly takeByHead?: (response: Response) => Answer | undefined;
  /** Written on every error. */
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Connection {
  readonly url: string;
  readonly key: string;
  readonly fetch: typeof fetch;
  readonly userAgent: string | undefined;
}

export type Attempt<Answer> =
  | { readonly kind: 'answered'; readonly answer: Answer; readonly headers: Headers }
  | FailedAttempt;

export interface FailedAttempt {
  readonly kind: 'failed';
  readonly error: PinfoldError;
  /** Whether the next attempt may fare better. */
  readonly temporary: boolean;
  /** Whether the API itself said that it did nothing, and when to come again. */
  readonly postponed: boolean;
  /** Whether any byte of an answer came. */
  readonly answered: boolean;
}

const TEMPORARY: readonly number[] = [408, 429, 502, 503, 504];
const POSTPONED: readonly number[] = [429, 503];
const SHOWN_CHARACTERS = 200;

/** Sends a request once. Throws the reason of its signal, once it is aborted. */
export async function attempt<Answer>(
  request: ApiRequest<Answer>,
  connection: Connection,
): Promise<Attempt<Answer>> {
  const { method, path, body, signal } = request;
  // Called as a method of something else, a browser's fetch fails.
  const { fetch: send, url, key } = connection;
  const headers = headersOf(request, connection);
  const late = new AbortController();
  const limit = () => setTimeout(() => late.abort(), request.timeout);
  let timer = limit();
  let answered = false;
  try {
    const response = await send(`${url}${path}`, {
      method,
      headers,
      body: body?.() ?? null,
      // A redirect would take the key to another place.
      redirect: 'manual',
      credentials: 'omit',
      signal: signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]),
    });
    answered = true;
    clearTimeout(timer);
    const taken = request.takeByHead?.(response);
    if (taken !== undefined) return { kind: 'answered', answer: taken, headers: response.headers };
    timer = limit();
    return read(response, await response.text(), request, key);
  } catch (cause) {
    signal?.throwIfAborted();
    const [code, detail] = late.signal.aborted
      ? ['timeout', 'The server did not answer in time.']
      : ['network_error', 'The connection to the server failed.'];
    const retryable = !isOfProtocol(cause);
    const error = errorOf(request, { code, detail, retryable, cause: harmless(cause, key) });
    return { kind: 'failed', error, temporary: retryable, postponed: false, answered };
  } finally {
    clearTimeout(timer);
  }
}

function headersOf<Answer>({ headers }: ApiRequest<Answer>, { key, userAgent }: Connection): Headers {
  const all = new Headers({ accept: 'application/json', authorization: `Bearer ${key}`, ...headers });
  if (userAgent !== undefined) all.set('user-agent', userAgent);
  return all;
}

function read<Answer>(
  response: Response,
  text: string,
  request: ApiRequest<Answer>,
  key: string,
): Attempt<Answer> {
  const { status, headers } = response;
  // Only 204 says that a thing is deleted: a page of a proxy has no JSON either.
  const value = status === 204 ? undefined : (parsed(text) ?? text);
  if (response.ok && request.isAnswer(value)) return { kind: 'answered', answer: value, headers };
  const redirected = response.type === 'opaqueredirect' || (status >= 300 && status < 400);
  const problem = response.ok || redirected ? undefined : problemIn(text, key);
  const known = {
    status,
    retryAfter: retryAfterOf(headers),
    requestId: headers.get('x-request-id') ?? undefined,
  };
  const temporary = TEMPORARY.includes(status);
  const failure: Failure =
    problem === undefined
      ? {
          ...known,
          code: 'invalid_answer',
          detail: shown(text, status, redirected, key),
          retryable: temporary,
        }
      : { ...known, retryable: temporary, ...problem };
  return {
    kind: 'failed',
    error: errorOf(request, failure),
    temporary: temporary || failure.code === 'idempotency_in_progress',
    postponed: problem !== undefined && POSTPONED.includes(status),
    answered: true,
  };
}

function errorOf<Answer>({ idempotencyKey }: ApiRequest<Answer>, failure: Failure): PinfoldError {
  return new PinfoldError({ ...failure, idempotencyKey });
}

function parsed(text: string, withString: (text: string) => string = (found) => found): unknown {
  try {
    if (text === '') return undefined;
    return JSON.parse(text, (_, value) => (typeof value === 'string' ? withString(value) : value));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Reads a problem document (RFC 9457); `undefined` for any other answer. */
function problemIn(
  text: string,
  key: string,
): (Pick<Failure, 'code' | 'detail'> & Partial<Failure>) | undefined {
  const value = parsed(text, (found) => withoutKey(found, key));
  if (typeof value !== 'object' || value === null) return undefined;
  const { code, detail, title, retryable, errors } = value as Readonly<Record<string, unknown>>;
  if (typeof code !== 'string') return undefined;
  return {
    code,
    detail: [detail, title, code].find((sentence) => typeof sentence === 'string') as string,
    ...(typeof retryable === 'boolean' && { retryable }),
    errors: Array.isArray(errors) ? errors.filter(is('RuleError')) : [],
  };
}

function shown(text: string, status: number, redirected: boolean, key: string): string {
  if (redirected)
    return 'The server redirects to another address. Give the address that it redirects to as url.';
  if (status === 416) return 'The archive does not have the bytes that range asks for.';
  const beginning = withoutKey(text, key).slice(0, SHOWN_CHARACTERS);
  return `The answer is not one of the Pinfold API${beginning === '' ? '.' : `: ${beginning}`}`;
}

/** An answer may repeat the request, as some proxies' pages do. */
function withoutKey(text: string, key: string): string {
  return text.replaceAll(key, '[key]');
}

/** The error that fetch rejected with, unless it shows the key. */
function harmless(cause: unknown, key: string): unknown {
  const showsKey = [...causesOf(cause)].some(({ message, stack }) => `${message}${stack}`.includes(key));
  return showsKey ? undefined : cause;
}

/** Retry-After in seconds: a number of them, or a date (RFC 9110, section 10.2.3). */
function retryAfterOf(headers: Headers): number | undefined {
  const header = headers.get('retry-after');
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1_000));
}
