import { type ApiRequest, type Attempt, attempt, type Connection, type FailedAttempt } from './attempt.ts';
import { PinfoldError } from './pinfold-error.ts';
import { type Retry, RetrySchedule, realTiming } from './retry-schedule.ts';
import {
  isDryRun,
  isGrantAnswer,
  isLimitsAnswer,
  isPinAnswer,
  isPinList,
  isPublication,
  isViewedPinAnswer,
} from './shapes.ts';
import type {
  Change,
  DryRun,
  GrantAnswer,
  LimitsAnswer,
  Pin,
  PinAnswer,
  PinList,
  Publication,
  ViewedPinAnswer,
} from './wire.ts';

/** Options of {@link PinfoldClient}. */
export interface ClientOptions {
  /** The public URL of the Pinfold, with its path. */
  readonly url: string;
  /** The API key, or a function that gives it; the client calls the function for each attempt. */
  readonly key: string | (() => string | Promise<string>);
  /** Sends the requests; the runtime's `fetch` when absent. */
  readonly fetch?: typeof fetch | undefined;
  /**
   * Milliseconds of one attempt until the head of the answer, and again until its end; 60,000 when absent, and 1,000
   * more for each 64 KiB of body.
   */
  readonly timeout?: number | undefined;
  /** Milliseconds after the first failure in which attempts begin; 150,000 when absent, 0 for one attempt alone. */
  readonly retryFor?: number | undefined;
  /** The `User-Agent` of the requests; browsers send their own. */
  readonly userAgent?: string | undefined;
  /** Called before each wait for a further attempt; what it throws ends the call. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
}

/** A call that can be aborted: it rejects with the signal's reason. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** A ZIP. */
export type Archive = Blob | Uint8Array | ArrayBuffer;

/** Details of an archive. */
export interface CheckOptions extends CallOptions {
  /** Its file name; that of a `File` when absent, else `site.zip`. */
  readonly filename?: string | undefined;
  readonly title?: string | undefined;
}

export interface PublishOptions extends CheckOptions {
  /** Protects the site from its first instant; nothing is protected when absent. */
  readonly password?: string | undefined;
  /** The same key with the same archive, file name and title publishes once; a random UUID when absent. */
  readonly idempotencyKey?: string | undefined;
}

/** A publication, with what the client knows of it. */
export interface Published extends Publication {
  /** Whether an earlier request with the same key had published it. */
  readonly replayed: boolean;
  readonly idempotencyKey: string;
}

export interface ListOptions extends CallOptions {
  /** All but deleted ones when absent. */
  readonly state?: Pin['state'] | undefined;
}

export interface PageQuery extends ListOptions {
  readonly cursor?: string | undefined;
  /** 1 to 100; 20 when absent. */
  readonly limit?: number | undefined;
}

/** Which failures of a request are tried again, beside those with which the API itself puts it off. */
type Repeats = 'always' | 'unanswered' | 'never';

const TIMEOUT = 60_000;
const MORE_TIMEOUT = 1_000;
const MORE_TIMEOUT_BYTES = 65_536;
const RETRY_FOR = 150_000;
/** A change that may have been made is not made again over another one that came after it. */
const UNANSWERED_FOR = 10_000;
const PINS = '/api/v1/pins';

/**
 * The API of a Pinfold. It tries again by itself where that is safe, and follows no redirect: the key goes to `url`
 * alone.
 *
 * @example
 * import { PinfoldClient } from '@pinfold/client';
 *
 * declare const key: string;
 * declare const archive: Blob;
 *
 * const client = new PinfoldClient({ url: 'https://pins.example', key });
 * const { pin } = await client.publish(archive, { filename: 'site.zip', title: 'Release 42' });
 */
export class PinfoldClient {
  readonly #url: string;
  readonly #key: ClientOptions['key'];
  readonly #options: Omit<ClientOptions, 'url' | 'key'>;

  constructor({ url, key, ...options }: ClientOptions) {
    const { protocol, username, password, origin, pathname } = new URL(url);
    if (!/^https?:$/.test(protocol) || username !== '' || password !== '') {
      throw new TypeError('url must be an http or https address without a name and password');
    }
    this.#url = `${origin}${pathname.replace(/\/+$/, '')}`;
    this.#key = key;
    this.#options = options;
  }

  /** Publishes an archive: once, however many attempts it takes. */
  async publish(archive: Archive, options: PublishOptions = {}): Promise<Published> {
    const { idempotencyKey = randomUuid(), password, signal } = options;
    const request = await this.#upload(archive, options, {
      path: PINS,
      headers: {
        'idempotency-key': idempotencyKey,
        ...(password !== undefined && { 'pinfold-password': encodeURIComponent(password) }),
      },
      idempotencyKey,
      isAnswer: isPublication,
    });
    const { answer, headers } = await this.#answer(request, 'always', this.#schedule(signal));
    return { ...answer, replayed: headers.get('idempotent-replayed') === 'true', idempotencyKey };
  }

  /** Makes all checks of a publication and stores nothing. */
  async check(archive: Archive, options: CheckOptions = {}): Promise<DryRun> {
    const request = { path: `${PINS}?dry_run=true`, isAnswer: isDryRun };
    return this.#send(await this.#upload(archive, options, request), 'always');
  }

  /** Reads a publication in any state. */
  get(
    id: string,
    { views, signal }: CallOptions & { readonly views?: boolean | undefined } = {},
  ): Promise<ViewedPinAnswer> {
    const query = queryOf({ include: views ? 'views' : undefined });
    return this.#send(this.#request('GET', `${pathOf(id)}${query}`, isViewedPinAnswer, signal), 'always');
  }

  /** Changes one thing of a publication. */
  update(id: string, change: Change, { signal }: CallOptions = {}): Promise<PinAnswer> {
    const request: ApiRequest<PinAnswer> = {
      ...this.#request('PATCH', pathOf(id), isPinAnswer, signal),
      headers: { 'content-type': 'application/json' },
      body: () => JSON.stringify(change),
    };
    return this.#send(request, 'reset_expiration' in change ? 'never' : 'unanswered');
  }

  /** Stops a publication for good. After a lost answer it reads the publication to see whether it is stopped. */
  async stop(id: string, { signal }: CallOptions = {}): Promise<void> {
    const request = this.#request('DELETE', pathOf(id), isNothing, signal);
    const schedule = this.#schedule(signal);
    let isLost = false;
    for (;;) {
      const outcome = await this.#attempt(request);
      if (outcome.kind === 'answered') return;
      const isStoppedAlready = isLost && outcome.error.code === 'invalid_state';
      if (!isStoppedAlready) await waitFor(outcome, schedule);
      isLost ||= !outcome.postponed;
      if (!isLost) continue;
      const read = this.#request('GET', pathOf(id), isPinAnswer, signal);
      const { answer } = await this.#answer(read, 'always', schedule);
      if (answer.pin.state === 'deleted') return;
      if (isStoppedAlready) throw outcome.error;
    }
  }

  /** Creates a URL that opens a site without its password. */
  createGrant(id: string, { signal }: CallOptions = {}): Promise<GrantAnswer> {
    return this.#send(this.#request('POST', `${pathOf(id)}/grants`, isGrantAnswer, signal), 'always');
  }

  /** All publications of the key's account, newest first. */
  async *list(
    options: ListOptions & { readonly pageSize?: number | undefined } = {},
  ): AsyncGenerator<Pin, void, undefined> {
    const { pageSize: limit = 100, state, signal } = options;
    let cursor: string | undefined;
    do {
      const page: PinList = await this.listPage({ state, signal, limit, cursor });
      yield* page.pins;
      const next = page.next_cursor ?? undefined;
      if (next !== undefined && next === cursor) throw endlessList();
      cursor = next;
    } while (cursor !== undefined);
  }

  /** One page of the publications of the key's account, newest first. */
  listPage({ signal, state, cursor, limit }: PageQuery = {}): Promise<PinList> {
    const query = queryOf({ state, cursor, limit: limit === undefined ? undefined : String(limit) });
    return this.#send(this.#request('GET', `${PINS}${query}`, isPinList, signal), 'always');
  }

  /** The limits, rates and quotas in force for the key's account. */
  limits({ signal }: CallOptions = {}): Promise<LimitsAnswer> {
    return this.#send(this.#request('GET', '/api/v1/limits', isLimitsAnswer, signal), 'always');
  }

  #request<Answer>(
    method: ApiRequest<Answer>['method'],
    path: string,
    isAnswer: ApiRequest<Answer>['isAnswer'],
    signal: AbortSignal | undefined,
  ): ApiRequest<Answer> {
    return { method, path, isAnswer, signal, timeout: this.#options.timeout ?? TIMEOUT };
  }

  /** Reads the archive, so that every attempt sends the same bytes whatever becomes of it. */
  async #upload<Answer>(
    archive: Archive,
    { filename, title, signal }: CheckOptions,
    request: Pick<ApiRequest<Answer>, 'path' | 'headers' | 'idempotencyKey' | 'isAnswer'>,
  ): Promise<ApiRequest<Answer>> {
    const bytes = await bytesOf(archive);
    const name = filename ?? (archive instanceof File ? archive.name : 'site.zip');
    const more = MORE_TIMEOUT * Math.floor(bytes.byteLength / MORE_TIMEOUT_BYTES);
    const body = (): FormData => {
      const form = new FormData();
      form.set('archive', new File([bytes], name, { type: 'application/zip' }));
      if (title !== undefined) form.set('title', title);
      return form;
    };
    return { ...request, method: 'POST', body, signal, timeout: this.#options.timeout ?? TIMEOUT + more };
  }

  #schedule(signal: AbortSignal | undefined): RetrySchedule {
    const { retryFor = RETRY_FOR, onRetry } = this.#options;
    return new RetrySchedule(retryFor, realTiming, onRetry, signal);
  }

  async #send<Answer>(request: ApiRequest<Answer>, repeats: Repeats): Promise<Answer> {
    return (await this.#answer(request, repeats, this.#schedule(request.signal))).answer;
  }

  async #answer<Answer>(
    request: ApiRequest<Answer>,
    repeats: Repeats,
    schedule: RetrySchedule,
  ): Promise<Extract<Attempt<Answer>, { kind: 'answered' }>> {
    for (;;) {
      const outcome = await this.#attempt(request);
      if (outcome.kind === 'answered') return outcome;
      const isSafe =
        outcome.postponed || repeats === 'always' || (repeats === 'unanswered' && !outcome.answered);
      if (!isSafe) throw outcome.error;
      await waitFor(
        outcome,
        schedule,
        outcome.postponed || repeats === 'always' ? undefined : UNANSWERED_FOR,
      );
    }
  }

  async #attempt<Answer>(request: ApiRequest<Answer>): Promise<Attempt<Answer>> {
    request.signal?.throwIfAborted();
    const connection = await this.#connection();
    // Every error names the Idempotency-Key, and none may show the API key.
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

/** @throws the attempt's error when no further one helps, or would begin in time. */
async function waitFor(
  { error, temporary }: FailedAttempt,
  schedule: RetrySchedule,
  within?: number,
): Promise<void> {
  if (!temporary) throw error;
  await schedule.wait(error, within);
}

async function bytesOf(archive: Archive): Promise<Uint8Array<ArrayBuffer>> {
  if ('arrayBuffer' in archive) return new Uint8Array(await archive.arrayBuffer());
  return new Uint8Array(archive).slice();
}

function pathOf(id: string): string {
  return `${PINS}/${encodeURIComponent(id)}`;
}

function queryOf(members: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) if (value !== undefined) query.set(name, value);
  return query.size === 0 ? '' : `?${query}`;
}

function isNothing(value: unknown): value is undefined {
  return value === undefined;
}

/** Two pages in a row that name the same next page would never end. */
function endlessList(): PinfoldError {
  const detail = 'The answer is not one of the Pinfold API: a page of a list names itself as the next one.';
  return new PinfoldError({ code: 'invalid_answer', status: 200, detail, retryable: false });
}

function isBrowser(): boolean {
  return 'document' in globalThis || 'WorkerGlobalScope' in globalThis;
}

/** A random UUID (RFC 9562, version 4), also on pages without a secure context, which have no `randomUUID`. */
function randomUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
