import { randomUUID } from 'node:crypto';
import type { Caller, Clock, Instant, RoleId } from '@pinfold/core';
import type { Request, Response } from 'express';
import type { ProblemContext } from './problem.ts';

/** One line of the request log. It holds no key, no query and no address. */
export interface ApiLogEntry {
  readonly requestId: string;
  readonly method: string;
  /** The route's pattern: `/api/v1/pins/{id}`. */
  readonly route: string;
  readonly status: number;
  /** From the request's arrival to its answer, in milliseconds. */
  readonly time: number;
  /** The role read, changed or published. */
  readonly role?: RoleId;
  /** Whether the client had gone before its answer was out. */
  readonly gone?: true;
  /** What broke, for answers of 500 and above. */
  readonly error?: unknown;
}

/** Takes a line when a request has ended. What it throws is nobody's to catch. */
export type ApiLog = (entry: ApiLogEntry) => void;

/** One request on its way to its answer. */
export class Exchange implements ProblemContext {
  readonly request: Request;
  readonly response: Response;
  readonly requestId: string = randomUUID();
  /** Aborts when the client has gone before its answer was out. */
  readonly signal: AbortSignal;
  route = '/api/v1';
  publishing = false;
  role: RoleId | undefined;
  error: unknown;
  readonly #begun: Instant;
  readonly #clock: Clock;
  #answered: Instant | undefined;

  constructor(request: Request, response: Response, clock: Clock) {
    this.request = request;
    this.response = response;
    this.#clock = clock;
    this.#begun = clock.now();
    const gone = new AbortController();
    this.signal = gone.signal;
    response.once('close', () => {
      if (!response.writableFinished) gone.abort();
    });
  }

  /** Notes that the answer goes out now; reading what is left of the body is not part of the time it took. */
  answered(): void {
    this.#answered = this.#clock.now();
  }

  /** The line for the log. */
  entry(status: number): ApiLogEntry {
    const time = (this.#answered ?? this.#clock.now()) - this.#begun;
    const { requestId, route, role, error, signal } = this;
    return {
      requestId,
      method: this.request.method,
      route,
      status,
      time,
      ...(role === undefined ? {} : { role }),
      ...(signal.aborted ? { gone: true as const } : {}),
      ...(error === undefined ? {} : { error }),
    };
  }
}

/** What a handler gets: the exchange, and who calls. */
export interface Call {
  readonly exchange: Exchange;
  readonly caller: Caller;
}
