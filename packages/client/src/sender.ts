import { type ApiRequest, type Attempt, attempt, type Connection, type FailedAttempt } from './attempt.ts';
import type { ClientOptions } from './options.ts';
import { PinfoldError } from './pinfold-error.ts';
import { retryWaits, type WaitToRetry } from './retry-schedule.ts';

/** Which failures may be retried, besides those in which the API itself asks for it. */
export type Repeats = 'always' | 'unanswered' | 'never';

type Answered<Answer> = Extract<Attempt<Answer>, { kind: 'answered' }>;

const TIMEOUT = 60_000;
const RETRY_FOR = 150_000;
/** A change whose answer was lost is repeated only for this time: later it could undo a newer change. */
const UNANSWERED_FOR = 10_000;

/** Sends requests to the API, and retries them if that is safe. */
export class Sender {
  readonly #url: string;
  readonly #key: ClientOptions['key'];
  readonly #options: Omit<ClientOptions, 'url' | 'key'>;

  constructor({ url, key, ...options }: ClientOptions) {
    const { protocol, username, password, origin, pathname } = new URL(url);
    if (!/^https?:$/.test(protocol) || username !== '' || password !== '') {
      throw new TypeError('url must be an http or https address without a name and password');
    }
    this.#url = `${origin}${pathname.replace(/(?<!\/)\/+$/, '')}`;
    this.#key = key;
    this.#options = options;
  }

  /** @param moreTimeout milliseconds to add to the default timeout, but not to one in the options. */
  request<Answer>(
    method: ApiRequest<Answer>['method'],
    path: string,
    isAnswer: ApiRequest<Answer>['isAnswer'],
    signal: AbortSignal | undefined,
    moreTimeout: number = 0,
  ): ApiRequest<Answer> {
    return { method, path, isAnswer, signal, timeout: this.#options.timeout ?? TIMEOUT + moreTimeout };
  }

  schedule(signal: AbortSignal | undefined): WaitToRetry {
    return retryWaits({ ...this.#options, retryFor: this.#options.retryFor ?? RETRY_FOR }, signal);
  }

  read<Answer>(
    path: string,
    isAnswer: ApiRequest<Answer>['isAnswer'],
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    return this.send(this.request('GET', path, isAnswer, signal), 'always');
  }

  async send<Answer>(request: ApiRequest<Answer>, repeats: Repeats): Promise<Answer> {
    return (await this.answer(request, repeats)).answer;
  }

  async answer<Answer>(
    request: ApiRequest<Answer>,
    repeats: Repeats,
    schedule: WaitToRetry = this.schedule(request.signal),
  ): Promise<Answered<Answer>> {
    for (;;) {
      const outcome = await this.attempt(request);
      if (outcome.kind === 'answered') return outcome;
      const isSafe =
        outcome.postponed || repeats === 'always' || (repeats === 'unanswered' && !outcome.answered);
      if (!isSafe) throw outcome.error;
      const within = outcome.postponed || repeats === 'always' ? undefined : UNANSWERED_FOR;
      await waitFor(outcome, schedule, within);
    }
  }

  async attempt<Answer>(request: ApiRequest<Answer>): Promise<Attempt<Answer>> {
    request.signal?.throwIfAborted();
    // `fetch` would resolve such segments to another path.
    if (/\/\.{0,2}(?:[/?]|$)/.test(request.path)) {
      throw new TypeError('an id or a name must not be empty, "." or ".."');
    }
    const connection = await this.#connection();
    // Every error contains the Idempotency-Key, and none may reveal the API key.
    if (request.idempotencyKey?.includes(connection.key)) {
      throw new TypeError('idempotencyKey must not contain the API key');
    }
    return attempt(request, connection);
  }

  async #connection(): Promise<Connection> {
    const key = typeof this.#key === 'function' ? await this.#key() : this.#key;
    if (typeof key !== 'string' || !/^[\x21-\x7e]+$/.test(key)) throw new TypeError('key must be an API key');
    const { fetch: send = fetch, userAgent } = this.#options;
    return { url: this.#url, key, fetch: send, userAgent: isBrowser() ? undefined : userAgent };
  }
}

/** @throws the attempt's error if a retry does not help, or would begin too late. */
export async function waitFor(
  { error, temporary }: FailedAttempt,
  wait: WaitToRetry,
  within?: number,
): Promise<void> {
  if (!temporary) throw error;
  await wait(error, within);
}

/** Yields the members of all pages of a list; `read` receives the cursor of a page, `undefined` for the first. */
export async function* everyPage<Member>(
  read: (cursor: string | undefined) => Promise<readonly [members: readonly Member[], next: string | null]>,
): AsyncGenerator<Member, void, undefined> {
  let cursor: string | undefined;
  do {
    const [members, next] = await read(cursor);
    yield* members;
    // A page that names itself as the next one would make an endless list.
    if (next !== null && next === cursor) throw endlessList();
    cursor = next ?? undefined;
  } while (cursor !== undefined);
}

export function queryOf(members: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) if (value != null) query.set(name, String(value));
  return query.size === 0 ? '' : `?${query}`;
}

export function isNothing(value: unknown): value is undefined {
  return value === undefined;
}

/** Refuses a page that names itself as the next one. */
export function endlessList(): PinfoldError {
  const detail = 'The answer is not one of the Pinfold API: a page of a list names itself as the next one.';
  return new PinfoldError({ code: 'invalid_answer', status: 200, detail, retryable: false });
}

function isBrowser(): boolean {
  return 'document' in globalThis || 'WorkerGlobalScope' in globalThis;
}
