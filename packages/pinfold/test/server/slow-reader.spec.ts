import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { HttpServer } from '../../src/server/http-server.ts';

/** Longer than a stopping server keeps idle connections open, in milliseconds. */
const LONG = 1_500;

describe('a client that is slow to read its answer', () => {
  it('receives all of it while the server stops, and then its connection is closed', async () => {
    const server = new HttpServer();
    const { port } = await server.listen(0, '127.0.0.1');
    const body = Buffer.alloc(67_108_864);
    server.answerWith((_request, response) => response.end(body));
    const socket = connect({ port, host: '127.0.0.1' });
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'readable');
    const stopped = server.stop(new AbortController().signal);
    await setTimeout(LONG);
    let received = 0;
    for await (const chunk of socket) received += chunk.length;
    expect(received).to.be.above(body.length);
    await stopped;
  });
});
