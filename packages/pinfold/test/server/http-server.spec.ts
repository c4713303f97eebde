import { type EventEmitter, once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { duration } from '@pinfold/core';
import { expect } from 'chai';
import { HttpServer } from '../../src/server/http-server.ts';
import { settingsErrorOf } from '../servers/settings-error-of.ts';

const noAbort = new AbortController().signal;

/** The time after which a stopping server closes idle connections, in milliseconds. */
const LINGER = 500;

const MiB = 1_048_576;

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
}

/** Reads the answer's bytes until the server has sent this many, or closed. */
async function readUntil(socket: Socket, text: string): Promise<string> {
  let received = '';
  for await (const chunk of socket) {
    received += chunk;
    if (received.includes(text)) break;
  }
  return received;
}

/** Resolves when the port accepts no more connections. */
async function untilRefused(port: number): Promise<void> {
  for (let code: unknown; code !== 'ECONNREFUSED'; ) {
    const socket = connect({ port, host: '127.0.0.1' });
    await once(socket, 'connect').catch((error: NodeJS.ErrnoException) => {
      code = error.code;
    });
    socket.destroy();
  }
}

describe('HttpServer', () => {
  let server: HttpServer;
  let port: number;

  async function open(opened: HttpServer): Promise<void> {
    await server?.stop(AbortSignal.abort());
    server = opened;
    port = (await server.listen(0, '127.0.0.1')).port;
  }

  /** Opens a connection, and sends a text. */
  function sendText(text: string): Socket {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.write(text);
    return socket;
  }

  beforeEach(() => open(new HttpServer()));

  afterEach(() => server.stop(AbortSignal.abort()));

  it('holds requests until it has a handler', async () => {
    const answer = fetch(`http://127.0.0.1:${port}/early`);
    server.answerWith((request, response) => response.end(request.url));
    expect(await (await answer).text()).to.equal('/early');
  });

  it('finishes a running answer, and then closes the connection', async () => {
    const begun = Promise.withResolvers<() => void>();
    server.answerWith((_request, response) => begun.resolve(() => response.end('whole')));
    const answer = fetch(`http://127.0.0.1:${port}/`);
    const finish = await begun.promise;
    const stopped = server.stop(noAbort);
    finish();
    const answered = await answer;
    expect(answered.headers.get('connection')).to.equal('close');
    expect(await answered.text()).to.equal('whole');
    await stopped;
  });

  it('answers a request that was already sent on an open connection', async () => {
    server.answerWith((_request, response) => response.end('answered'));
    const socket = sendText(get('/'));
    await once(socket, 'data');
    const stopped = server.stop(noAbort);
    socket.write(get('/'));
    const received = await readUntil(socket, 'answered');
    expect(received).to.match(/^HTTP\/1\.1 200 OK\r\n/);
    expect(received).to.match(/connection: close/i);
    await stopped;
  });

  it('closes each connection with its next answer while it drains, and accepts new ones', async () => {
    server.answerWith((_request, response) => response.end('answered'));
    const socket = sendText(get('/'));
    await once(socket, 'data');
    server.drain();
    socket.write(get('/'));
    expect(await readUntil(socket, 'answered')).to.match(/connection: close/i);
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).to.equal('answered');
  });

  it('answers a request that arrived while it was busy, although idle connections are closed', async () => {
    const [socket, other] = [connect({ port, host: '127.0.0.1' }), connect({ port, host: '127.0.0.1' })];
    let begun = 0;
    server.answerWith((request, response) => {
      if (request.url === '/busy') {
        socket.write(get('/'));
        while (performance.now() - begun < 2 * LINGER);
      }
      response.end('answered');
    });
    for (const each of [socket, other]) {
      each.write(get('/'));
      await once(each, 'data');
    }
    other.write(get('/busy'));
    const stopped = server.stop(noAbort);
    begun = performance.now();
    expect(await readUntil(socket, 'answered')).to.match(/connection: close/i);
    await readUntil(other, 'answered');
    await stopped;
  });

  it('answers a client that connected while it was busy, although it stops', async () => {
    const connected = Promise.withResolvers<{ readonly late: Socket; readonly stopped: Promise<void> }>();
    server.answerWith((request, response) => {
      response.end('answered');
      if (request.url !== '/busy') return;
      const late = sendText(get('/'));
      process.nextTick(() => {
        // Meanwhile the system accepts the connection, which the server has not seen yet.
        for (const begun = performance.now(); performance.now() - begun < 50; );
        connected.resolve({ late, stopped: server.stop(noAbort) });
      });
    });
    await fetch(`http://127.0.0.1:${port}/busy`);
    const { late, stopped } = await connected.promise;
    expect(await readUntil(late, 'answered')).to.match(/connection: close/i);
    await stopped;
  });

  it('closes idle connections', async () => {
    server.answerWith((_request, response) => response.end());
    const socket = sendText(get('/'));
    await once(socket, 'data');
    const closed = once(socket, 'close');
    await server.stop(noAbort);
    await closed;
  });

  it('closes a connection after a long idle time, but not during a request', async () => {
    await open(new HttpServer({ idleInterval: 5 }));
    const late = Promise.withResolvers<ServerResponse>();
    server.answerWith((request, response) =>
      request.url === '/late' ? late.resolve(response) : response.end('at once'),
    );
    const [idle, waiting, busy] = [connect(port), connect(port), connect(port)];
    busy.on('data', () => busy.write(get('/'))).write(get('/'));
    waiting.write(get('/late'));
    const response = await late.promise;
    idle.write(get('/'));
    expect(await text(idle)).to.include('at once');
    response.end('late');
    expect(await readUntil(waiting, 'late')).to.include('late');
    expect(busy.readableEnded).to.equal(false);
    busy.destroy();
  });

  it('accepts no new connection while it stops', async () => {
    server.answerWith(() => undefined);
    const socket = sendText(get('/'));
    await once(socket, 'connect');
    const end = new AbortController();
    const stopped = server.stop(end.signal);
    await untilRefused(port);
    end.abort();
    await stopped;
  });

  it('aborts running requests after the time limit', async () => {
    const begun = Promise.withResolvers<void>();
    server.answerWith(() => begun.resolve());
    const answer = fetch(`http://127.0.0.1:${port}/`).then(
      () => 'answered',
      () => 'cut off',
    );
    await begun.promise;
    const end = new AbortController();
    const stopped = server.stop(end.signal);
    end.abort();
    await stopped;
    expect(await answer).to.equal('cut off');
  });

  describe('with a connection that continues with an unreadable request', () => {
    const BROKEN = 'no request at all\r\n\r\n';
    /** Returns what the client receives if `begin` handles the first request while `waiting` further ones wait. */
    async function receive(begin: (response: ServerResponse) => void, waiting: number): Promise<string> {
      let requests = 0;
      server.answerWith((_request, response) => {
        requests += 1;
        if (requests === 1) begin(response);
      });
      // Sent together, because bytes that arrive later stay unread while a request waits.
      const socket = sendText(get('/').repeat(1 + waiting) + BROKEN);
      return readUntil(socket, 'no such text').catch(() => '');
    }

    for (const waiting of [0, 1]) {
      it(`writes nothing into a running answer while ${waiting} further requests wait`, async () => {
        const received = await receive((response) => response.writeHead(200).write('begun'), waiting);
        expect(received).not.to.include('400 Bad Request');
      });

      it(`answers 400 if no answer has begun while ${waiting} further requests wait`, async () => {
        expect(await receive(() => {}, waiting)).to.match(/^HTTP\/1\.1 400 Bad Request\r\n/);
      });
    }

    it('ignores a timeout while earlier answers of the connection wait', async () => {
      const answer = Promise.withResolvers<ServerResponse>();
      const waitingRequest = Promise.withResolvers<IncomingMessage>();
      server.answerWith((request, response) => {
        if (request.url === '/first') answer.resolve(response);
        else if (response.socket === null) waitingRequest.resolve(request);
        if (request.url === '/second') response.end('second');
      });
      const socket = sendText(get('/first') + get('/second'));
      const late = Object.assign(new Error('too late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
      const { socket: pending } = await waitingRequest.promise;
      // Like Node after 20 seconds with an incomplete head.
      (pending as Socket & { readonly server: EventEmitter }).server.emit('clientError', late, pending);
      (await answer.promise).end('first');
      expect(await readUntil(socket, 'second')).to.match(/first.*200 OK.*second/s);
    });
  });

  describe('with a client that does not close its connection', () => {
    beforeEach(async () => {
      await open(new HttpServer({ restTimeout: duration(50) }));
    });

    it('closes it if the body continues after the answer', async () => {
      server.answerWith((_request, response) => response.end('answered'));
      const bodies = ['Content-Length: 5000\r\n\r\npart', 'Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n'];
      for (const method of ['GET', 'POST']) {
        for (const body of bodies) {
          const socket = sendText(`${method} / HTTP/1.1\r\nHost: x\r\n${body}`);
          expect(await readUntil(socket, 'no such text')).to.include('answered');
        }
      }
    });

    it('closes it early if more than 64 MiB of a body follow the answer', async () => {
      await open(new HttpServer());
      server.answerWith((_request, response) => response.end('answered'));
      const socket = connect({ port, host: '127.0.0.1' }).on('error', () => {});
      socket.resume().write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${200 * MiB}\r\n\r\n`);
      const piece = Buffer.alloc(MiB);
      let sent = 0;
      while (!socket.destroyed && sent < 150) {
        sent += 1;
        await new Promise((resolve) => socket.write(piece, resolve));
      }
      expect(sent).to.be.within(64, 149);
    });

    it('reuses it if the body ends soon after the answer', async () => {
      await open(new HttpServer());
      server.answerWith((_request, response) => response.end('answered'));
      const socket = sendText('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n');
      await once(socket, 'data');
      const rest = '12345GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n';
      socket.write(rest);
      expect(String((await once(socket, 'data'))[0])).to.include('answered');
      socket.destroy();
    });

    it('does not close it while its request is handled', async () => {
      const begun = Promise.withResolvers<() => void>();
      server.answerWith((_request, response) => begun.resolve(() => response.end('worked')));
      const answer = fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: 'whole' });
      const finish = await begun.promise;
      await setTimeout(200);
      finish();
      expect(await (await answer).text()).to.equal('worked');
    });
  });

  it('names the setting if the port is taken, or the address is not of this machine', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port: busy } = other.address() as AddressInfo;
    const taken = await settingsErrorOf(new HttpServer().listen(busy, '127.0.0.1'));
    other.close();
    expect(taken.message).to.equal(
      `PINFOLD_PORT (port) must be a free port: another process listens on ${busy}`,
    );
    expect(taken.variable).to.equal('PINFOLD_PORT');
    const foreign = await settingsErrorOf(new HttpServer().listen(0, '192.0.2.1'));
    expect(foreign.variable).to.equal('PINFOLD_HOST');
  });
});
