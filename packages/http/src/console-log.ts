import type { RequestEntry } from './request-entry.ts';

/**
 * The default log of the doors: writes failed requests to standard error, and no others.
 *
 * @example
 * import { type RequestEntry } from '@pinfold/http';
 * import { consoleLog } from '@pinfold/http/internal';
 *
 * const mine: RequestEntry[] = [];
 * const log = (entry: RequestEntry): void => {
 *   mine.push(entry);
 *   consoleLog(entry);
 * };
 */
export const consoleLog = ({ requestId, method, route, status, error }: RequestEntry): void => {
  if (error === undefined || status < 500) return;
  console.error(`Pinfold answered ${method} ${route} with ${status} (request ${requestId}):`, error);
};
