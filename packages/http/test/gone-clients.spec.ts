import { once } from 'node:events';
import {
  createServer,
  get as httpGet,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { cutWhenSilent } from '../src/gone-clients.ts';
import { untilGone, untilHalfClosed } from '../src/internal.ts';
import { openHttp2 } from './http2-stage.ts';
import { close, get, listen } from './pipelined-stage.ts';

describe('a client', () => {
  let server: Server;
  let port: number;

  beforeEach(async () => {
    server = createServer();
    port = await listen(server);
  });

  afterEach(() => close(server));

  async function request(): Promise<{ readonly response: ServerResponse; readonly leave: () => void }> {
    const requested = once(server, 'request');
    const sent = httpGet({ port, host: '127.0.0.1' });
    sent.on('error', () => {}).on('response', (answer) => answer.resume());
    const [, response] = (await requested) as [unknown, ServerResponse];
    return { response, leave: () => sent.destroy() };
  }

  it('has left if the connection closes before the answer is sent', async () => {
    const { response, leave } = await request();
    const signal = untilGone(response);
    expect(signal.aborted).to.equal(false);
    const closed = once(response, 'close');
    leave();
    await closed;
    expect(signal.aborted).to.equal(true);
    expect(untilGone(response).aborted, 'called afterwards').to.equal(true);
  });

  it('has not left once the answer is sent', async () => {
    const { response } = await request();
    const signal = untilGone(response);
    const closed = once(response, 'close');
    response.end('whole');
    await closed;
    expect(signal.aborted).to.equal(false);
  });
});

describe('a wait for a client', () => {
  let server: Server;
  let client: Socket;
  let request: IncomingMessage;
  let response: ServerResponse;

  async function sendRequest(): Promise<AbortSignal> {
    client.write(get('waiting'));
    [request, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
    return untilHalfClosed(request, response);
  }

  beforeEach(async () => {
    server = Object.assign(createServer(), { httpAllowHalfOpen: true });
    client = connect(await listen(server), '127.0.0.1').resume();
  });

  afterEach(async () => {
    client.destroy();
    await close(server);
  });

  it('ends when the client closes its side, though it can still read', async () => {
    const signal = await sendRequest();
    expect(signal.aborted).to.equal(false);
    const ended = once(signal, 'abort');
    client.end();
    await ended;
    const received = once(client, 'data');
    response.end('answered');
    expect(String(await received)).to.match(/answered$/);
    expect(untilHalfClosed(request, response).aborted, 'called afterwards').to.equal(true);
  });

  it('ends while the connection is not read', async () => {
    const signal = await sendRequest();
    request.socket.pause();
    expect(signal.aborted).to.equal(true);
    expect(untilHalfClosed(request, response).aborted, 'called afterwards').to.equal(true);
  });

  it('leaves no listener on a connection that stays open', async () => {
    const listeners = () => ['end', 'pause'].map((name) => request.socket.listenerCount(name));
    let before: readonly number[] = [];
    for (let n = 0; n < 3; n += 1) {
      const signal = await sendRequest();
      const closed = once(response, 'close');
      response.end('answered');
      await closed;
      expect(signal.aborted).to.equal(false);
      if (n > 0) expect(listeners()).to.deep.equal(before);
      before = listeners();
      expect(request.socket.destroyed).to.equal(false);
    }
  });
});

const BODY = Buffer.alloc(64 * 1_048_576);
/** Milliseconds between two checks in these tests, and the time of nine checks. */
const CHECK = 100;
const LIMIT = 9 * CHECK;

describe('an answer', () => {
  let server: Server;
  let client: Socket;
  let response: ServerResponse;

  beforeEach(async () => {
    server = createServer({ keepAliveTimeout: 0 });
    client = connect(await listen(server), '127.0.0.1');
    client.on('error', () => {}).pause();
    client.write(get('first'));
    [, response] = await once(server, 'request');
  });

  afterEach(async () => {
    client.destroy();
    await close(server);
  });

  it('whose client receives nothing is cut off', async () => {
    response.end(BODY);
    cutWhenSilent(response, CHECK);
    await once(response, 'close');
    expect(response.writableFinished).to.equal(false);
  });

  it('whose client receives a little now and then continues', async () => {
    response.end(BODY);
    cutWhenSilent(response, CHECK);
    let taken = 0;
    client.on('data', (bytes: Buffer) => {
      taken += bytes.length;
    });
    for (let rounds = 1; rounds <= 6; rounds += 1) {
      client.resume();
      while (taken < rounds * 8 * 1_048_576) await setTimeout(1);
      client.pause();
      await setTimeout(LIMIT / 2);
    }
    expect(response.destroyed).to.equal(false);
  });

  it('that waits for its next piece is not cut off', async () => {
    response.write(BODY);
    cutWhenSilent(response, CHECK);
    client.resume();
    await once(response, 'drain');
    await setTimeout(1.5 * LIMIT);
    expect(response.destroyed).to.equal(false);
  });

  for (const before of [undefined, 7_654]) {
    it(`restores the connection's timeout: ${before ?? 'none'}`, async () => {
      const { socket } = response.req;
      if (before !== undefined) socket.setTimeout(before);
      response.end(BODY);
      cutWhenSilent(response, CHECK);
      client.resume();
      await once(response, 'close');
      expect(socket.timeout ?? 0).to.equal(before ?? 0);
    });
  }
});

describe('an answer over HTTP/2', () => {
  it('whose client receives nothing is cut off', async () => {
    const { server, client, close } = await openHttp2();
    client.request({ ':path': '/' }).on('error', () => {});
    const [, answer] = await once(server, 'request');
    answer.end(BODY);
    cutWhenSilent(answer, CHECK);
    await once(answer, 'close');
    expect(answer.writableFinished).to.equal(false);
    await close();
  });
});
