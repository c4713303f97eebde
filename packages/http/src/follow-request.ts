import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AccountId, RoleId } from '@pinfold/core';
import { isPromise } from '@pinfold/core/internal';
import { hasLeft } from './gone-clients.ts';
import { accountBacklogs, outgoingBytes } from './outgoing-bytes.ts';
import { clientOf } from './request-limiter.ts';

/** One answered request, free of secrets: no query, path, address, key, cookie, Referer or Location. */
export interface RequestEntry {
  /** The `X-Request-Id` of the answer, if it has one. */
  readonly requestId: string;
  readonly method: string;
  /** The route, such as `/api/v1/pins/{id}` or `site`; never the requested path. */
  readonly route: string;
  /** The requested or published role, even if it does not exist; null if the request names none. */
  readonly role: RoleId | null;
  /** The account of the caller, once it is known; viewers have none. */
  readonly account?: AccountId;
  /** The id of the request's API key, which is not secret. */
  readonly key?: string;
  /** 499 if the client left before there was an answer. */
  readonly status: number;
  /** The code of the refusal or failure, in snake case; absent after success. */
  readonly outcome?: string;
  /** The rule of the operator that refused the request, in one line without secrets. */
  readonly reason?: string;
  /** From the request's head to its answer, without draining an unwanted body; includes sending in the viewer only. */
  readonly milliseconds: number;
  /** Whether the connection closed before the answer was sent. */
  readonly gone?: true;
  /** The thrown error: a Fault of the core, or a defect. */
  readonly error?: unknown;
}

/**
 * Receives an entry when a request has ended. Its errors, and rejections of an asynchronous one, go to `console.error`.
 *
 * @param request the request, with all the secrets that the entry omits.
 */
export type RequestLog = (entry: RequestEntry, request: IncomingMessage) => void;

/** The default log of the doors: writes failed requests to standard error, even if they failed after their head. */
export const consoleLog = ({ requestId, method, route, status, error }: RequestEntry): void => {
  if (error === undefined || (status >= 400 && status < 500)) return;
  console.error(`Pinfold answered ${method} ${route} with ${status} (request ${requestId}):`, error);
};

export interface Arrival {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly route: string;
  /** The role in the address. */
  readonly role: RoleId | null;
  /** When it arrived, on the door's clock. Default: when it is followed. */
  readonly begun?: number;
  /** Whether the work wrote the head, if the door has no `send`. Frameworks may replace `headersSent` of a response. */
  isHeadWritten?: boolean;
}

type Entry = { -readonly [Name in keyof RequestEntry]: RequestEntry[Name] };

/** The parts of a log entry that come from the outcome rather than from the request and its response. */
export type Settled = {
  readonly [Name in 'account' | 'error' | 'key' | 'outcome' | 'reason' | 'role' | 'status']?:
    | Entry[Name]
    | undefined;
};

export interface Door<Arrived extends Arrival, Outcome extends Settled> {
  /** Milliseconds since any instant. */
  now(): number;
  /** Synchronous if possible: each promise takes a measurable part of a view's time. */
  work(arrival: Arrived): Promise<Outcome> | Outcome;
  /** Turns an error of the work into an outcome. Not called for the reason of `signal`: the client has left. */
  failed(error: unknown, arrival: Arrived): Outcome;
  readonly signal?: AbortSignal;
  /** The caller, once the work has identified it. */
  caller?(): Pick<Settled, 'account' | 'key'> | undefined;
  /** The client's address, with `send`. */
  client?(): string;
  /** Sends the outcome. Absent: the work itself sends its answer. */
  send?(outcome: Outcome): Promise<void>;
  /** Receives the log entry, once, when the answer was sent or the client has left. */
  ended(entry: RequestEntry, arrival: Arrived, outcome: Outcome | undefined): void;
}

/** The status in the log of a client that left before there was an answer. */
const CLIENT_LEFT = 499;

/**
 * Follows a request until its entry is in the log. Never throws or rejects, because its callers could not handle it: an
 * error of the door outside of its work destroys the response, and is logged. If the door has `send`, the entry's time
 * ends with the outcome, so that a slow client does not count; otherwise when the response closes.
 */
export function followRequest<Arrived extends Arrival, Outcome extends Settled>(
  arrival: Arrived,
  door: Door<Arrived, Outcome>,
): Promise<void> | undefined {
  const followed = new FollowedRequest(arrival, door);
  try {
    return followed.begin()?.catch((error) => followed.crash(error));
  } catch (error) {
    followed.crash(error);
    return undefined;
  }
}

class FollowedRequest<Arrived extends Arrival, Outcome extends Settled> {
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
    let result: Promise<Outcome> | Outcome | undefined;
    try {
      result = this.#door.work(this.#arrival);
    } catch (error) {
      result = this.#fail(error);
    }
    return isPromise(result)
      ? result.then(undefined, (error) => this.#fail(error)).then((outcome) => this.#settle(outcome))
      : this.#settle(result);
  }

  /** Destroys the response after an error of the door itself. */
  crash(error: unknown): void {
    const { response, isHeadWritten } = this.#arrival;
    if (this.#isLogged) reportError(this.#arrival, error);
    this.#crash = { error, status: isHeadWritten ? response.statusCode : (this.#outcome?.status ?? 500) };
    this.#isSettled = true;
    try {
      response.destroy();
    } catch (another) {
      reportError(this.#arrival, another);
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
      const logged: unknown = this.#door.ended(entry, this.#arrival, this.#outcome);
      // A log of the embedding team may be asynchronous: its rejection would end the process.
      if (isPromise(logged)) logged.then(undefined, (error) => reportError(this.#arrival, error));
    } catch (error) {
      reportError(this.#arrival, error);
    }
  }
}

/** Reports an error of the log itself, or one after the entry. */
function reportError({ request, route, requestId }: Arrival, error: unknown): void {
  console.error(`Pinfold failed to finish ${request.method} ${route} (request ${requestId}):`, error);
}

function entryOf(
  { request, response, requestId, route, role: requestedRole, isHeadWritten }: Arrival,
  milliseconds: number,
  settled: Settled = {},
  caller?: Pick<Settled, 'account' | 'key'>,
): RequestEntry {
  const {
    account = caller?.account,
    key = caller?.key,
    outcome,
    reason,
    error,
    role = requestedRole,
  } = settled;
  const status = settled.status ?? (isHeadWritten ? response.statusCode : CLIENT_LEFT);
  const entry: Entry = { requestId, method: request.method ?? '', route, role, status, milliseconds };
  // Adds members one by one, which is faster than spreading, on every view.
  if (account !== undefined) entry.account = account;
  if (key !== undefined) entry.key = key;
  if (outcome !== undefined) entry.outcome = outcome;
  if (reason !== undefined) entry.reason = reason;
  if (!response.writableFinished) entry.gone = true;
  if (error !== undefined) entry.error = error;
  return entry;
}
