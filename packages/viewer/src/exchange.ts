import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RoleId } from '@pinfold/core';
import type { ViewerRoute } from './viewer-options.ts';

/** One request of the viewer's own and its answer, with what the log will say of them. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  route: ViewerRoute;
  role: RoleId | null;
  error?: unknown;
}

/** The request target as it came, also where a framework has cut it. */
export function targetOf(request: IncomingMessage): string {
  const original = 'originalUrl' in request ? request.originalUrl : undefined;
  return typeof original === 'string' ? original : (request.url ?? '');
}

/** Whether the method asks to see something. */
export function isRead(request: IncomingMessage): boolean {
  return request.method === 'GET' || request.method === 'HEAD';
}
