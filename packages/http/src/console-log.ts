import type { RequestEntry } from './request-entry.ts';

/**
 * What doors do without a log of yours: a request that failed is told on standard error, every other one nowhere.
 *
 * @example
 * import { consoleLog, type RequestEntry } from '@pinfold/http';
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
