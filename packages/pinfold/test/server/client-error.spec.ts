import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { HttpServer } from '../../src/server/http-server.ts';

const ASKED = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const UNREADABLE = '{"no": "request"}\r\n\r\n';

describe('what cannot be read', () => {
  let server: HttpServer;

  beforeEach(() => {
    server = new HttpServer();
  });

  afterEach(() => server.stop(AbortSignal.abort()));

  it('is refused behind an answer that ends with the turn of the event loop in which it began', async () => {
    server.answerWith((_request, response) => {
      response.writeHead(200, { 'Content-Length': '5' });
      setImmediate(() => response.end('whole'));
    });
    const { port } = await server.listen(0, '127.0.0.1');
    const socket = connect(port, '127.0.0.1');
    socket.write(ASKED + UNREADABLE);
    expect(await text(socket)).to.match(/^HTTP\/1\.1 200 .*\r\n\r\nwholeHTTP\/1\.1 400 /s);
  });
});
