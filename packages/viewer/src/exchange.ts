import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isPromise } from '@pinfold/core/internal';
import type { ViewCounter } from '@pinfold/core/views';
import { clientOf as clientAt, outgoingBytes, stripCors, untilGone } from '@pinfold/http/internal';
import type { Access } from './access/access.ts';
import type { Grants } from './access/grants.ts';
import type { Bodies } from './sending/bodies.ts';
import type { FilePolicies } from './sending/file-answer.ts';
import type { ReadingTools } from './sending/pieces.ts';
import type { Sites } from './sending/sites.ts';
import type { Settings, ViewerUseCases } from './viewer-options.ts';

export interface ViewerContext {
  readonly settings: Settings;
  readonly useCases: ViewerUseCases;
  readonly access: Access;
  readonly grants: Grants;
  readonly sites: Sites;
  readonly bodies: Bodies;
  readonly tools: ReadingTools;
  readonly policies: FilePolicies;
  readonly counter: ViewCounter | undefined;
}

/** A request to the viewer, and the response that answers it. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly context: ViewerContext;
  readonly asyncContext: AsyncResource;
  isHeadWritten?: boolean;
  /** Whether CORS headers of the app may let other origins read the answer: only if everyone may see the site. */
  allowsCors?: boolean;
  /** Headers of answers that are not files of a site, beside the usual ones. */
  pageHeaders?: Readonly<Record<string, string>>;
  /** Aborts when the viewer leaves; see {@link signalOf}. */
  signal?: AbortSignal;
}

/** Returns a signal that aborts if the viewer leaves before the answer was sent. Later failures are not reported. */
export function signalOf(exchange: Exchange): AbortSignal {
  exchange.signal ??= untilGone(exchange.response);
  return exchange.signal;
}

/** The client's address, by which limits are counted. */
export function clientOf({ context, request }: Exchange): string {
  return clientAt(context.settings.clientAddress(request));
}

/** Writes the head of an answer and sets `isHeadWritten`, since frameworks may replace `headersSent`. */
export function writeHead(
  exchange: Exchange,
  status: number,
  headers: Readonly<Record<string, string | number>> | readonly string[],
): ServerResponse {
  if (exchange.allowsCors !== true) stripCors(exchange.response);
  const response = exchange.response.writeHead(status, headers as Record<string, string | number>);
  exchange.isHeadWritten = true;
  return response;
}

/** Ends an answer with its whole body, and counts the bytes that the client has not received yet. */
export function end(exchange: Exchange, body?: Buffer): void {
  exchange.response.end(body);
  outgoingBytes.followWritten(exchange.response, () => clientOf(exchange));
}

interface ArrivedRequest {
  readonly asyncContext: AsyncResource;
  readonly work: (asyncContext: AsyncResource) => void;
}

/** Requests of this turn of the event loop. */
let arrived: ArrivedRequest[] = [];

/** Answers of this turn whose heads are written and whose bodies are in memory. */
let endings: { readonly exchange: Exchange; readonly text: string }[] = [];

/**
 * Calls `work` once the event loop has read all requests that have arrived, so that one check for commits in the database
 * serves all of them, and the same code runs in a row.
 */
export function workTogether(work: ArrivedRequest['work']): void {
  // Keeps the async context of one request from reaching the work and the events of another.
  arrived.push({ asyncContext: new AsyncResource('PinfoldView'), work });
  beginTurn();
}

/**
 * Ends an answer after the work of this turn. Writing all answers in a row takes a third less time than each after its
 * request, and wakes a client or proxy on this machine once.
 */
export function endTogether(exchange: Exchange, text = ''): void {
  const { response } = exchange;
  // An app may have replaced `end`. Its version may throw, which the caller handles.
  if (Object.hasOwn(response, 'end')) {
    end(exchange, text === '' ? undefined : Buffer.from(text, 'latin1'));
    return;
  }
  endings.push({ exchange, text });
  beginTurn();
}

function beginTurn(): void {
  if (arrived.length + endings.length === 1) setImmediate(workAll);
}

function workAll(): void {
  try {
    for (const { asyncContext, work } of arrived) asyncContext.runInAsyncScope(work, undefined, asyncContext);
  } finally {
    arrived = [];
    endAll();
  }
}

function endAll(): void {
  const all = endings;
  endings = [];
  for (const { exchange, text } of all) {
    const { response } = exchange;
    try {
      exchange.asyncContext.runInAsyncScope(response.end, response, text, 'latin1');
      outgoingBytes.followWritten(response, () => clientOf(exchange));
    } catch (error) {
      // Thrown by a listener of the app, or by an `end` that its framework gives to all responses.
      console.error('Pinfold failed to end an answer:', error);
      response.destroy();
    }
  }
}

export interface Answered {
  /** The code for the log if no file of a site was shown. */
  readonly outcome?: string;
  /** Whether the answer is a page of the site, its 404 page included. */
  readonly isPage?: true;
  readonly error?: unknown;
}

export const ANSWERED: Answered = {};

/** A value that may be available already: each promise takes a measurable part of a view's time. */
export type MaybePromise<Value> = Promise<Value> | Value;

export function chain<Value, Next>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Next>,
): MaybePromise<Next> {
  return isPromise(value) ? value.then(next) : next(value);
}

export function isGetOrHead(request: IncomingMessage): boolean {
  return request.method === 'GET' || request.method === 'HEAD';
}
