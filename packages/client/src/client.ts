import type { ApiRequest } from './attempt.ts';
import { EVENT_WAIT, type EventsOptions, type ReadEvent, readEvents } from './events.ts';
import type {
  Archive,
  ArchiveOptions,
  CallOptions,
  CheckOptions,
  ClientOptions,
  ListOptions,
  PageQuery,
  Published,
  PublishOptions,
} from './options.ts';
import { everyPage, isNothing, queryOf, Sender, waitFor } from './sender.ts';
import type {
  Change,
  DryRun,
  Event,
  GrantAnswer,
  LimitsAnswer,
  Name,
  NameAnswer,
  NameList,
  Pin,
  PinAnswer,
  PinList,
  ViewedPinAnswer,
} from './wire.ts';
import { is } from './wire-objects.ts';

const MORE_TIMEOUT = 1_000;
const MORE_TIMEOUT_BYTES = 65_536;
const PINS = '/api/v1/pins';
const NAMES = '/api/v1/names';

/**
 * A client of the Pinfold API. It retries if that is safe. It follows no redirects, so that the key is sent to `url`
 * only.
 *
 * @example
 * import { PinfoldClient } from '@pinfold/client';
 *
 * declare const key: string;
 * declare const archive: Blob;
 *
 * const client = new PinfoldClient({ url: 'https://share.example', key });
 * const { pin } = await client.publish(archive, { filename: 'site.zip', title: 'Release 42' });
 */
export class PinfoldClient {
  readonly #sender: Sender;
  /** The names of the key's account. */
  readonly names: Names;

  constructor(options: ClientOptions) {
    this.#sender = new Sender(options);
    this.names = new Names(this.#sender);
  }

  /** Publishes an archive exactly once, even if it needs several attempts. */
  async publish(archive: Archive, options: PublishOptions = {}): Promise<Published> {
    const { name, password } = options;
    const idempotencyKey = options.idempotencyKey ?? randomUuid();
    const request = await this.#upload(archive, options, {
      path: `${PINS}${queryOf({ name })}`,
      headers: {
        'idempotency-key': idempotencyKey,
        ...(password != null && { 'pinfold-password': encodeURIComponent(password) }),
      },
      idempotencyKey,
      isAnswer: is('Publication'),
    });
    const { answer, headers } = await this.#sender.answer(request, 'always');
    return { ...answer, replayed: headers.get('idempotent-replayed') === 'true', idempotencyKey };
  }

  /** Runs all checks of a publication, and stores nothing. */
  async check(archive: Archive, options: CheckOptions = {}): Promise<DryRun> {
    const request = { path: `${PINS}?dry_run=true`, isAnswer: is('DryRun') };
    return this.#sender.send(await this.#upload(archive, options, request), 'always');
  }

  /** Reads a publication in any state. */
  get(
    id: string,
    { views, signal }: CallOptions & { readonly views?: boolean | undefined } = {},
  ): Promise<ViewedPinAnswer> {
    const query = queryOf({ include: views ? 'views' : undefined });
    return this.#sender.read(`${createPath(PINS, id)}${query}`, is('ViewedPinAnswer'), signal);
  }

  /** Changes one member of a publication. */
  update(id: string, change: Change, { signal }: CallOptions = {}): Promise<PinAnswer> {
    const request: ApiRequest<PinAnswer> = {
      ...this.#sender.request('PATCH', createPath(PINS, id), is('PinAnswer'), signal),
      headers: { 'content-type': 'application/json' },
      body: () => JSON.stringify(change),
    };
    return this.#sender.send(request, 'reset_expiration' in change ? 'never' : 'unanswered');
  }

  /** Stops a publication for good. After a lost answer, it reads the publication to find out whether it is stopped. */
  async stop(id: string, { signal }: CallOptions = {}): Promise<void> {
    const request = this.#sender.request('DELETE', createPath(PINS, id), isNothing, signal);
    const schedule = this.#sender.schedule(signal);
    let isAnswerLost = false;
    for (;;) {
      const outcome = await this.#sender.attempt(request);
      if (outcome.kind === 'answered') return;
      const isAlreadyStopped = isAnswerLost && outcome.error.code === 'invalid_state';
      if (!isAlreadyStopped) await waitFor(outcome, schedule);
      // A postponed attempt was answered: nothing was changed.
      isAnswerLost ||= !outcome.postponed;
      if (!isAnswerLost) continue;
      const read = this.#sender.request('GET', createPath(PINS, id), is('PinAnswer'), signal);
      const { answer } = await this.#sender.answer(read, 'always', schedule);
      if (answer.pin.state === 'deleted') return;
      if (isAlreadyStopped) throw outcome.error;
    }
  }

  /**
   * Opens the ZIP as it was uploaded, or a range of it. Resolves with the server's answer before its body is read;
   * the ETag has the SHA-256 of the whole ZIP. Retries until the head of an answer is received.
   */
  archive(id: string, { range, signal }: ArchiveOptions = {}): Promise<Response> {
    const request: ApiRequest<Response> = {
      ...this.#sender.request('GET', `${createPath(PINS, id)}/archive`, rejectJson, signal),
      headers: { accept: 'application/zip', ...(range !== undefined && { range }) },
      takeByHead: (response) => (isZip(response) ? response : undefined),
    };
    return this.#sender.send(request, 'always');
  }

  /** Creates a URL that opens a site without its password. */
  createGrant(id: string, { signal }: CallOptions = {}): Promise<GrantAnswer> {
    const request = this.#sender.request('POST', `${createPath(PINS, id)}/grants`, is('GrantAnswer'), signal);
    return this.#sender.send(request, 'always');
  }

  /** All publications of the key's account, newest first. */
  list(
    options: ListOptions & { readonly pageSize?: number | undefined } = {},
  ): AsyncGenerator<Pin, void, undefined> {
    const { pageSize: limit = 100, state, signal } = options;
    return everyPage(async (cursor) => {
      const page = await this.listPage({ state, signal, limit, cursor });
      return [page.pins, page.next_cursor];
    });
  }

  /** One page of the publications of the key's account, newest first. */
  listPage({ signal, state, cursor, limit, idempotencyKey }: PageQuery = {}): Promise<PinList> {
    const query = queryOf({ state, cursor, limit, idempotency_key: idempotencyKey });
    return this.#sender.read(`${PINS}${query}`, is('PinList'), signal);
  }

  /** Yields the events of the key's account, each once and in a fixed order. */
  events(options: EventsOptions = {}): AsyncGenerator<ReadEvent, void, undefined> {
    const { signal, follow } = options;
    const requestPage = (query: Parameters<typeof queryOf>[0]) => {
      const request = this.#sender.request('GET', `/api/v1/events${queryOf(query)}`, is('EventPage'), signal);
      const timeout = request.timeout + (follow ? EVENT_WAIT * 1_000 : 0);
      return this.#sender.answer({ ...request, timeout }, 'always');
    };
    return readEvents(requestPage, options);
  }

  /** Yields the events newest first, by the time at which they happened. */
  history({
    signal,
    pin,
  }: Pick<EventsOptions, 'pin' | 'signal'> = {}): AsyncGenerator<Event, void, undefined> {
    return everyPage(async (cursor) => {
      const query = queryOf({ pin, limit: 100, cursor });
      const page = await this.#sender.read(`/api/v1/events${query}`, is('EventList'), signal);
      return [page.events, page.next_cursor];
    });
  }

  /** The limits, rates and quotas in force for the key's account. */
  limits({ signal }: CallOptions = {}): Promise<LimitsAnswer> {
    return this.#sender.read('/api/v1/limits', is('LimitsAnswer'), signal);
  }

  /** Reads the archive once, so that every attempt sends the same bytes. */
  async #upload<Answer>(
    archive: Archive,
    { filename, title, signal }: CheckOptions,
    request: Pick<ApiRequest<Answer>, 'path' | 'headers' | 'idempotencyKey' | 'isAnswer'>,
  ): Promise<ApiRequest<Answer>> {
    const name = filename ?? (archive instanceof File ? archive.name : 'site.zip');
    const content = 'arrayBuffer' in Object(archive) ? await (archive as Blob).arrayBuffer() : archive;
    if (!('byteLength' in Object(content)))
      throw new TypeError('archive must be a Blob, a Uint8Array or an ArrayBuffer');
    // The File has a copy of the bytes.
    const file = new File([content as Uint8Array<ArrayBuffer>], name, { type: 'application/zip' });
    const moreTimeout = MORE_TIMEOUT * Math.floor(file.size / MORE_TIMEOUT_BYTES);
    const body = (): FormData => {
      const form = new FormData();
      form.set('archive', file);
      if (title != null) form.set('title', title);
      return form;
    };
    const { path, isAnswer } = request;
    return { ...this.#sender.request('POST', path, isAnswer, signal, moreTimeout), ...request, body };
  }
}

/** The names of a key's account: each is a link that shows one of its publications. */
export class Names {
  readonly #sender: Sender;

  constructor(sender: Sender) {
    this.#sender = sender;
  }

  /** All names, sorted. */
  list({
    pageSize: limit = 100,
    signal,
  }: CallOptions & { readonly pageSize?: number | undefined } = {}): AsyncGenerator<Name, void, undefined> {
    return everyPage(async (cursor) => {
      const page = await this.listPage({ cursor, limit, signal });
      return [page.names, page.next_cursor];
    });
  }

  /** One page of the names, sorted. */
  listPage({ cursor, limit, signal }: Omit<PageQuery, 'state' | 'idempotencyKey'> = {}): Promise<NameList> {
    return this.#sender.read(`${NAMES}${queryOf({ cursor, limit })}`, is('NameList'), signal);
  }

  get(name: string, { signal }: CallOptions = {}): Promise<NameAnswer> {
    return this.#sender.read(createPath(NAMES, name), is('NameAnswer'), signal);
  }

  /** Points a name at a publication; creates the name if it is new. */
  set(name: string, id: string, { signal }: CallOptions = {}): Promise<NameAnswer> {
    const request = {
      ...this.#sender.request('PUT', createPath(NAMES, name), is('NameAnswer'), signal),
      headers: { 'content-type': 'application/json' },
      body: () => JSON.stringify({ pin: id }),
    };
    return this.#sender.send(request, 'unanswered');
  }

  /** Deletes a name. After a lost answer, a 404 means that it is deleted. */
  async delete(name: string, { signal }: CallOptions = {}): Promise<void> {
    const request = this.#sender.request('DELETE', createPath(NAMES, name), isNothing, signal);
    const schedule = this.#sender.schedule(signal);
    for (let mayBeDeleted = false; ; ) {
      const outcome = await this.#sender.attempt(request);
      if (outcome.kind === 'answered' || (mayBeDeleted && outcome.error.status === 404)) return;
      await waitFor(outcome, schedule);
      mayBeDeleted ||= !outcome.postponed;
    }
  }
}

function isZip({ status, headers }: Response): boolean {
  const isZipType = headers.get('content-type')?.startsWith('application/zip') === true;
  return isZipType && (status === 200 || status === 206);
}

/** A ZIP is recognized by the head of its answer, so no JSON is valid. */
function rejectJson(_: unknown): _ is never {
  return false;
}

/** Callers without types may pass a number, and `encodeURIComponent` throws for a lone surrogate. */
function createPath(folder: string, id: string): string {
  return `${folder}/${encodeURIComponent(`${id}`.toWellFormed())}`;
}

/** Creates a random UUID (RFC 9562, version 4). `randomUUID` is missing on pages without a secure context. */
function randomUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
