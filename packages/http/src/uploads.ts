import { type AccountId, type Clock, type Duration, Fault, seconds } from '@pinfold/core';
import { type Release, Semaphore } from '@pinfold/core/adapter';
import { sleepUnlessAborted } from '@pinfold/core/internal';

/** Options of {@link Uploads}. */
export interface UploadsOptions {
  readonly clock: Clock;
  /** The maximum number of bodies that are received at the same time. Default 64. */
  readonly places?: number | undefined;
  /** The maximum number of requests that wait for a place, with unread bodies. Default 512. */
  readonly queue?: number | undefined;
  /** The longest wait for a place. Default 30 seconds. */
  readonly maxWait?: Duration | undefined;
  /** Called before an upload waits or is received; may throw a fault, which is answered. */
  readonly admit?: (() => void) | undefined;
}

/**
 * Bounds the uploads that a process receives at the same time. A waiting request is not read: it needs few resources, and
 * a client that sent `Expect: 100-continue` does not send its body yet. One account has at most three quarters of the
 * places, and gets no more than half while others wait. For each of them, an upload below 16 KiB/s for 10 seconds is
 * ended: first the slowest of the account with the most places. All doors of a process share one.
 *
 * @example
 * import type { Clock } from '@pinfold/core';
 * import { Uploads } from '@pinfold/http';
 *
 * const uploadsOf = (clock: Clock) => new Uploads({ clock, places: 16 });
 */
export class Uploads {
  readonly #gate: Semaphore<AccountId>;
  readonly #clock: Clock;
  readonly #maxWait: Duration;
  readonly #admit: (() => void) | undefined;
  readonly #received: Set<PacedUpload> = new Set();
  #measuring: AbortController | undefined;

  constructor({ clock, places = 64, queue = 512, maxWait = seconds(30), admit }: UploadsOptions) {
    this.#gate = new Semaphore({ places, queue, overloaded, limitsKeys: true });
    this.#clock = clock;
    this.#maxWait = maxWait;
    this.#admit = admit;
  }

  get queue(): { readonly running: number; readonly waiting: number } {
    return this.#gate;
  }

  /**
   * Receives a body when it is the account's turn.
   *
   * @param signal aborts when the client has left: a waiting request rejects with its reason.
   * @param receive reads the body, which must not have been read before; passes it to `follow`, to measure its pace.
   * @throws Fault of `admit`; `publishing_overloaded` when too many wait, or no place became free in time.
   */
  async take<Received>(
    account: AccountId,
    signal: AbortSignal,
    receive: (follow: (body: IncomingBody) => void) => Promise<Received>,
  ): Promise<Received> {
    this.#admit?.();
    const leave = this.#gate.tryEnter(account) ?? (await this.#wait(account, signal));
    const upload = new PacedUpload(account);
    this.#received.add(upload);
    try {
      return await receive((body) => {
        upload.body = body;
      });
    } finally {
      this.#received.delete(upload);
      leave();
    }
  }

  async #wait(account: AccountId, signal: AbortSignal): Promise<Release> {
    const tooLong = new AbortController();
    const waiting = this.#gate.enter(account, AbortSignal.any([signal, tooLong.signal]));
    this.#measuring ??= this.#measure();
    const ended = new AbortController();
    this.#clock.sleep(this.#maxWait, ended.signal).then(
      () => tooLong.abort(overloaded()),
      (error: unknown) => tooLong.abort(error),
    );
    try {
      return await waiting;
    } finally {
      ended.abort();
      this.#forgetUnwaited();
    }
  }

  /** Measures the pace of all running uploads until the returned controller aborts. */
  #measure(): AbortController {
    const ended = new AbortController();
    const run = async (): Promise<void> => {
      do {
        for (const upload of this.#received) if (this.#waitingOfOthers(upload.account) > 0) upload.measure();
        endSlowUploads(this.#received, this.#waitingOfOthers);
      } while (await sleepUnlessAborted(this.#clock, MEASURE_EVERY, ended.signal));
    };
    // A clock that fails also rejects the waits, which report it.
    run().catch(() => {});
    return ended;
  }

  /** Forgets the pace of uploads for which no other account waits any longer. */
  #forgetUnwaited(): void {
    for (const upload of this.#received) if (this.#waitingOfOthers(upload.account) === 0) upload.forget();
    if (this.#gate.waiting > 0) return;
    this.#measuring?.abort();
    this.#measuring = undefined;
  }

  readonly #waitingOfOthers = (account: AccountId): number => this.#gate.waitingOfOthers(account);
}

function overloaded(): Fault {
  return new Fault('publishing_overloaded', 'too many uploads are received or waiting');
}

/** A body that is being received, for measuring its pace. */
export interface IncomingBody {
  readonly received: number;
  /** Whether the client has to send the next bytes: false once the body is complete, and while its reader is slower. */
  readonly isClientsTurn: boolean;
  stall(): void;
}

const MEASURE_EVERY: Duration = seconds(1);
/** Measurements over which the pace is judged. */
const WINDOW = 10;
/** Uploads with fewer bytes in one window are slow: 16 KiB/s. */
const MIN_BYTES = WINDOW * 16_384;

/** A running upload, and its pace while other accounts wait. */
class PacedUpload {
  readonly account: AccountId;
  body: IncomingBody | undefined;
  isEnded = false;
  /** Bytes received at each measurement, the last eleven at most. */
  #measured: number[] = [];

  constructor(account: AccountId) {
    this.account = account;
  }

  /** Bytes received in the last ten seconds; undefined unless measured all the time. */
  get bytesInWindow(): number | undefined {
    const [first = 0] = this.#measured;
    return this.#measured.length > WINDOW ? (this.#measured.at(-1) ?? 0) - first : undefined;
  }

  measure(): void {
    if (this.body?.isClientsTurn !== true) {
      this.forget();
      return;
    }
    this.#measured = [...this.#measured.slice(-WINDOW), this.body.received];
  }

  forget(): void {
    this.#measured = [];
  }
}

/** Ends at most as many slow uploads as other accounts wait for: first the slowest of the account with the most. */
function endSlowUploads(
  uploads: Iterable<PacedUpload>,
  waitingOfOthers: (account: AccountId) => number,
): void {
  const all = [...uploads];
  for (
    let next = findSlowest(all, waitingOfOthers);
    next !== undefined;
    next = findSlowest(all, waitingOfOthers)
  ) {
    next.isEnded = true;
    next.body?.stall();
  }
}

function findSlowest(
  uploads: readonly PacedUpload[],
  waitingOfOthers: (account: AccountId) => number,
): PacedUpload | undefined {
  const running = uploads.filter(({ isEnded }) => !isEnded);
  const places = new Map<AccountId, number>();
  for (const { account } of running) places.set(account, (places.get(account) ?? 0) + 1);
  const maxPlaces = Math.max(...places.values());
  const ended = uploads.length - running.length;
  return running
    .filter(({ account }) => places.get(account) === maxPlaces && waitingOfOthers(account) > ended)
    .filter(({ bytesInWindow = MIN_BYTES }) => bytesInWindow < MIN_BYTES)
    .sort((one, other) => (one.bytesInWindow ?? 0) - (other.bytesInWindow ?? 0))[0];
}
