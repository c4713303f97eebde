import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { HttpServer } from '../../src/server/http-server.ts';

const HEADS = 1_000;
const head = (path: string | number): string => `GET /${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const heads = (count: number): string => Array.from({ length: count }, (_, index) => head(index)).join('');
const chunked = 'POST /upload HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';

interface Head {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

async function waitUntil(condition: () => boolean): Promise<void> {
  while (!condition()) await setImmediate();
}

/** Waits until all pending events are handled. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await setImmediate();
}

describe('the bytes of connections', () => {
  let server: HttpServer;
  let port: number;
  /** The requests that Node has parsed, and those that the server has passed on. */
  const parsedHeads: Head[] = [];
  const begun: Head[] = [];
  const clients: Socket[] = [];
  const recordHead = (message: unknown): void => void parsedHeads.push(message as Head);

  beforeEach(async () => {
    for (const list of [parsedHeads, begun]) list.length = 0;
    server = new HttpServer();
    subscribe('http.server.request.start', recordHead);
    ({ port } = await server.listen(0, '127.0.0.1'));
    server.answerWith((request, response) => begun.push({ request, response }));
  });

  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    unsubscribe('http.server.request.start', recordHead);
    await server.stop(AbortSignal.abort());
  });

  async function open(words = ''): Promise<Socket> {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    clients.push(socket);
    await once(socket, 'connect');
    socket.write(words);
    return socket;
  }

  const headsOf = (client: Socket): readonly Head[] =>
    parsedHeads.filter(({ request }) => request.socket.remotePort === client.localPort);

  /** The number of a client's requests that Node has parsed. */
  const countParsed = (client: Socket): number => headsOf(client).length;

  /** A client that sends requests before earlier answers. */
  async function startThrottling(): Promise<void> {
    const first = await open(heads(2));
    await waitUntil(() => countParsed(first) === 2);
    await settle();
  }

  it('are parsed one head at a time on all connections after one client has sent two at once', async () => {
    const before = await open(head('before'));
    await waitUntil(() => countParsed(before) === 1);
    parsedHeads[0]?.response.end();
    await once(before, 'data');
    await startThrottling();
    before.write(heads(HEADS));
    const after = await open(heads(HEADS));
    await waitUntil(() => countParsed(before) > 1 && countParsed(after) > 0);
    await settle();
    expect([countParsed(before), countParsed(after)]).to.deep.equal([2, 1]);
    begun.at(-1)?.response.end();
    await waitUntil(() => countParsed(before) + countParsed(after) === 4);
    await settle();
    expect(countParsed(before) + countParsed(after)).to.equal(4);
  });

  it('are parsed one head per turn of the event loop if hundreds of clients send several at once', async () => {
    await startThrottling();
    const idle = await Promise.all(Array.from({ length: 50 }, () => open()));
    let turn = 0;
    const turns: number[] = [];
    server.answerWith(() => turns.push(turn));
    const count = (): void => {
      turn += 1;
      if (turns.length < idle.length) globalThis.setImmediate(count);
    };
    count();
    for (const client of idle) client.write(heads(2));
    await waitUntil(() => turns.length === idle.length);
    const maxPerTurn = Math.max(...turns.map((one) => turns.filter((other) => other === one).length));
    expect(maxPerTurn).to.be.at.most(2);
  });

  it('are parsed by Node until a client sends two heads at once', async () => {
    const client = await open();
    const second = await open(head('alone'));
    await waitUntil(() => countParsed(second) === 1);
    const [socket] = begun.map(({ request }) => request.socket);
    expect(socket?.listeners('data')).to.have.length(1);
    client.write(heads(HEADS));
    await waitUntil(() => countParsed(client) > 1);
  });

  it('include at most 4 KiB of heads after the end of a chunked body', async () => {
    await startThrottling();
    const client = await open(`${chunked}0\r\n\r\n${heads(HEADS)}`);
    await waitUntil(() => countParsed(client) > 0);
    await settle();
    expect(countParsed(client)).to.be.at.most(1 + Math.ceil(4_096 / head(0).length));
  });

  it('arrive complete, whatever their division into packets', async () => {
    await startThrottling();
    const body = 'a\r\n\r\nb'.repeat(50_000);
    const client = await open();
    const sent = `${chunked}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n${head('next')}`;
    for (let from = 0; from < sent.length; from += 50_001) {
      client.write(sent.slice(from, from + 50_001));
      await settle();
    }
    await waitUntil(() => countParsed(client) === 1);
    let text = '';
    const { request, response } = begun.at(-1) ?? expect.fail();
    for await (const bytes of request) {
      text += bytes;
      // A reader that is slower than its client.
      if (text.length % 7 === 0) await setTimeout(1);
    }
    expect(text === body, 'the body').to.equal(true);
    response.end();
    await waitUntil(() => begun.at(-1)?.request.url === '/next');
  });

  it('stay unread after the first read until their turn comes', async () => {
    const all = 5_000;
    const client = await open(heads(all));
    await waitUntil(() => begun.length > 0);
    await settle();
    const first = countParsed(client);
    // Node reads 64 KiB at once.
    expect(first).to.be.below((2 * 65_536) / head(0).length);
    let maxAhead = 0;
    let received = '';
    client.on('data', (bytes) => {
      received += bytes;
    });
    for (let index = 0; index < all; index += 1) {
      await waitUntil(() => begun.length > index);
      if (parsedHeads.length > first)
        maxAhead = Math.max(maxAhead, parsedHeads.length - Math.max(index, first));
      begun[index]?.response.end();
    }
    // From then on it parses one after each answer, and two if what it reads ends within the end of a head.
    expect(maxAhead).to.be.at.most(2);
    await waitUntil(() => received.split('HTTP/1.1 200').length === all + 1);
    expect(begun.map(({ request }) => request.url)).to.deep.equal(
      Array.from({ length: all }, (_, index) => `/${index}`),
    );
  });

  it('stay unread while the body of an earlier request is read', async () => {
    const body = 'x'.repeat(1_000);
    const client = await open(
      `POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}${heads(20_000)}`,
    );
    await waitUntil(() => begun.length > 0);
    expect(String(await buffer(begun[0]?.request ?? expect.fail()))).to.equal(body);
    await settle();
    expect(countParsed(client)).to.be.below((2 * 65_536) / head(0).length);
  });
});
