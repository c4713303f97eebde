import { isFault } from '@pinfold/core';
import { raceSignal } from '@pinfold/core/adapter';
import { codeOf, isError } from '@pinfold/core/internal';
import type { Log } from '../server/log.ts';
import { LowSpace } from './upload-disk.ts';

/** How something that the server needs was met last. */
export type DependencyState = 'ok' | 'slow' | 'low' | 'full' | 'unavailable';

export type Ask = (signal: AbortSignal) => Promise<unknown>;

export interface DependencyOptions {
  /** The faults that say that it did not answer. */
  readonly code: 'staging_unavailable' | 'storage_unavailable' | 'store_unavailable';
  /** The log's texts: it stopped answering, has no space, or works again. */
  readonly message: { readonly unavailable: string; readonly full: string; readonly back: string };
  /** Faults that stay though requests are answered, and what the log says of them. */
  readonly persistent?: { readonly by: (error: unknown) => boolean; readonly message: string };
}

/** How long a part may take, in milliseconds. */
export interface Timeouts {
  /** From here on it is slow. */
  readonly slow: number;
  /** From here on it does not answer. */
  readonly longest: number;
}

export const PATIENCE: Timeouts = { slow: 1_000, longest: 5_000 };

/** The system's errors for a full disk or an exceeded disk quota. */
const NO_ROOM: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);

/** Something that the server needs: what is known of it from looking at it, and from what requests met. */
export class Dependency {
  readonly #options: DependencyOptions;
  readonly #patience: Timeouts;
  readonly #now: () => number;
  readonly #stopped: AbortController = new AbortController();
  #ask: Ask | undefined;
  #log: Log | undefined;
  #state: DependencyState = 'ok';
  #error: unknown;
  /** The last logged failure. Only probes log, not requests. */
  #logged: string | undefined;
  #probing: Promise<void> | undefined;
  /** The running probe, which may have timed out. */
  #asked: Promise<unknown> | undefined;
  #probedEarly = false;
  #answers = 0;

  constructor(
    options: DependencyOptions,
    patience: Timeouts = PATIENCE,
    now: () => number = () => performance.now(),
  ) {
    this.#options = options;
    this.#patience = patience;
    this.#now = now;
  }

  get state(): DependencyState {
    return this.#state;
  }

  get error(): unknown {
    return this.#error;
  }

  /** Says how it is looked at. Until then, it is taken to be well. */
  askedBy(ask: Ask): void {
    this.#ask = ask;
  }

  logTo(log: Log): void {
    this.#log = log;
  }

  answered(): void {
    this.#answers += 1;
    if (isAway(this.#state) && !this.#isPersistent(this.#error)) this.#state = 'ok';
  }

  /** A request was not, which may be its own fault: so this is looked into at once, but once between two looks. */
  failed(error: unknown): void {
    if (!isFault(error) || error.code !== this.#options.code) return;
    this.#become(stateOf(error), error);
    if (this.#probedEarly || this.#probing !== undefined) return;
    this.#probedEarly = true;
    void this.#begin();
  }

  /** Looks at it; a look that still runs is not begun again. */
  probe(): Promise<void> {
    this.#probedEarly = false;
    return this.#begin();
  }

  async close(): Promise<void> {
    this.#stopped.abort();
    await this.#probing;
  }

  #begin(): Promise<void> {
    this.#probing ??= this.#probe().finally(() => {
      this.#probing = undefined;
    });
    return this.#probing;
  }

  async #probe(): Promise<void> {
    const ask = this.#ask;
    const { signal: stopped } = this.#stopped;
    if (ask === undefined || stopped.aborted) return;
    const [began, answers] = [this.#now(), this.#answers];
    try {
      await this.#answer(ask, stopped);
      this.#found(this.#now() - began > this.#patience.slow ? 'slow' : 'ok', undefined);
    } catch (error) {
      if (stopped.aborted) return;
      // It answered others meanwhile, so it has only much to do.
      const state = stateOf(error);
      const isBusy = this.#answers > answers && !this.#isPersistent(error);
      this.#found(state === 'unavailable' && isBusy ? 'slow' : state, error);
    }
  }

  /** A call that nothing ends, on a file system that hangs, is waited for again and not made anew: each holds a thread. */
  async #answer(ask: Ask, stopped: AbortSignal): Promise<void> {
    const within = AbortSignal.any([stopped, AbortSignal.timeout(this.#patience.longest)]);
    this.#asked ??= ask(within).finally(() => {
      this.#asked = undefined;
    });
    await raceSignal(this.#asked, within);
  }

  #found(state: DependencyState, error: unknown): void {
    this.#become(state, error);
    const before = this.#logged;
    this.#logged = isAway(state) ? this.#sentence(state, error) : undefined;
    if (this.#logged === before) return;
    if (this.#logged === undefined) this.#log?.info(this.#options.message.back);
    else this.#log?.error(this.#logged, error);
  }

  #sentence(state: AwayState, error: unknown): string {
    const { persistent, message } = this.#options;
    return persistent !== undefined && this.#isPersistent(error)
      ? persistent.message
      : message[state === 'low' ? 'full' : state];
  }

  #isPersistent(error: unknown): boolean {
    return this.#options.persistent?.by(error) ?? false;
  }

  #become(state: DependencyState, error: unknown): void {
    this.#state = state;
    this.#error = error;
  }
}

type AwayState = Exclude<DependencyState, 'ok' | 'slow'>;

function isAway(state: DependencyState): state is AwayState {
  return state !== 'ok' && state !== 'slow';
}

function stateOf(error: unknown): DependencyState {
  if (error instanceof LowSpace) return 'low';
  return hasNoRoom(error) ? 'full' : 'unavailable';
}

function hasNoRoom(error: unknown): boolean {
  return isError(error) && (NO_ROOM.has(codeOf(error)) || hasNoRoom(error.cause));
}
