import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PublicPage } from '@pinfold/http/internal';

/** One request of the viewer's own and its answer. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** What the service's own pages show of it. */
  readonly service: PublicPage;
}

/** What an answer was, for the log and the counter of views. */
export interface Answered {
  /** Why nothing of a site was shown. */
  readonly outcome?: string;
  /** Whether it is a page of the site; the status says whether that page was asked for. */
  readonly isPage?: true;
}

export const ANSWERED: Answered = {};

/** Whether the method asks to see something. */
export function isRead(request: IncomingMessage): boolean {
  return request.method === 'GET' || request.method === 'HEAD';
}
