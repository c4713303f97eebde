import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RoleId } from '@pinfold/core';
import { accountBacklogs } from './account-backlogs.ts';
import type { RequestEntry } from './request-entry.ts';

/** A request whose work begins. */
export interface Arrival {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly route: string;
  /** The role in the address. */
  readonly role: RoleId | null;
}

type Entry = { -readonly [Name in keyof RequestEntry]: RequestEntry[Name] };

/** What the log says of an outcome, where the request and its response do not say it. */
export type Settled = {
  readonly [Name in 'account' | 'error' | 'key' | 'outcome' | 'role' | 'status']?: Entry[Name] | undefined;
};

/** How a door answers requests. */
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
  /** Sends the outcome. Absent: the work sends its answer, and is in vain once the client has left. */
  send?(outcome: Outcome): Promise<void>;
  /** Takes the log entry, once, when the answer is out or the client has left. It must not throw. */
  ended(entry: RequestEntry, arrival: Arrived, outcome: Outcome | undefined): void;
}

/** The status in the log of a client that left before there was an answer. */
const LEFT = 499;

/**
 * Follows a request until its entry is in the log. Rejects only if the outcome cannot be sent. The entry's time ends with
 * the outcome where the door has `send`, so that a slow client does not count; otherwise when the response closes.
 */
export function followRequest<Arrived extends Arrival, Outcome extends Settled>(
  arrival: Arrived,
  door: Door<Arrived, Outcome>,
): Promise<void> | undefined {
  const { response } = arrival;
  const begun = door.now();
  let ended = begun;
  let outcome: Outcome | undefined;
  let isSettled = false;
  let isClosed = false;
  const end = (): void => {
    if (!isSettled || !isClosed) return;
    const milliseconds = Math.round((ended - begun) * 1_000) / 1_000;
    door.ended(entryOf(arrival, milliseconds, outcome, door.caller?.()), arrival, outcome);
  };
  const close = (): void => {
    isClosed = true;
    if (door.send === undefined) {
      ended = door.now();
      isSettled ||= !response.headersSent;
    }
    end();
  };
  const settle = (settled: Outcome | undefined): Promise<void> | undefined => {
    if (isSettled) return undefined;
    isSettled = true;
    outcome = settled;
    let sent: Promise<void> | undefined;
    if (door.send !== undefined) {
      ended = door.now();
      sent = outcome && door.send(outcome);
      const account = outcome?.account ?? door.caller?.()?.account;
      if (account !== undefined) accountBacklogs.follow(account, response);
    }
    end();
    return sent;
  };
  const fail = (error: unknown): Outcome | undefined => {
    if (door.signal?.aborted === true && error === door.signal.reason) return undefined;
    // A promise may be rejected with `undefined`, and the entry would then have no error.
    return door.failed(error === undefined ? new Error('undefined was thrown') : error, arrival);
  };
  if (hasLeft(response)) close();
  else response.on('close', close);
  let soon: Promise<Outcome> | Outcome | undefined;
  try {
    soon = door.work(arrival);
  } catch (error) {
    soon = fail(error);
  }
  return soon instanceof Promise ? soon.catch(fail).then(settle) : settle(soon);
}

function entryOf(
  { request, response, requestId, route, role: asked }: Arrival,
  milliseconds: number,
  settled: Settled = {},
  caller?: Pick<Settled, 'account' | 'key'>,
): RequestEntry {
  const { account = caller?.account, key = caller?.key, outcome, error, role = asked } = settled;
  const status = settled.status ?? (response.headersSent ? response.statusCode : LEFT);
  const entry: Entry = { requestId, method: request.method ?? '', route, role, status, milliseconds };
  // One by one: to spread what is there costs each view more.
  if (account !== undefined) entry.account = account;
  if (key !== undefined) entry.key = key;
  if (outcome !== undefined) entry.outcome = outcome;
  if (!response.writableFinished) entry.gone = true;
  if (error !== undefined) entry.error = error;
  return entry;
}

/** A signal that aborts when the client has gone before its answer was out. */
export function untilGone(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  const close = (): void => {
    if (!response.writableFinished) gone.abort();
  };
  if (hasLeft(response)) close();
  else response.once('close', close);
  return gone.signal;
}

/** Whether a response is out, or its client has left: its `close` may have been. One of HTTP/2 has only its stream's state. */
export function hasLeft(
  response: ServerResponse & { readonly stream?: { readonly destroyed: boolean } },
): boolean {
  return response.destroyed ?? response.stream?.destroyed ?? false;
}
