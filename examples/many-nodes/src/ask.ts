import { type IncomingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** An answer, read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What is sent. */
export interface Question {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly signal: AbortSignal;
}

/**
 * Asks the server at a port of this machine for a URL, whatever the host in it: that goes into the `Host` header, as if
 * its name led here. So one can ask the front, or one node past it.
 *
 * @throws Error when the connection breaks.
 */
export function ask(port: number, url: string, question: Question): Promise<Answer> {
  const { method = 'GET', headers = {}, body, signal } = question;
  const { host, pathname, search } = new URL(url);
  return new Promise((resolve, reject) => {
    const outgoing = request({
      host: '127.0.0.1',
      port,
      method,
      path: pathname + search,
      headers: { ...headers, host },
      agent: false,
      signal,
    });
    outgoing.once('error', reject);
    outgoing.once('response', (incoming) => {
      text(incoming).then(
        (read) => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: read }),
        reject,
      );
    });
    outgoing.end(body);
  });
}
