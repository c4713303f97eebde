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

export function isRead(request: IncomingMessage): boolean {
  return request.method === 'GET' || request.method === 'HEAD';
}
