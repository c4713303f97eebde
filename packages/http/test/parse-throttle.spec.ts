import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { ParseThrottle } from '../src/parse-throttle.ts';
import { Turns } from '../src/turns.ts';
import { close, get, listen, many, settle, until } from './pipelined-stage.ts';

const HEADS = 1_000;
const chunked = 'POST /upload HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';

/** A server that never answers by itself, and what it has read of each client. */
interface Stage {
  readonly server: Server;
  readonly throttle: ParseThrottle;
  readonly heads: { readonly request: IncomingMessage; readonly response: ServerResponse }[];
  client(words?: string): Promise<Socket>;
  /** How many requests Node has parsed of a client. */
  parsed(client: Socket): number;
}

describe('what connections bring', () => {
  let stage: Stage;
  const clients: Socket[] = [];

  beforeEach(async () => {
    const server = createServer();
    const throttle = new ParseThrottle(new Turns());
    const open = new Set<Socket>();
    const heads: Stage['heads'] = [];
    server.on('connection', (socket) => {
      open.add(socket);
      throttle.opened(socket);
    });
    server.on('request', (request, response) => {
      heads.push({ request, response });
      if (response.socket === null) throttle.begin({ request, response, socket: request.socket }, open);
    });
    const port = await listen(server);
    stage = {
      server,
      throttle,
      heads,
      client: async (words = '') => {
        const socket = connect(port, '127.0.0.1').on('error', () => {});
        clients.push(socket);
        await once(socket, 'connect');
        socket.write(words);
        return socket;
      },
      parsed: (client) =>
        heads.filter(({ request }) => request.socket.remotePort === client.localPort).length,
    };
  });

  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    await close(stage.server);
  });

  /** A client that sends requests ahead of answers. */
  async function beWary(): Promise<void> {
    const first = await stage.client(many(2));
    await until(() => stage.parsed(first) === 2);
    await settle();
  }

  it('is parsed one head at a time on all of them, once one client has sent two at once', async () => {
    const before = await stage.client(get('before'));
    await until(() => stage.parsed(before) === 1);
    stage.heads[0]?.response.end();
    await once(before, 'data');
    await beWary();
    before.write(many(HEADS));
    const after = await stage.client(many(HEADS));
    await until(() => stage.parsed(before) > 1 && stage.parsed(after) > 0);
    await settle();
    expect([stage.parsed(before), stage.parsed(after)]).to.deep.equal([2, 1]);
    stage.heads.at(-1)?.response.end();
    await until(() => stage.parsed(before) + stage.parsed(after) === 4);
    await settle();
    expect(stage.parsed(before) + stage.parsed(after)).to.equal(4);
  });

  it('is parsed a head a turn of the event loop where hundreds of clients send several at once', async () => {
    await beWary();
    const idle = await Promise.all(Array.from({ length: 50 }, () => stage.client()));
    let turn = 0;
    const turns: number[] = [];
    stage.server.on('request', () => turns.push(turn));
    const count = (): void => {
      turn += 1;
      if (turns.length < idle.length) setImmediate(count);
    };
    count();
    for (const client of idle) client.write(many(2));
    await until(() => turns.length === idle.length);
    const most = Math.max(...turns.map((one) => turns.filter((other) => other === one).length));
    expect(most).to.be.at.most(2);
  });

  it('is parsed as ever where no client has', async () => {
    const client = await stage.client();
    const second = await stage.client(get('alone'));
    await until(() => stage.parsed(second) === 1);
    const [socket] = stage.heads.map(({ request }) => request.socket);
    expect(socket?.listeners('data')).to.have.length(1);
    client.write(many(HEADS));
    await until(() => stage.parsed(client) > 1);
  });

  it('is no more than 4 KiB of heads behind the end of a body in chunks', async () => {
    await beWary();
    const client = await stage.client(`${chunked}0\r\n\r\n${many(HEADS)}`);
    await until(() => stage.parsed(client) > 0);
    await settle();
    expect(stage.parsed(client)).to.be.at.most(1 + Math.ceil(4_096 / get(0).length));
  });

  it('is whole, however it is cut', async () => {
    await beWary();
    const body = 'a\r\n\r\nb'.repeat(50_000);
    const client = await stage.client();
    const sent = `${chunked}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n${get('next')}`;
    for (let from = 0; from < sent.length; from += 50_001) {
      client.write(sent.slice(from, from + 50_001));
      await settle();
    }
    await until(() => stage.parsed(client) === 1);
    let text = '';
    const { request, response } = stage.heads.at(-1) ?? expect.fail();
    for await (const bytes of request) {
      text += bytes;
      // A reader that is slower than its client.
      if (text.length % 7 === 0) await setTimeout(1);
    }
    expect(text === body, 'the body').to.equal(true);
    response.end();
    await until(() => stage.parsed(client) === 2);
    expect(stage.heads.at(-1)?.request.url).to.equal('/next');
  });

  it('goes to another protocol in order, and past this one, once a connection speaks it', async () => {
    let received = '';
    stage.server.on('upgrade', (_request, socket, head) => {
      received += head;
      socket.on('end', () => socket.destroy());
      socket.on('data', (bytes) => {
        received += bytes;
      });
    });
    await beWary();
    const words = Array.from({ length: 500 }, (_, n) => `${n}\r\n\r\n`).join('');
    const client = await stage.client(
      `GET /chat HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: chat\r\n\r\n${words}`,
    );
    await until(() => received.length === words.length);
    client.write('more');
    await until(() => received.length === words.length + 4);
    expect(received).to.equal(`${words}more`);
  });
});
