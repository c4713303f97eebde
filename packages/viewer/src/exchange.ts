import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PublicPage } from '@pinfold/http/internal';

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** What the service's own pages show about the service. */
  readonly service: PublicPage;
}

/** What an answer was, for the log and the counter of views. */
export interface Answered {
  /** Why no file of a site was shown. */
  readonly outcome?: string;
  /** Whether the answer is a page of the site, its 404 page included. */
  readonly isPage?: true;
}

export const ANSWERED: Answered = {};

/** A value that may be there already: each promise is a measurable part of what a view costs. */
export type Soon<Value> = Promise<Value> | Value;

/** Goes on with a value: at once, if it is there. */
export function whenThere<Value, Next>(value: Soon<Value>, next: (value: Value) => Soon<Next>): Soon<Next> {
  return value instanceof Promise ? value.then(next) : next(value);
}

export function isRead(request: IncomingMessage): boolean {
  return request.method === 'GET' || request.method === 'HEAD';
}
