import type { IncomingMessage } from 'node:http';
import { parse } from 'node:querystring';
import { Readable } from 'node:stream';
import { type Clock, type Duration, duration, type Instant, seconds } from '@pinfold/core';
import { sleepUnlessAborted } from '@pinfold/core/internal';
import type { IncomingBody } from '../uploads.ts';

export interface BodyLimits {
  readonly clock: Clock;
  readonly idle: Duration;
  readonly total: Duration;
  readonly bytes: number;
  /** Receives the body when reading begins, to measure its pace. */
  readonly follow?: (body: IncomingBody) => void;
}

/** Why a body was not read completely. `read_before`: another parser has read it, or has set its encoding. */
export type BodyFailure = 'broken_off' | 'read_before' | 'stalled' | 'too_long';

export class BodyError extends Error {
  readonly reason: BodyFailure;

  constructor(reason: BodyFailure) {
    super(`the body was not read: ${reason}`);
    this.name = 'BodyError';
    this.reason = reason;
  }
}

/** Small pieces of a body are joined up to this size, in bytes, since each piece takes its reader's time. */
const BATCH_BYTES = 16_384;
/** Up to this size, in bytes, a loop copies faster than a call into Node. */
const MAX_LOOP_BYTES = 32;
const EMPTY = Buffer.alloc(0);
/** A deadline that is missed by more than this means that the clock was set. */
const MAX_DELAY: Duration = seconds(1);

/** Reads a request's body. Fails with a {@link BodyError}, but never destroys the request, which still needs its answer. */
export class WatchedBody extends Readable implements IncomingBody {
  readonly #request: IncomingMessage;
  readonly #limits: BodyLimits;
  readonly #ended: AbortController = new AbortController();
  #begun = false;
  #received = 0;
  #lastByteAt: Instant;
  #batch: Buffer = EMPTY;
  #batchBytes = 0;

  constructor(request: IncomingMessage, limits: BodyLimits) {
    super();
    this.#request = request;
    this.#limits = limits;
    this.#lastByteAt = limits.clock.now();
  }

  get received(): number {
    return this.#received;
  }

  get isClientsTurn(): boolean {
    return !this.destroyed && !this.#request.complete && !this.#request.isPaused();
  }

  stall(): void {
    this.#fail('stalled');
  }

  /** Begins on the first read, so that a client that waits for `100 Continue` sends its body only then. */
  override _read(): void {
    if (!this.#begun) this.#begin();
    else if (!this.#request.destroyed) this.#request.resume();
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#unlisten();
    if (this.#begun && !this.#request.readableEnded) this.#request.pause();
    callback(error);
  }

  #begin(): void {
    this.#begun = true;
    this.#lastByteAt = this.#limits.clock.now();
    if (this.#request.readableDidRead || this.#request.readableEncoding) this.#fail('read_before');
    // Node may end a request without a body before anyone reads it (`optimizeEmptyRequests`).
    else if (this.#request.readableEnded) this.#end();
    else if (this.#request.destroyed || this.#request.aborted) this.#leave();
    else this.#follow();
  }

  #follow(): void {
    this.#request
      .on('data', this.#take)
      .on('end', this.#end)
      .on('aborted', this.#leave)
      .on('close', this.#leave)
      .on('error', this.#leave);
    this.#limits.follow?.(this);
    this.#watch().catch((error: Error) => this.destroy(error));
  }

  #unlisten(): void {
    // Without a reason, abort() would create an error with its stack, which takes 40 microseconds.
    this.#ended.abort(null);
    this.#request
      .off('data', this.#take)
      .off('end', this.#end)
      .off('aborted', this.#leave)
      .off('close', this.#leave)
      .off('error', this.#leave);
  }

  readonly #take = (chunk: Buffer): void => {
    this.#received += chunk.length;
    if (this.#received > this.#limits.bytes) this.#fail('too_long');
    else if (this.#batchBytes + chunk.length > BATCH_BYTES) this.#pass(chunk);
    else this.#addToBatch(chunk);
  };

  /** Joins small pieces until the next turn of the event loop. */
  #addToBatch(chunk: Buffer): void {
    if (this.#batchBytes === 0) {
      if (this.#batch.length === 0) this.#batch = Buffer.allocUnsafeSlow(BATCH_BYTES);
      setImmediate(this.#pass);
    }
    if (chunk.length > MAX_LOOP_BYTES) chunk.copy(this.#batch, this.#batchBytes);
    else
      for (let at = 0; at < chunk.length; at += 1) this.#batch[this.#batchBytes + at] = chunk[at] as number;
    this.#batchBytes += chunk.length;
  }

  readonly #pass = (chunk: Buffer = EMPTY): void => {
    this.#lastByteAt = this.#limits.clock.now();
    // Copies: a reader may hold the piece, such as the head of a part, for long.
    const held = ownBytes(this.#batch.subarray(0, this.#batchBytes));
    this.#batchBytes = 0;
    for (const bytes of [held, chunk]) {
      if (bytes.length > 0 && !this.push(bytes)) this.#request.pause();
    }
  };

  readonly #end = (): void => {
    this.#pass();
    this.#unlisten();
    this.push(null);
  };

  /** The client has left. A complete body is still read, so that its publication completes. */
  readonly #leave = (): void => {
    const { readableEnded, complete, httpVersionMajor, aborted } = this.#request;
    if (readableEnded) return;
    // Over HTTP/2, a body that broke off is `complete`, too.
    if (!complete || (httpVersionMajor === 2 && aborted)) {
      this.#fail('broken_off');
      return;
    }
    for (let chunk = this.#request.read(); chunk !== null; chunk = this.#request.read()) this.#take(chunk);
    this.#end();
  };

  #fail(reason: BodyFailure): void {
    this.destroy(new BodyError(reason));
  }

  /** Fails the body after `idle` without a byte, or after `total`. A paused request, with a slow reader, is not idle. */
  async #watch(): Promise<void> {
    const { clock, idle, total } = this.#limits;
    let checkedAt: Instant | undefined;
    for (let waited = 0; waited < total; ) {
      const since = this.#lastByteAt;
      const untilIdle = since + idle - clock.now();
      const isDue = since !== checkedAt && untilIdle <= 0 && untilIdle > -MAX_DELAY;
      // A deadline just passed is checked at once. Other values mean that the clock was set: the wait must not get shorter.
      const delay = untilIdle > 0 && untilIdle < idle ? untilIdle : idle;
      const wait = Math.min(isDue ? 1 : delay, total - waited);
      checkedAt = since;
      if (!(await sleepUnlessAborted(clock, duration(wait), this.#ended.signal))) return;
      waited += wait;
      if (this.#lastByteAt === since && !this.#request.isPaused()) break;
    }
    this.stall();
  }
}

/** Copies bytes: a few bytes of Node's buffer pool, or of a larger piece, would hold all of it in memory. */
function ownBytes(bytes: Uint8Array): Buffer {
  const own = Buffer.allocUnsafeSlow(bytes.byteLength);
  own.set(bytes);
  return own;
}

/** @throws BodyError when the body is not complete in time and within its limits. */
export async function readWhole(request: IncomingMessage, limits: BodyLimits): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limits.bytes) throw new BodyError('too_long');
  const pieces: Buffer[] = [];
  for await (const piece of new WatchedBody(request, limits)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** The fields of a form without a file; a repeated field is a list. */
export type FormFields = Readonly<Record<string, unknown>>;

export type ReadFields =
  | { readonly kind: 'fields'; readonly fields: FormFields }
  | { readonly kind: 'unread'; readonly reason: Exclude<BodyFailure, 'read_before'> | 'media_type' };

const FORM = /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i;
const MAX_FIELDS = 50;

/** Reads an urlencoded form; uses `request.body` if a body parser has read it before. */
export async function readFields(request: IncomingMessage, limits: BodyLimits): Promise<ReadFields> {
  const { 'content-type': type = '', 'content-encoding': coding = 'identity' } = request.headers;
  if (!FORM.test(type) || coding.toLowerCase() !== 'identity')
    return { kind: 'unread', reason: 'media_type' };
  try {
    const body = await readWhole(request, limits);
    return { kind: 'fields', fields: parse(body.toString('utf8'), '&', '=', { maxKeys: MAX_FIELDS }) };
  } catch (error) {
    if (!(error instanceof BodyError)) throw error;
    const { reason } = error;
    return reason === 'read_before'
      ? { kind: 'fields', fields: parsedBody(request) }
      : { kind: 'unread', reason };
  }
}

function parsedBody(request: IncomingMessage): FormFields {
  const body = 'body' in request ? request.body : undefined;
  return typeof body === 'object' && body !== null ? { ...body } : {};
}
