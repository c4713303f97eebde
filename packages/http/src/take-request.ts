import type { IncomingMessage, ServerResponse } from 'node:http';
import { expectNodeRequest } from './header-values.ts';
import { Pipelines } from './pipelining.ts';
import { loopTurns } from './turns.ts';

/** Several doors may share a connection, so the queue is of the whole process. */
const pipelines = new Pipelines(loopTurns);

/**
 * Every door calls this first. One request of an HTTP/1 connection is handled at a time, in the order of their answers:
 * `work` is called at once, or when the answers before it are out, or never, when the connection closes before. Further
 * requests wait in a bounded queue.
 *
 * Nested doors may each call it. Streams of HTTP/2 are handled concurrently.
 */
export function takeRequest(request: IncomingMessage, response: ServerResponse, work: () => void): void {
  expectNodeRequest(request, response);
  const { socket } = request;
  // Adapters of serverless platforms may have no connection.
  if (request.httpVersionMajor === 1 && socket !== undefined) pipelines.take(socket, response, work);
  else work();
}
