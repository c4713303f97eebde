import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { outgoingBytes } from '@pinfold/http/internal';
import { expect } from 'chai';
import type { Answers } from '../../src/server/client-error.ts';
import { ConnectionPlaces, computeMaxConnections } from '../../src/server/connection-places.ts';
import { HttpServer } from '../../src/server/http-server.ts';

/** The connections of a server that has almost no memory. */
const PLACES = computeMaxConnections(0);

describe('a server with as many connections as it accepts', () => {
  const { memory } = outgoingBytes;
  let server: HttpServer;
  let port: number;
  let sockets: Socket[];
  let begunRequests: number;
  beforeEach(async () => {
    [sockets, begunRequests] = [[], 0];
    outgoingBytes.memory = 1;
    server = new HttpServer({ idleInterval: 50 });
    port = (await server.listen(0, '127.0.0.1')).port;
    server.answerWith((request, response) => {
      if (request.url === '/') {
        response.end('served');
        return;
      }
      begunRequests += 1;
      if (request.url === '/received') request.resume();
    });
    outgoingBytes.memory = memory;
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await server.stop(AbortSignal.abort());
    outgoingBytes.maxAnswers = Number.POSITIVE_INFINITY;
  });

  async function open(sent: string): Promise<Socket> {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    sockets.push(socket);
    await once(socket, 'connect');
    socket.write(sent);
    return socket;
  }

  async function openAll(count: number, sent: string): Promise<readonly Socket[]> {
    const opened: Socket[] = [];
    for (let n = 0; n < count; n += 1) opened.push(await open(sent));
    return opened;
  }

  async function request(): Promise<string> {
    return text(await open('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).catch(() => '');
  }

  async function untilServed(): Promise<void> {
    while (!(await request()).includes('served')) await pause(20);
  }

  const isOpen = (socket: Socket): boolean => !socket.closed && !socket.readableEnded;

  for (const [what, sent] of [
    ['send nothing', ''],
    ['send half a request', 'GET / HTTP/1.1\r\nHost'],
    ['have their answer', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['stop half way through a body', 'POST /received HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf'],
  ] as const) {
    it(`ends connections that ${what}, and serves others`, async () => {
      for (const socket of await openAll(PLACES, sent)) socket.resume();
      await untilServed();
      // Node itself ends the first of them after half a minute.
    }).timeout(20_000);
  }

  it('accepts few connections if Node may use little memory or open few files', () => {
    const [machine, many] = [2 ** 40, 2 ** 20];
    expect(computeMaxConnections(machine, 2 ** 27, many)).to.equal(PLACES);
    expect(computeMaxConnections(machine, 2 ** 28, many)).to.be.within(PLACES + 1, 2 ** 12);
    expect(computeMaxConnections(machine, 2 ** 32, many)).to.be.above(2 ** 16);
    expect(computeMaxConnections(machine, 2 ** 32, 1_024)).to.be.within(PLACES + 1, 768);
    for (const files of [48, 64, 128]) {
      const places = computeMaxConnections(machine, 2 ** 32, files);
      expect(places, `${files} files`).to.be.within(8, Math.max(8, files / 2));
    }
  });

  it('ends no connection whose request is handled, or whose body waits unread', async () => {
    const waiting = 'POST /waiting HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n';
    const busy = [
      ...(await openAll(PLACES / 2, 'GET /late HTTP/1.1\r\nHost: x\r\n\r\n')),
      ...(await openAll(PLACES / 4, waiting)),
    ];
    while (begunRequests < busy.length) await pause(20);
    await openAll(PLACES / 2, '');
    await untilServed();
    await pause(200);
    await untilServed();
    for (const socket of busy) socket.resume();
    await pause(50);
    expect(busy.filter(isOpen)).to.have.length(busy.length);
  });

  it('ends the longest idle connection of the client with the most idle ones first', () => {
    const answers = new Map<Socket, Answers>();
    const places = new ConnectionPlaces((socket) => answers.get(socket));
    const ended: string[] = [];
    const take = (name: string, remoteAddress: string, silentChecks: number): void => {
      const destroy = (): number => ended.push(name);
      const socket = { remoteAddress, destroyed: false, once: () => {}, destroy } as unknown as Socket;
      const newest = { writableFinished: true };
      answers.set(socket, { newest, current: newest, silentChecks } as unknown as Answers);
      places.take(socket);
    };
    take('alone', '192.0.2.1', 9);
    take('short', '192.0.2.2', 1);
    take('long', '192.0.2.2', 8);
    places.max = 4;
    take('longer than short', '192.0.2.2', 2);
    expect(ended).to.deep.equal(['long']);
    take('last', '192.0.2.2', 0);
    expect(ended).to.deep.equal(['long', 'longer than short']);
  });
});
