import type { Retry } from './retry-schedule.ts';
import type { Pin, Publication } from './wire.ts';

/** Options of `PinfoldClient`. */
export interface ClientOptions {
  /** The public URL of the Pinfold, with its path. */
  readonly url: string;
  /** The API key, or a function that gives it; the client calls the function for each attempt. */
  readonly key: string | (() => string | Promise<string>);
  /** Sends the requests; the runtime's `fetch` when absent. */
  readonly fetch?: typeof fetch | undefined;
  /** Milliseconds of an attempt to the head, and again to the end; 60,000 plus 1,000 per 64 KiB of body when absent. */
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

/** Which bytes of a ZIP `archive` reads. */
export interface ArchiveOptions extends CallOptions {
  /** The value of the header `Range`, such as `bytes=1048576-`; the whole when absent. */
  readonly range?: string | undefined;
}

/** A ZIP. */
export type Archive = Blob | Uint8Array | ArrayBuffer;

/** Details of an archive. */
export interface CheckOptions extends CallOptions {
  /** Its file name; that of a `File` when absent, else `site.zip`. */
  readonly filename?: string | undefined;
  readonly title?: string | undefined;
}

/** What `publish` takes beside the archive. */
export interface PublishOptions extends CheckOptions {
  /** The name to point at the publication; it is created if it is new. */
  readonly name?: string | undefined;
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

/** Which pins `list` gives. */
export interface ListOptions extends CallOptions {
  /** All but deleted ones when absent. */
  readonly state?: Pin['state'] | undefined;
}

/** Which page `listPage` gives: `next_cursor` of the page before is its `cursor`. */
export interface PageQuery extends ListOptions {
  readonly cursor?: string | undefined;
  /** 1 to 100; 20 when absent. */
  readonly limit?: number | undefined;
}
