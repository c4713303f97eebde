import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RoleId } from '@pinfold/core';
import { isPromise } from '@pinfold/core/internal';
import { accountBacklogs } from './account-backlogs.ts';
import { outgoingBytes } from './outgoing-bytes.ts';
import { clientOf } from './rates/request-limiter.ts';
import type { RequestEntry } from './request-entry.ts';
import { hasLeft } from './until-gone.ts';

export interface Arrival {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly route: string;
  /** The role in the address. */
  readonly role: RoleId | null;
  /** When it arrived, on the door's clock. Default: when it is followed. */
  readonly begun?: number;
  /** Whether the work wrote the head, where the door has no `send`. Frameworks replace `headersSent` of a response. */
  isHeadWritten?: boolean;
}

type Entry = { -readonly [Name in keyof RequestEntry]: RequestEntry[Name] };

/** What the log says of an outcome, where the request and its response do not say it. */
export type Settled = {
  readonly [Name in 'account' | 'error' | 'key' | 'outcome' | 'reason' | 'role' | 'status']?:
    | Entry[Name]
    | undefined;
};

export interface Door<Arrived extends Arrival, Outcome extends Settled> {
  /** Milliseconds since any instant. */
  now(): number;
  /** Synchronous where it can be: each promise is a measurable part of what a view costs. */
  work(arrival: Arrived): Promise<Outcome> | Outcome;
  /** Turns what the work threw into an outcome. The reason of `signal` has none: the client has left. */
  failed(error: unknown, arrival: Arrived): Outcome;
  readonly signal?: AbortSignal;
  /** Who is asking, as far as the work has found out. */
  caller?(): Pick<Settled, 'account' | 'key'> | undefined;
  /** The client's address, with `send`. */
  client?(): string;
  /** Sends the outcome. Absent: the work sends its answer, and is in vain once the client has left. */
  send?(outcome: Outcome): Promise<void>;
  /** Takes the log entry, once, when the answer is out or the client has left. */
  ended(entry: RequestEntry, arrival: Arrived, outcome: Outcome | undefined): void;
}

/** The status in the log of a client that left before there was an answer. */
const LEFT = 499;

/**
 * Follows a request until its entry is in the log. Never throws or rejects, because no one else would handle it: what the
 * door throws outside of its work destroys the response, and is logged. The entry's time ends with the outcome where the
 * door has `send`, so that a slow client does not count; otherwise when the response closes.
 */
export function followRequest<Arrived extends Arrival, Outcome extends Settled>(
  arrival: Arrived,
  door: Door<Arrived, Outcome>,
): Promise<void> | undefined {
  const following = new Following(arrival, door);
  try {
    return following.begin()?.catch((error) => following.crash(error));
  } catch (error) {
    following.crash(error);
    return undefined;
  }
}

class Following<Arrived extends Arrival, Outcome extends Settled> {
  readonly #arrival: Arrived;
  readonly #door: Door<Arrived, Outcome>;
  #begun = 0;
  #ended = 0;
  #outcome: Outcome | undefined;
  #crash: Settled | undefined;
  #isSettled = false;
  #isClosed = false;
  #isLogged = false;

  constructor(arrival: Arrived, door: Door<Arrived, Outcome>) {
    this.#arrival = arrival;
    this.#door = door;
  }

  begin(): Promise<void> | undefined {
    const { response } = this.#arrival;
    if (hasLeft(response)) this.#isClosed = true;
    else response.on('close', () => this.#close());
    this.#begun = this.#arrival.begun ?? this.#door.now();
    this.#ended = this.#begun;
    let soon: Promise<Outcome> | Outcome | undefined;
    try {
      soon = this.#door.work(this.#arrival);
    } catch (error) {
      soon = this.#fail(error);
    }
    return isPromise(soon)
      ? soon.then(undefined, (error) => this.#fail(error)).then((outcome) => this.#settle(outcome))
      : this.#settle(soon);
  }

  /** Destroys a response whose door failed itself. */
  crash(error: unknown): void {
    const { response, isHeadWritten } = this.#arrival;
    if (this.#isLogged) complain(this.#arrival, error);
    this.#crash = { error, status: isHeadWritten ? response.statusCode : (this.#outcome?.status ?? 500) };
    this.#isSettled = true;
    try {
      response.destroy();
    } catch (another) {
      complain(this.#arrival, another);
    }
    this.#log();
  }

  #close(): void {
    this.#isClosed = true;
    try {
      if (this.#door.send === undefined) {
        this.#ended = this.#door.now();
        this.#isSettled ||= !this.#arrival.isHeadWritten;
      }
      this.#log();
    } catch (error) {
      this.crash(error);
    }
  }

  #settle(outcome: Outcome | undefined): Promise<void> | undefined {
    if (this.#isSettled) return undefined;
    this.#isSettled = true;
    this.#outcome = outcome;
    let sent: Promise<void> | undefined;
    if (this.#door.send !== undefined) {
      this.#ended = this.#door.now();
      sent = outcome && this.#door.send(outcome);
      outgoingBytes.followWritten(this.#arrival.response, () => clientOf(this.#door.client?.() ?? ''));
      const account = outcome?.account ?? this.#door.caller?.()?.account;
      if (account !== undefined) accountBacklogs.follow(account, this.#arrival.response);
    }
    this.#log();
    return sent;
  }

  #fail(error: unknown): Outcome | undefined {
    const { signal } = this.#door;
    if (signal?.aborted === true && error === signal.reason) return undefined;
    // A promise may be rejected with `undefined`, and the entry would then have no error.
    return this.#door.failed(error === undefined ? new Error('undefined was thrown') : error, this.#arrival);
  }

  #log(): void {
    if (!this.#isSettled || !this.#isClosed || this.#isLogged) return;
    this.#isLogged = true;
    try {
      const milliseconds = Math.round((this.#ended - this.#begun) * 1_000) / 1_000;
      const outcome = this.#crash === undefined ? this.#outcome : { ...this.#outcome, ...this.#crash };
      const entry = entryOf(this.#arrival, milliseconds, outcome, this.#door.caller?.());
      this.#door.ended(entry, this.#arrival, this.#outcome);
    } catch (error) {
      complain(this.#arrival, error);
    }
  }
}

/** Reports what the log itself threw, or what was thrown after the entry. */
function complain({ request, route, requestId }: Arrival, error: unknown): void {
  console.error(`Pinfold failed to finish ${request.method} ${route} (request ${requestId}):`, error);
}

function entryOf(
  { request, response, requestId, route, role: asked, isHeadWritten }: Arrival,
  milliseconds: number,
  settled: Settled = {},
  caller?: Pick<Settled, 'account' | 'key'>,
): RequestEntry {
  const { account = caller?.account, key = caller?.key, outcome, reason, error, role = asked } = settled;
  const status = settled.status ?? (isHeadWritten ? response.statusCode : LEFT);
  const entry: Entry = { requestId, method: request.method ?? '', route, role, status, milliseconds };
  // One by one: to spread what is there costs each view more.
  if (account !== undefined) entry.account = account;
  if (key !== undefined) entry.key = key;
  if (outcome !== undefined) entry.outcome = outcome;
  if (reason !== undefined) entry.reason = reason;
  if (!response.writableFinished) entry.gone = true;
  if (error !== undefined) entry.error = error;
  return entry;
}
