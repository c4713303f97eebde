import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { runInRequestOrder } from '../src/pipelining.ts';

/** A started request and its response. */
export interface Begun {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** A server that starts requests as a door does, and its client on one connection. */
export interface Stage {
  /** Paths of the requests that Node has read. */
  readonly read: string[];
  readonly begun: Begun[];
  readonly socket: Socket;
  received(): string;
  close(): Promise<void>;
}

export type RunInOrder = typeof runInRequestOrder;

export async function openStage(run: RunInOrder = runInRequestOrder): Promise<Stage> {
  const read: string[] = [];
  const begun: Begun[] = [];
  const server = createServer((request, response) => {
    read.push(request.url ?? '');
    run(request, response, () => begun.push({ request, response }));
  });
  const port = await listen(server);
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  return { read, begun, socket, received: () => text, close: () => close(server) };
}

export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

export async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await setImmediate();
}

export function begunAt(begun: readonly Begun[], index: number): Begun {
  const one = begun[index];
  if (one === undefined) throw new Error(`request ${index} was not begun`);
  return one;
}

/** Waits until all pending work of the event loop is done. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await setImmediate();
}

export const get = (path: string | number): string => `GET /${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
export const post = (path: string, body: string): string =>
  `POST /${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
export const getMany = (count: number): string =>
  Array.from({ length: count }, (_, index) => get(index)).join('');
