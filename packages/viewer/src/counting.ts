import type { RoleId } from '@pinfold/core';
import type { ViewCounter } from '@pinfold/core/views';
import type { Exchange } from './exchange.ts';
import { isDocument } from './sending/find-file.ts';

/** Counts a finished answer if it was a view: a page of the site that a browser opened by navigation. */
export function countView(counter: ViewCounter, exchange: Exchange, role: RoleId): void {
  const { request, response, isPage = false } = exchange;
  if (!isPage || request.method !== 'GET' || !response.headersSent) return;
  if (response.statusCode !== 200 && response.statusCode !== 304) return;
  if (isDocument(request.headers)) counter.viewed(role);
}
