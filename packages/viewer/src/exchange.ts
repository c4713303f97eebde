import type { IncomingMessage, ServerResponse } from 'node:http';
import { isPromise } from '@pinfold/core/internal';
import type { ViewCounter } from '@pinfold/core/views';
import { stripCors } from '@pinfold/http/internal';
import type { Access } from './access/access.ts';
import type { Grants } from './access/grants.ts';
import type { Bodies, BodyTools } from './sending/bodies.ts';
import type { FilePolicies } from './sending/file-policies.ts';
import type { Sites } from './sending/sites.ts';
import type { Settings, ViewerUseCases } from './viewer-options.ts';

export interface ViewerContext {
  readonly settings: Settings;
  readonly useCases: ViewerUseCases;
  readonly access: Access;
  readonly grants: Grants;
  readonly sites: Sites;
  readonly bodies: Bodies;
  readonly tools: BodyTools;
  readonly policies: FilePolicies;
  readonly counter: ViewCounter | undefined;
}

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly context: ViewerContext;
  isHeadWritten?: boolean;
  /** Whether the answer is of a site that everybody may see. Only those are read from other origins, where the app allows it. */
  isOfOpenSite?: boolean;
}

/** Writes the head of an answer, and notes it: frameworks replace `headersSent` of a response. */
export function writeHead(
  exchange: Exchange,
  status: number,
  headers: Readonly<Record<string, string | number>> | readonly string[],
): ServerResponse {
  if (exchange.isOfOpenSite !== true) stripCors(exchange.response);
  const response = exchange.response.writeHead(status, headers as Record<string, string | number>);
  exchange.isHeadWritten = true;
  return response;
}

export interface Answered {
  /** Why no file of a site was shown. */
  readonly outcome?: string;
  /** Whether the answer is a page of the site, its 404 page included. */
  readonly isPage?: true;
  readonly error?: unknown;
}

export const ANSWERED: Answered = {};

/** A value that may be there already: each promise is a measurable part of what a view costs. */
export type Soon<Value> = Promise<Value> | Value;

export function whenThere<Value, Next>(value: Soon<Value>, next: (value: Value) => Soon<Next>): Soon<Next> {
  return isPromise(value) ? value.then(next) : next(value);
}

export function isRead(request: IncomingMessage): boolean {
  return request.method === 'GET' || request.method === 'HEAD';
}
