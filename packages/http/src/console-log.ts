import type { RequestEntry } from './request-entry.ts';

/** The default log of the doors: writes failed requests to standard error, and no others. */
export const consoleLog = ({ requestId, method, route, status, error }: RequestEntry): void => {
  if (error === undefined || status < 500) return;
  console.error(`Pinfold answered ${method} ${route} with ${status} (request ${requestId}):`, error);
};
