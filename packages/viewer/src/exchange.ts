import type { IncomingMessage, ServerResponse } from 'node:http';

/** One request of the viewer's own and its answer. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Why nothing of a site was shown, for the log. */
  refused?: string | undefined;
  /** Whether the answer is a page of the site; the status tells whether it stands in for what is missing. */
  isPage?: boolean;
}

/** Whether the method asks to see something. */
export function isRead(request: IncomingMessage): boolean {
  return request.method === 'GET' || request.method === 'HEAD';
}
