import type { Retry } from './retry-schedule.ts';
import type { Pin, Publication } from './wire.ts';

/** Options of `PinfoldClient`. */
export interface ClientOptions {
  /** The public URL of the Pinfold server, with its path. */
  readonly url: string;
  /** The API key, or a function that returns it, called before each attempt. */
  readonly key: string | (() => string | Promise<string>);
  /** Sends the requests. Default: the runtime's `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /**
   * Milliseconds from the start of an attempt to the head of the answer, and again to its end; more than 2^31 - 1 count as
   * that. Default: 60,000, plus 1,000 per 64 KiB of body.
   */
  readonly timeout?: number | undefined;
  /** Retries begin at most this many milliseconds after the first failure; 0: no retries. Default: 150,000. */
  readonly retryFor?: number | undefined;
  /** The `User-Agent` of the requests; browsers send their own. */
  readonly userAgent?: string | undefined;
  /** Called before each wait for a retry; an error that it throws ends the call. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
}

/** A call that can be aborted: it rejects with the signal's reason. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** The part of a ZIP that `archive` reads. */
export interface ArchiveOptions extends CallOptions {
  /** The value of the `Range` header, such as `bytes=1048576-`. Default: the whole ZIP. */
  readonly range?: string | undefined;
}

/** A ZIP. */
export type Archive = Blob | Uint8Array | ArrayBuffer;

/** Details of an archive. */
export interface CheckOptions extends CallOptions {
  /** The file name. Default: the name of a `File`, else `site.zip`. */
  readonly filename?: string | undefined;
  readonly title?: string | undefined;
}

/** The options of `publish`. */
export interface PublishOptions extends CheckOptions {
  /** The name to point at the publication; it is created if it is new. */
  readonly name?: string | undefined;
  /** Protects the site from its first moment. Default: no password. */
  readonly password?: string | undefined;
  /** The same key with the same archive, file name and title publishes only once. Default: a random UUID. */
  readonly idempotencyKey?: string | undefined;
}

/** A publication, with the outcome of the call. */
export interface Published extends Publication {
  /** Whether an earlier request with the same key had published it. */
  readonly replayed: boolean;
  readonly idempotencyKey: string;
}

/** The filter of `list`. */
export interface ListOptions extends CallOptions {
  /** Default: all states but `deleted`. */
  readonly state?: Pin['state'] | undefined;
}

/** The page for `listPage`; its `cursor` is the `next_cursor` of the page before. */
export interface PageQuery extends ListOptions {
  readonly cursor?: string | undefined;
  /** From 1 to 100. Default: 20. */
  readonly limit?: number | undefined;
  /** Only the publication that this key published, in any state; without other members. */
  readonly idempotencyKey?: string | undefined;
}
