import { type Failure, PinfoldError } from './pinfold-error.ts';
import { MAX_TIMER } from './retry-schedule.ts';
import { is } from './wire-objects.ts';

export interface ApiRequest<Answer> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path and query, relative to the URL of the service. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Creates the body for each attempt. */
  readonly body?: () => FormData | string;
  /** Milliseconds until the head of the answer, and again until its end. */
  readonly timeout: number;
  readonly isAnswer: (value: unknown) => value is Answer;
  /** Accepts an answer by its head and leaves its body to the caller; `undefined` if the body is to be read. */
  readonly takeByHead?: (response: Response) => Answer | undefined;
  /** Added to every error. */
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
  /** Whether a retry may succeed. */
  readonly temporary: boolean;
  /** Whether the API itself answered that it changed nothing, and when to retry. */
  readonly postponed: boolean;
  /** Whether an answer began. */
  readonly answered: boolean;
}

const TEMPORARY: readonly number[] = [408, 429, 502, 503, 504];
const POSTPONED: readonly number[] = [429, 503];
const SHOWN_CHARACTERS = 200;
/** Far above the size of any answer of the API. */
const MAX_BYTES = 16_777_216;

/** Sends a request once. Throws the signal's reason if it aborts. */
export async function attempt<Answer>(
  request: ApiRequest<Answer>,
  connection: Connection,
): Promise<Attempt<Answer>> {
  const { method, path, body, idempotencyKey, signal } = request;
  // A variable, because a browser's `fetch` fails if it is called as a method of another object.
  const { fetch: send, url, key, userAgent } = connection;
  const base = { accept: 'application/json', authorization: `Bearer ${key}` };
  const headers = new Headers({ ...base, ...request.headers });
  if (userAgent !== undefined) headers.set('user-agent', userAgent);
  const timeoutController = new AbortController();
  const startTimer = () => setTimeout(() => timeoutController.abort(), Math.min(request.timeout, MAX_TIMER));
  let timer = startTimer();
  let answered = false;
  try {
    const response = await send(`${url}${path}`, {
      method,
      headers,
      body: body?.() ?? null,
      // A redirect would send the key to another address.
      redirect: 'manual',
      credentials: 'omit',
      signal:
        signal === undefined ? timeoutController.signal : AbortSignal.any([signal, timeoutController.signal]),
    });
    answered = true;
    clearTimeout(timer);
    const accepted = request.takeByHead?.(response);
    if (accepted !== undefined) return { kind: 'answered', answer: accepted, headers: response.headers };
    timer = startTimer();
    return read(response, await readText(response), request, key);
  } catch (cause) {
    signal?.throwIfAborted();
    const [code, detail] = timeoutController.signal.aborted
      ? ['timeout', 'The server did not answer in time.']
      : ['network_error', 'The connection to the server failed.'];
    const retryable = !isProtocolFailure(cause);
    const failure = { code, detail, retryable, idempotencyKey, cause: withoutSecret(cause, key) };
    const error = new PinfoldError(failure);
    return { kind: 'failed', error, temporary: retryable, postponed: false, answered };
  } finally {
    clearTimeout(timer);
  }
}

/** Reads an answer as UTF-8. Stops after some mebibytes: such an answer is not one of the API. */
async function readText(response: Response): Promise<string> {
  // Some runtimes have no streams of bodies, and a `fetch` that is not the runtime's own may have other ones.
  const reader = response.body?.getReader?.();
  if (reader === undefined) return response.text();
  const decoder = new TextDecoder();
  let text = '';
  for (let bytes = 0; bytes <= MAX_BYTES; ) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    text += decoder.decode(value, { stream: true });
  }
  await reader.cancel();
  return text;
}

function read<Answer>(
  response: Response,
  text: string,
  request: ApiRequest<Answer>,
  key: string,
): Attempt<Answer> {
  const { status, headers } = response;
  // Only 204 confirms a deletion: a proxy's page has no JSON either.
  const value = status === 204 ? undefined : (parseJson(text) ?? text);
  if (response.ok && request.isAnswer(value)) return { kind: 'answered', answer: value, headers };
  const redirected = response.type === 'opaqueredirect' || (status >= 300 && status < 400);
  const problem = response.ok || redirected ? undefined : readProblem(text, key);
  const temporary = TEMPORARY.includes(status);
  const error = new PinfoldError({
    status,
    retryable: temporary,
    retryAfter: readRetryAfter(headers),
    requestId: headers.get('x-request-id') ?? undefined,
    idempotencyKey: request.idempotencyKey,
    ...(problem ?? { code: 'invalid_answer', detail: describeAnswer(text, status, redirected, key) }),
  });
  return {
    kind: 'failed',
    error,
    temporary: temporary || error.code === 'idempotency_in_progress',
    postponed: problem !== undefined && POSTPONED.includes(status),
    answered: true,
  };
}

function parseJson(text: string, mapString: (text: string) => string = (text) => text): unknown {
  try {
    if (text === '') return undefined;
    return JSON.parse(text, (_, value) => (typeof value === 'string' ? mapString(value) : value));
  } catch {
    // Not JSON, or nested so deeply that the engine cannot walk it: engines name that error differently.
    return undefined;
  }
}

/** Reads a problem document (RFC 9457); `undefined` for any other answer. */
function readProblem(
  text: string,
  key: string,
): (Pick<Failure, 'code' | 'detail'> & Partial<Failure>) | undefined {
  const value = parseJson(text, (text) => withoutKey(text, key));
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

function describeAnswer(text: string, status: number, redirected: boolean, key: string): string {
  if (redirected)
    return 'The server redirects to another address. Give the address that it redirects to as url.';
  if (status === 416) return 'The archive does not have the bytes that range asks for.';
  const beginning = withoutKey(text, key).slice(0, SHOWN_CHARACTERS);
  return `The answer is not one of the Pinfold API${beginning === '' ? '.' : `: ${beginning}`}`;
}

/** Removes the API key: an answer may repeat the request, as pages of some proxies do. */
function withoutKey(text: string, key: string): string {
  return text.replaceAll(key, '[key]');
}

/** Returns the error of `fetch`, unless it contains the key. */
function withoutSecret(cause: unknown, key: string): unknown {
  const showsKey = [...causesOf(cause)].some(({ message, stack }) => `${message}${stack}`.includes(key));
  return showsKey ? undefined : cause;
}

/** Reads `Retry-After` in seconds; it is a number or a date (RFC 9110, section 10.2.3). */
export function readRetryAfter(headers: Headers): number | undefined {
  const header = headers.get('retry-after');
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1_000));
}

/** Codes of Node, Bun and OpenSSL for certificates, and for TLS instead of HTTP or the reverse. */
const CODES =
  /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_(?:CA|PURPOSE)|ERR_TLS_CERT_|ERR_SSL_|EPROTO$|HPE_INVALID_(?:CONSTANT|VERSION)$)/;
/** Codes that also occur while a server is getting its first certificate. */
const TEMPORARY_CODES = /INTERNAL_ERROR|UNEXPECTED_EOF/;
/** Deno has no codes, and Node 24 has none for an answer that is not HTTP. */
const MESSAGE = /invalid peer certificate|invalid HTTP version|\(Expected HTTP\//i;

/**
 * Whether `fetch` failed because of the certificate or the protocol, which a retry does not change. Browsers hide
 * this.
 */
function isProtocolFailure(error: unknown): boolean {
  for (const cause of causesOf(error)) {
    const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
    if ((CODES.test(code) && !TEMPORARY_CODES.test(code)) || MESSAGE.test(cause.message)) return true;
  }
  return false;
}

const MAX_CAUSES = 10;

/**
 * Yields an error and its causes, outermost first. Checks no classes, since a test runner's realm has other classes than the
 * runtime's `fetch`.
 */
function* causesOf(error: unknown): Iterable<Error> {
  let current = error as Error | undefined;
  for (let depth = 0; typeof current?.message === 'string' && depth < MAX_CAUSES; depth += 1) {
    yield current;
    current = current.cause as Error | undefined;
  }
}
