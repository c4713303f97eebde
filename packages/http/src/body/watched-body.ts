import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { type Clock, type Duration, duration, type Instant, seconds } from '@pinfold/core';
import { sleepUnlessAborted } from '@pinfold/core/internal';
import { ownBytes } from '../own-memory.ts';
import type { IncomingBody } from '../upload-pace.ts';

export interface BodyLimits {
  readonly clock: Clock;
  readonly idle: Duration;
  readonly total: Duration;
  readonly bytes: number;
  /** Takes the body when it is first read, to measure its pace. */
  readonly follow?: (body: IncomingBody) => void;
}

/** Why a body was not read completely; `read_before`: another parser has read it, or has it decoded to text. */
export type BodyFailure = 'broken_off' | 'read_before' | 'stalled' | 'too_long';

export class BodyError extends Error {
  readonly reason: BodyFailure;

  constructor(reason: BodyFailure) {
    super(`the body was not read: ${reason}`);
    this.name = 'BodyError';
    this.reason = reason;
  }
}

/** Smaller pieces of a body are joined to this size, in bytes: each piece costs its reader. */
const GATHERED = 16_384;
/** The most bytes that a loop copies faster than a call into Node. */
const FEW = 32;
const EMPTY = Buffer.alloc(0);
const LATE: Duration = seconds(1);

/** A request's body; fails with a {@link BodyError}, and never destroys the request, which carries its answer. */
export class WatchedBody extends Readable implements IncomingBody {
  readonly #request: IncomingMessage;
  readonly #limits: BodyLimits;
  readonly #over: AbortController = new AbortController();
  #begun = false;
  #came = 0;
  #last: Instant;
  #gathered: Buffer = EMPTY;
  #held = 0;

  constructor(request: IncomingMessage, limits: BodyLimits) {
    super();
    this.#request = request;
    this.#limits = limits;
    this.#last = limits.clock.now();
  }

  get received(): number {
    return this.#came;
  }

  get isClientsTurn(): boolean {
    return !this.destroyed && !this.#request.complete && !this.#request.isPaused();
  }

  stall(): void {
    this.#fail('stalled');
  }

  /** A client that waits for `100 Continue` is asked for the body when it is first read. */
  override _read(): void {
    if (!this.#begun) this.#begin();
    else if (!this.#request.destroyed) this.#request.resume();
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#letGo();
    if (this.#begun && !this.#request.readableEnded) this.#request.pause();
    callback(error);
  }

  #begin(): void {
    this.#begun = true;
    this.#last = this.#limits.clock.now();
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

  #letGo(): void {
    // Without a reason, abort() would create an error with its stack, which takes 40 microseconds.
    this.#over.abort(null);
    this.#request
      .off('data', this.#take)
      .off('end', this.#end)
      .off('aborted', this.#leave)
      .off('close', this.#leave)
      .off('error', this.#leave);
  }

  readonly #take = (chunk: Buffer): void => {
    this.#came += chunk.length;
    if (this.#came > this.#limits.bytes) this.#fail('too_long');
    else if (this.#held + chunk.length > GATHERED) this.#pass(chunk);
    else this.#gather(chunk);
  };

  /** Small pieces wait for others until the next turn. */
  #gather(chunk: Buffer): void {
    if (this.#held === 0) {
      if (this.#gathered.length === 0) this.#gathered = Buffer.allocUnsafeSlow(GATHERED);
      setImmediate(this.#pass);
    }
    if (chunk.length > FEW) chunk.copy(this.#gathered, this.#held);
    else for (let at = 0; at < chunk.length; at += 1) this.#gathered[this.#held + at] = chunk[at] as number;
    this.#held += chunk.length;
  }

  readonly #pass = (chunk: Buffer = EMPTY): void => {
    this.#last = this.#limits.clock.now();
    // A copy: a reader that holds the piece, such as the head of a part, holds no more than its own bytes.
    const held = ownBytes(this.#gathered.subarray(0, this.#held));
    this.#held = 0;
    for (const bytes of [held, chunk]) {
      if (bytes.length > 0 && !this.push(bytes)) this.#request.pause();
    }
  };

  readonly #end = (): void => {
    this.#pass();
    this.#letGo();
    this.push(null);
  };

  /** The client has gone. A complete body is still read: its publication runs to its end. */
  readonly #leave = (): void => {
    if (this.#request.readableEnded) return;
    if (!this.#request.complete) {
      this.#fail('broken_off');
      return;
    }
    for (let chunk = this.#request.read(); chunk !== null; chunk = this.#request.read()) this.#take(chunk);
    this.#end();
  };

  #fail(reason: BodyFailure): void {
    this.destroy(new BodyError(reason));
  }

  /** A reader that is itself slow does not count as the client's silence. */
  async #watch(): Promise<void> {
    const { clock, idle, total } = this.#limits;
    let checkedAt: Instant | undefined;
    for (let waited = 0; waited < total; ) {
      const since = this.#last;
      const left = since + idle - clock.now();
      const isDue = since !== checkedAt && left <= 0 && left > -LATE;
      // Any other figure means that the clock was set, which must not cut the wait short.
      const rest = left > 0 && left < idle ? left : idle;
      const wait = Math.min(isDue ? 1 : rest, total - waited);
      checkedAt = since;
      if (!(await sleepUnlessAborted(clock, duration(wait), this.#over.signal))) return;
      waited += wait;
      if (this.#last === since && !this.#request.isPaused()) break;
    }
    this.stall();
  }
}

/** @throws BodyError when the body is not complete in time and within its limits. */
export async function readWhole(request: IncomingMessage, limits: BodyLimits): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limits.bytes) throw new BodyError('too_long');
  const pieces: Buffer[] = [];
  for await (const piece of new WatchedBody(request, limits)) pieces.push(piece);
  return Buffer.concat(pieces);
}
