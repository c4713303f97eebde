import { once } from 'node:events';
import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** One answer, as it was received. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly text: string;
}

/** A request, with nothing normalised. */
export interface Ask {
  readonly method?: string;
  /** The Host header; the server's own address when absent. */
  readonly host?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Uint8Array;
}

/** Far longer than any answer takes, in milliseconds: a missing answer fails its own test, and does not stop the whole run. */
const TIMEOUT = 50_000;

/** Sends one request on a connection of its own. */
export async function ask(port: number, path: string, how: Ask = {}): Promise<Answer> {
  const { method = 'GET', host = `127.0.0.1:${port}`, headers = {}, body } = how;
  const sent = request({
    host: '127.0.0.1',
    port,
    path,
    method,
    headers: { host, ...headers },
    agent: false,
    signal: AbortSignal.timeout(TIMEOUT),
  });
  sent.end(body);
  const [answer] = await once(sent, 'response');
  const bytes = await buffer(answer);
  return { status: answer.statusCode, headers: answer.headers, body: bytes, text: bytes.toString() };
}

/** Sends bytes unchanged and returns the whole answer as text. */
export async function askRaw(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(text);
  return (await buffer(socket)).toString('latin1');
}

/** The cookies that an answer sets, without their attributes, in the form of a Cookie header. */
export function cookiesOf(answer: Answer): string {
  return (answer.headers['set-cookie'] ?? []).map((line) => line.split(';', 1)[0]).join('; ');
}

/** The Location of an answer, unchanged. */
export function locationOf(answer: Answer): string {
  return answer.headers.location ?? '';
}

/** The Location of an answer that sets a cookie, without the mark by which the viewer sees whether it was stored. */
export function unmarkedLocationOf(answer: Answer): string {
  return locationOf(answer).replace(/[?&]pinfold-cookie=1$/, '');
}
