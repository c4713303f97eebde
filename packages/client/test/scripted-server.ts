import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type ClientOptions, PinfoldClient } from '@pinfold/client';
import { KEY } from './answers.ts';

/** One answer of the server. */
export type Answer =
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  /** Ends the connection: before an answer, or in the middle of one. */
  | 'cut'
  | 'cut in the body'
  /** Answers nothing, or only the head. */
  | 'silent'
  | 'silent in the body';

/** A request as it arrived. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Without the boundary of a form, which is new in each attempt. */
  readonly body: string;
}

/** A server on a real socket with prepared answers, until the test has ended. */
export interface ScriptedServer {
  readonly url: string;
  readonly requests: ReceivedRequest[];
  answer(...answers: readonly Answer[]): void;
}

const opened: Server[] = [];

afterEach('the scripted servers are closed', () => {
  for (const server of opened.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

/** The server of the running test, for a hook of Mocha to open. */
export let server: ScriptedServer;

export async function openServer(): Promise<void> {
  server = await openScriptedServer();
}

export function clientOf(options: Partial<ClientOptions> = {}): PinfoldClient {
  return new PinfoldClient({ url: `${server.url}/`, key: KEY, ...options });
}

export async function openScriptedServer(): Promise<ScriptedServer> {
  const requests: ReceivedRequest[] = [];
  const answers: Answer[] = [];
  const server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString('latin1').replaceAll(/-{4,}[^\r\n]+/g, 'boundary');
    const { method = '', url: path = '', headers } = request;
    requests.push({ method, path, headers, body });
    const answer = answers.shift() ?? { status: 500 };
    if (answer === 'cut') response.destroy();
    else if (answer === 'cut in the body' || answer === 'silent in the body') {
      // The headers must be sent before the connection ends.
      response.writeHead(200, { 'content-length': 99 }).write('{', () => {
        if (answer === 'cut in the body') response.destroy();
      });
    } else if (answer !== 'silent') {
      const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
      response.writeHead(answer.status, answer.headers).end(answer.body === undefined ? undefined : text);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.push(server);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answer: (...more) => void answers.push(...more),
  };
}
