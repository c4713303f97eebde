import type { IncomingMessage } from 'node:http';
import type { Tamper } from './service.ts';

/** Rewrites the target of requests. */
export function retargeting(rewrite: (target: string, request: IncomingMessage) => string): Tamper {
  return (request) => {
    request.url = rewrite(request.url ?? '', request);
  };
}
