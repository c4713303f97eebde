import { type Pin, PinfoldClient, PinfoldError, type Retry } from '@pinfold/client';
import { formatFailure, systemErrorCode } from '../api-client/failure-text.ts';
import type { Server } from '../api-client/logins.ts';
import { CommandFailure, UnavailableError, UsageError } from '../command-line/failures.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { readRelease } from '../release.ts';
import type { Original } from '../saving/original.ts';
import type { Publications } from './publications.ts';
import { refusalMessage } from './refusal-text.ts';

/** A proxy may have turned the ETag into a weak one. */
const SHA256_TAG = /^(?:W\/)?"([0-9a-f]{64})"$/;

const SITE_TIMEOUT = 2_000;

/** @param sharesBudget whether all requests share the time for retries; otherwise each publication has its own. */
export async function openRemotePublications(
  server: Server,
  terminal: Terminal,
  sharesBudget: boolean = false,
): Promise<Publications> {
  const api = await createClient(server, terminal, sharesBudget ? new RetryBudget() : undefined);
  return {
    api,
    toFailure: (error) => toCommandFailure(error, server),
    publish: async ({ bytes, ...options }) => {
      // The client would throw a TypeError, as for a mistake in code. Here the user made the mistake.
      if (options.idempotencyKey.includes(server.apiKey))
        throw new UsageError(refusalMessage('idempotency_key_secret'));
      const client = sharesBudget ? api : await createClient(server, terminal, new RetryBudget());
      const { idempotencyKey: _, ...published } = await client.publish(bytes, options);
      return published;
    },
  };
}

/** The time for retries of a call without a budget, in milliseconds: short, since a person waits. */
const RETRY_FOR = 10_000;
/** Shorter than for other errors: a host name that does not resolve is probably misspelt. */
const UNRESOLVED_FOR = 10_000;
const UNRESOLVED_CODES: readonly unknown[] = ['ENOTFOUND', 'EAI_AGAIN'];
/** Retryable statuses besides 5xx. */
const RETRYABLE_STATUSES: readonly number[] = [408, 429];

/** Creates a client that prints each retry and its reason; with a budget, a terminal shows upload progress. */
export async function createClient(
  { url, apiKey: key, fetch: sendRequest = fetch }: Server,
  { err, progress }: Pick<Terminal, 'err' | 'progress'>,
  budget?: RetryBudget,
): Promise<PinfoldClient> {
  let unresolvedSince: number | undefined;
  const onRetry = ({ error, wait }: Retry): void => {
    budget?.failed();
    if (budget !== undefined && wait > budget.left) throw error;
    let retryTime = budget?.leftAtFailure ?? RETRY_FOR;
    if (UNRESOLVED_CODES.includes(systemErrorCode(error.cause))) {
      unresolvedSince ??= performance.now();
      if (performance.now() + wait > unresolvedSince + UNRESOLVED_FOR) throw error;
      retryTime = Math.min(retryTime, UNRESOLVED_FOR);
    }
    const reason = formatFailure(error, url).replace(/\.$/, '');
    err(
      `${reason}; trying again in ${Math.ceil(wait / 1_000)} s (for up to ${Math.ceil(retryTime / 1_000)} s)`,
    );
  };
  const send: typeof fetch = async (address, init) => {
    if (budget !== undefined && progress !== undefined && init?.body instanceof FormData) {
      await watchArchive(init.body, progress);
    }
    const answer = await sendRequest(address, init);
    // Any answer ends the failure, even a refusal.
    if (answer.status < 500 && !RETRYABLE_STATUSES.includes(answer.status)) {
      budget?.succeeded();
      unresolvedSince = undefined;
    }
    return answer;
  };
  const retryFor = budget?.left ?? RETRY_FOR;
  return new PinfoldClient({
    url,
    key,
    userAgent: `pinfold/${await readRelease()}`,
    onRetry,
    fetch: send,
    retryFor,
  });
}

/** Turns an error of the client into a CommandFailure with a message for the user; returns others unchanged. */
function toCommandFailure(error: unknown, { url }: Server): unknown {
  if (!(error instanceof PinfoldError)) return error;
  const { code, detail, errors, status, retryable, idempotencyKey } = error;
  const Failure = retryable ? UnavailableError : CommandFailure;
  const text = formatFailure(error, url);
  const json = {
    code: retryable && (code === 'network_error' || code === 'timeout') ? 'unavailable' : code,
    // The text already lists each broken rule, and `errors` has them for programs.
    detail: code === 'invalid_archive' ? detail : text,
    ...(errors.length > 0 && { errors }),
    status,
    idempotency_key: idempotencyKey,
  };
  return new Failure(text, { cause: error, json });
}

/** Shows how much of the archive in a form has been sent. */
async function watchArchive(form: FormData, progress: NonNullable<Terminal['progress']>): Promise<void> {
  const archive = form.get('archive') as File;
  const bytes = new Uint8Array(await archive.arrayBuffer());
  const onProgress = (sent: number): void =>
    progress(sent < 1 ? `sending, ${Math.floor(sent * 100)} %` : 'checking');
  form.set('archive', new WatchedFile(archive.name, bytes, onProgress));
}

/** The bytes of one chunk. The connection pulls the next chunk when it has room. */
const CHUNK_BYTES = 262_144;

/** The archive of a form; reports the share that has been sent, from 0 to 1. */
export class WatchedFile extends File {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #onProgress: (sent: number) => void;

  constructor(filename: string, bytes: Uint8Array<ArrayBuffer>, onProgress: (sent: number) => void) {
    // Passing the bytes to File would copy them; `stream` provides them instead.
    super([], filename, { type: 'application/zip' });
    Object.defineProperty(this, 'size', { value: bytes.byteLength });
    this.#bytes = bytes;
    this.#onProgress = onProgress;
  }

  override stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    const [bytes, onProgress] = [this.#bytes, this.#onProgress];
    let taken = 0;
    const pull = (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): void => {
      // A pull means that the earlier chunks were sent.
      onProgress(bytes.byteLength === 0 ? 1 : taken / bytes.byteLength);
      if (taken === bytes.byteLength) {
        controller.close();
        return;
      }
      controller.enqueue(bytes.slice(taken, taken + CHUNK_BYTES));
      taken = Math.min(taken + CHUNK_BYTES, bytes.byteLength);
    };
    return new ReadableStream({ pull }, { highWaterMark: 0 });
  }
}

/** In milliseconds. Longer than the lease of a killed node (60 s) and a failover of the database. */
const PUBLISH_RETRY_FOR = 150_000;

/** The time that all requests of a command may spend on retries; only time during failures counts. */
export class RetryBudget {
  readonly #now: () => number;
  #left: number = PUBLISH_RETRY_FOR;
  #failedAt: number | undefined;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Milliseconds left, at least 0. */
  get left(): number {
    const failingFor = this.#failedAt === undefined ? 0 : this.#now() - this.#failedAt;
    return Math.max(0, this.#left - failingFor);
  }

  /** Milliseconds that were left when the current failure began. */
  get leftAtFailure(): number {
    return this.#left;
  }

  failed(): void {
    this.#failedAt ??= this.#now();
  }

  succeeded(): void {
    this.#left = this.left;
    this.#failedAt = undefined;
  }
}

/** Opens the ZIP of a publication as it was uploaded. */
export async function openOriginal(api: PinfoldClient, id: string): Promise<Original> {
  const stallController = new AbortController();
  const response = await api.archive(id, { signal: stallController.signal });
  const [, sha256] = SHA256_TAG.exec(response.headers.get('etag') ?? '') ?? [];
  return { sha256, pieces: bodyPieces(response, stallController) };
}

/** Finds the host of a site by following its shared URL; `undefined` if that asks for a password or cannot be reached. */
export async function findSiteHost({ id, shared_url }: Pin): Promise<string | undefined> {
  const signal = AbortSignal.timeout(SITE_TIMEOUT);
  const request: RequestInit = { method: 'HEAD', redirect: 'manual', signal };
  const location = await fetch(shared_url, request).then(
    ({ headers }) => headers.get('location'),
    () => null,
  );
  if (location === null || !URL.canParse(location)) return undefined;
  const { host, pathname } = new URL(location);
  // An access gateway in front of the server may redirect to its own sign-in page.
  return `${host}${pathname}`.includes(id) ? host : undefined;
}

/** Ends a download after this time without a byte, in milliseconds. */
const IDLE = 60_000;

/**
 * Yields the body of an answer as it arrives.
 *
 * @param stalled aborted after a minute without a byte; the request must use its signal.
 *
 * @throws UnavailableError if the connection ends before the body does.
 */
async function* bodyPieces({ body }: Response, stalled: AbortController): AsyncGenerator<Uint8Array, void> {
  const startTimer = () => setTimeout(() => stalled.abort(), IDLE);
  let timer = startTimer();
  try {
    for await (const piece of body ?? []) {
      clearTimeout(timer);
      yield piece;
      timer = startTimer();
    }
  } catch (cause) {
    throw new UnavailableError('The connection ended before the ZIP was complete: try again.', { cause });
  } finally {
    clearTimeout(timer);
  }
}
