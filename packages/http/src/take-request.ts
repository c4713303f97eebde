import type { IncomingMessage, ServerResponse } from 'node:http';
import { expectNodeRequest } from './header-values.ts';
import { ParseThrottle } from './parse-throttle.ts';
import { Pipelines } from './pipelining.ts';
import { UntakenAnswers } from './stalled-reader.ts';
import { loopTurns } from './turns.ts';

// Connections are the server's, and several doors may share one: these are of the whole process.
const pipelines = new Pipelines(loopTurns);
const throttle = new ParseThrottle(loopTurns);
const untaken = new UntakenAnswers((socket) => {
  loopTurns.clientConnected();
  throttle.opened(socket);
});

/**
 * Every door calls this first. One request of an HTTP/1 connection is handled at a time, in the order
 * of their answers: `work` is called at once, or when the answers before it are out, or never, when the connection
 * closes before. Further requests stay unread meanwhile. A client that reads nothing of its answer for 45
 * seconds is disconnected.
 *
 * Nested doors may each call it. Streams of HTTP/2 are handled concurrently.
 */
export function takeRequest(request: IncomingMessage, response: ServerResponse, work: () => void): void {
  expectNodeRequest(request, response);
  if (request.httpVersionMajor !== 1) {
    work();
    return;
  }
  untaken.watch(request.socket);
  // Node gives a response its connection when all before it are out, and takes it away when it is out itself.
  if (response.socket !== null || response.writableEnded) work();
  else {
    const { socket } = request;
    throttle.begin({ request, response, socket }, untaken.connections);
    pipelines.wait(socket, response, work);
  }
}
