import type { IncomingMessage, ServerResponse } from 'node:http';
import { type DrainLimits, drain, type EncodedAnswer, isUnderWay } from '@pinfold/http/internal';

/** Writes an answer whole, then drains an unread body within limits: closing at once could lose the answer. */
export async function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: EncodedAnswer,
  limits: DrainLimits,
): Promise<void> {
  if (response.destroyed) return;
  const content = request.method === 'HEAD' ? undefined : body;
  if (!isUnderWay(request)) {
    response.writeHead(status, headers).end(content);
    request.resume();
    return;
  }
  // Not ended yet: a response that has ended closes its connection, under a client that is still sending.
  response.writeHead(status, { ...headers, Connection: 'close' });
  if (content === undefined || content.byteLength === 0) response.flushHeaders();
  else response.write(content);
  const left = await drain(request, limits);
  response.end();
  if (left) request.destroy();
}
