import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as sendHttp,
} from 'node:http';
import { request as sendHttps } from 'node:https';
import { buffer } from 'node:stream/consumers';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
}

/** A request whose target is sent unchanged, and so are headers given as a list of alternating names and values. */
interface BareRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders | readonly string[];
  readonly body?: string | Uint8Array;
}

/** Sends a request on a connection of its own and reads its answer, which may arrive before the whole body is sent. */
export function sendRequest(
  baseUrl: string,
  { method = 'GET', path, headers = {}, body }: BareRequest,
): Promise<Answer> {
  const { protocol, hostname, port } = new URL(baseUrl);
  const send = protocol === 'https:' ? sendHttps : sendHttp;
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  let hasAnswer = false;
  const request = send({ hostname, port, method, path, headers, agent: false }, (response) => {
    hasAnswer = true;
    buffer(response).then((bytes) => {
      const { statusCode: status = 0, headers: received } = response;
      resolve({ status, headers: received, bytes, text: bytes.toString() });
    }, reject);
  });
  // A failure while the rest of the body is sent does not matter: the answer shows whether it is complete.
  request.on('error', (error) => {
    if (!hasAnswer) reject(error);
  });
  request.end(body);
  return promise;
}

/** Reads the rest of an answer; returns how many bytes arrived, and whether the answer was complete. */
export async function restOf(answer: IncomingMessage): Promise<{ bytes: number; isWhole: boolean }> {
  let bytes = 0;
  answer.on('data', (piece: Uint8Array) => {
    bytes += piece.length;
  });
  // A truncated body causes an error, and then the end of the stream.
  answer.on('error', () => {});
  await new Promise((resolve) => answer.on('close', resolve));
  return { bytes, isWhole: answer.complete };
}
