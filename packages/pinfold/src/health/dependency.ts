import { statfs } from 'node:fs/promises';
import { isFault } from '@pinfold/core';
import { raceSignal } from '@pinfold/core/adapter';
import { causesOf, codeOf, type DatabaseRefusal } from '@pinfold/core/internal';
import type { Log } from '../server/log.ts';

/**
 * `full`: its disk has no space; `low`: too little for the largest archive; `read_only`: it accepts no changes for
 * another reason; `refusing`: it accepts no new connections.
 */
export type DependencyState = 'ok' | 'slow' | 'low' | 'full' | 'read_only' | 'refusing' | 'unavailable';

type Probe = (signal: AbortSignal) => Promise<unknown>;

interface DependencyOptions {
  /** The code of the faults that mean it did not answer. */
  readonly code: 'staging_unavailable' | 'storage_unavailable' | 'store_unavailable';
  /** The texts for the log: it does not answer, it has no space, or it works again. */
  readonly message: { readonly unavailable: string; readonly full: string; readonly back: string };
  /** The text for the log of a fault that persists even if other requests succeed; `undefined` for other faults. */
  readonly persistent?: (error: unknown) => string | undefined;
}

/** The times for an answer, in milliseconds. */
interface Timeouts {
  /** After this time it counts as slow. */
  readonly slow: number;
  /** After this time it counts as unavailable. */
  readonly unavailable: number;
}

export const TIMEOUTS: Timeouts = { slow: 1_000, unavailable: 5_000 };

/** Errors of the system and of PostgreSQL (`disk_full`) for a full disk or an exceeded quota. */
const NO_SPACE_CODES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', '53100']);

/** A dependency of the server. Its state comes from probes and from the outcome of requests. */
export class Dependency {
  readonly #options: DependencyOptions;
  readonly #timeouts: Timeouts;
  readonly #now: () => number;
  readonly #stopped: AbortController = new AbortController();
  #runProbe: Probe | undefined;
  #log: Log | undefined;
  #state: DependencyState = 'ok';
  #error: unknown;
  /** The last logged failure. Only probes log, not requests. */
  #logged: string | undefined;
  #probing: Promise<void> | undefined;
  /** The probe that has not ended; it may have timed out. */
  #running: Promise<unknown> | undefined;
  #probedEarly = false;
  #answers = 0;

  constructor(
    options: DependencyOptions,
    timeouts: Timeouts = TIMEOUTS,
    now: () => number = () => performance.now(),
  ) {
    this.#options = options;
    this.#timeouts = timeouts;
    this.#now = now;
  }

  get state(): DependencyState {
    return this.#state;
  }

  get error(): unknown {
    return this.#error;
  }

  /** Sets the function that probes it. Before, it counts as working. */
  probeWith(runProbe: Probe): void {
    this.#runProbe = runProbe;
  }

  logTo(log: Log): void {
    this.#log = log;
  }

  answered(): void {
    this.#answers += 1;
    if (isDown(this.#state) && !this.#isPersistent(this.#error)) this.#state = 'ok';
  }

  /** Records the failure of a request. It may be the request's own fault, so a probe starts at once. */
  failed(error: unknown): void {
    if (!isFault(error) || error.code !== this.#options.code) return;
    this.#setState(classifyError(error), error);
    this.probeEarly();
  }

  /** Probes it at once, but only once between two regular probes. */
  probeEarly(): void {
    if (this.#probedEarly || this.#probing !== undefined) return;
    this.#probedEarly = true;
    void this.#begin();
  }

  /** Probes it, or waits for the probe that is running. */
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
    const runProbe = this.#runProbe;
    const { signal: stopped } = this.#stopped;
    if (runProbe === undefined || stopped.aborted) return;
    const [began, answers] = [this.#now(), this.#answers];
    try {
      await this.#waitForProbe(runProbe, stopped);
      this.#record(this.#now() - began > this.#timeouts.slow ? 'slow' : 'ok', undefined);
    } catch (error) {
      if (stopped.aborted) return;
      // Other calls succeeded meanwhile, so it is only slow.
      const state = classifyError(error);
      const isBusy = this.#answers > answers && !this.#isPersistent(error);
      this.#record(state === 'unavailable' && isBusy ? 'slow' : state, error);
    }
  }

  /**
   * Waits for the running probe instead of starting another one: on a file system that hangs, each call holds a
   * thread.
   */
  async #waitForProbe(runProbe: Probe, stopped: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([stopped, AbortSignal.timeout(this.#timeouts.unavailable)]);
    this.#running ??= runProbe(signal).finally(() => {
      this.#running = undefined;
    });
    await raceSignal(this.#running, signal);
  }

  #record(state: DependencyState, error: unknown): void {
    this.#setState(state, error);
    const before = this.#logged;
    this.#logged = isDown(state) ? this.#describe(state, error) : undefined;
    if (this.#logged === before) return;
    if (this.#logged === undefined) this.#log?.info(this.#options.message.back);
    else this.#log?.error(this.#logged, error);
  }

  #describe(state: DownState, error: unknown): string {
    const { persistent, message } = this.#options;
    return persistent?.(error) ?? message[state === 'unavailable' ? state : 'full'];
  }

  #isPersistent(error: unknown): boolean {
    return this.#options.persistent?.(error) !== undefined;
  }

  #setState(state: DependencyState, error: unknown): void {
    this.#state = state;
    this.#error = error;
  }
}

type DownState = Exclude<DependencyState, 'ok' | 'slow'>;

function isDown(state: DependencyState): state is DownState {
  return state !== 'ok' && state !== 'slow';
}

function classifyError(error: unknown): DependencyState {
  if (error instanceof LowSpace) return 'low';
  return hasNoSpace(error) ? 'full' : 'unavailable';
}

function hasNoSpace(error: unknown): boolean {
  return Array.from(causesOf(error)).some((cause) => NO_SPACE_CODES.has(codeOf(cause)));
}

const REFUSED: Readonly<Record<DatabaseRefusal['refused'], string>> = {
  connections: 'new connections',
  changes: 'changes',
};

/** What a database that answers refuses, by the new connections and changes that requests and sweeps tried. */
export class Refusals {
  readonly #met: Map<
    DatabaseRefusal['refused'],
    { readonly refusal: DatabaseRefusal; readonly error: unknown }
  > = new Map();
  readonly #logged: Set<DatabaseRefusal['refused']> = new Set();
  #log: Log | undefined;

  get state(): 'ok' | 'full' | 'read_only' | 'refusing' {
    if (this.#isRefused('connections')) return 'refusing';
    if (!this.#isRefused('changes')) return 'ok';
    return hasNoSpace(this.#met.get('changes')?.error) ? 'full' : 'read_only';
  }

  logTo(log: Log): void {
    this.#log = log;
  }

  meet(refusal: DatabaseRefusal, error: unknown): void {
    this.#met.set(refusal.refused, { refusal, error });
  }

  /** Logs what has changed since the last call. */
  logState(): void {
    for (const [refused, { error }] of this.#met) {
      const isRefused = this.#isRefused(refused);
      if (isRefused === this.#logged.has(refused)) continue;
      if (isRefused) {
        this.#logged.add(refused);
        this.#log?.error(`the database accepts no ${REFUSED[refused]}`, error);
      } else {
        this.#logged.delete(refused);
        this.#log?.info(`the database accepts ${REFUSED[refused]} again`);
      }
    }
  }

  #isRefused(refused: DatabaseRefusal['refused']): boolean {
    return this.#met.get(refused)?.refusal.isOver() === false;
  }
}

export interface UploadDisk {
  /** The free bytes. */
  free(): Promise<number>;
  /** The maximum bytes of an archive. */
  readonly archiveBytes: number;
}

export class LowSpace extends Error {}

export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/**
 * Returns a check that throws {@link LowSpace} if less is free than one archive may need. Then it throws until twice
 * that much is free, so that the state does not flap.
 */
export function createSpaceCheck({ free, archiveBytes }: UploadDisk): () => Promise<void> {
  let isLow = false;
  return async () => {
    const bytes = await free();
    isLow = bytes < (isLow ? 2 : 1) * archiveBytes;
    if (isLow) throw new LowSpace(`${bytes} bytes are free, and one archive may need ${archiveBytes}`);
  };
}
