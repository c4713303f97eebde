import { type AccountId, type Clock, type Duration, Fault, seconds } from '@pinfold/core';
import { Gate, type Leave } from '@pinfold/core/adapter';

/** What {@link Uploads} needs. */
export interface UploadsOptions {
  readonly clock: Clock;
  /** Bodies received at the same time: 64. */
  readonly places?: number;
  /** Requests that wait for a place, their bodies unread: 512. */
  readonly queue?: number;
  /** The longest such a wait: 30 seconds. */
  readonly patience?: Duration;
  /** Called before an upload is received or waits: throws the fault to answer with while none can be. */
  readonly admit?: () => void;
}

/**
 * The uploads that a process receives at the same time. What waits is not read, so it costs next to nothing, and its
 * client is not asked for it where it asked first (`Expect: 100-continue`). Doors of one process share one of these.
 *
 * @example
 * import type { Clock } from '@pinfold/core';
 * import { Uploads } from '@pinfold/http';
 *
 * const uploadsOf = (clock: Clock) => new Uploads({ clock, places: 16 });
 */
export class Uploads {
  readonly #gate: Gate<AccountId>;
  readonly #clock: Clock;
  readonly #patience: Duration;
  readonly #admit: (() => void) | undefined;

  constructor({ clock, places = 64, queue = 512, patience = seconds(30), admit }: UploadsOptions) {
    this.#gate = new Gate({ places, queue, overloaded });
    this.#clock = clock;
    this.#patience = patience;
    this.#admit = admit;
  }

  /** How many are being received, and how many wait. */
  get queue(): { readonly running: number; readonly waiting: number } {
    return this.#gate;
  }

  /**
   * Receives a body when it is the account's turn.
   *
   * @param gone aborts when the client has gone: a request that waits rejects with its reason.
   * @param receive reads the body, which nobody may have begun before.
   * @throws Fault what `admit` throws; `publishing_overloaded` when too many wait, or none of the places became free in time.
   */
  async take<Received>(
    account: AccountId,
    gone: AbortSignal,
    receive: () => Promise<Received>,
  ): Promise<Received> {
    this.#admit?.();
    const leave = this.#gate.enterNow() ?? (await this.#wait(account, gone));
    try {
      return await receive();
    } finally {
      leave();
    }
  }

  async #wait(account: AccountId, gone: AbortSignal): Promise<Leave> {
    const tooLong = new AbortController();
    const waiting = this.#gate.enter(account, AbortSignal.any([gone, tooLong.signal]));
    const over = new AbortController();
    this.#clock.sleep(this.#patience, over.signal).then(
      () => tooLong.abort(overloaded()),
      (error: unknown) => tooLong.abort(error),
    );
    try {
      return await waiting;
    } finally {
      over.abort();
    }
  }
}

function overloaded(): Fault {
  return new Fault('publishing_overloaded', 'too many uploads are received or waiting');
}
