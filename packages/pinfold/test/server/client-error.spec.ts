import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { HttpServer } from '../../src/server/http-server.ts';
import { list, publish } from '../servers/api-calls.ts';
import { type Served, serve } from '../servers/served.ts';

const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const UNREADABLE = '{"no": "request"}\r\n\r\n';

describe('a request that cannot be read', () => {
  let server: HttpServer;

  beforeEach(() => {
    server = new HttpServer();
  });

  afterEach(() => server.stop(AbortSignal.abort()));

  it('is refused after an answer that ends in the turn of the event loop in which it began', async () => {
    server.answerWith((_request, response) => {
      response.writeHead(200, { 'Content-Length': '5' });
      setImmediate(() => response.end('whole'));
    });
    const { port } = await server.listen(0, '127.0.0.1');
    const socket = connect(port, '127.0.0.1');
    socket.write(REQUEST + UNREADABLE);
    expect(await text(socket)).to.match(/^HTTP\/1\.1 200 .*\r\n\r\nwholeHTTP\/1\.1 400 /s);
  });
});

describe('a body that ends early or cannot be read', () => {
  let server: Served;

  before(async () => {
    server = await serve();
  });
  after(() => server.close());

  async function sendLines(lines: readonly string[], isHalfClosed: boolean): Promise<string> {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.write(lines.join('\r\n'));
    if (isHalfClosed) socket.end();
    return await text(socket);
  }

  it('is answered with invalid_request on every API route with a body', async () => {
    const form = ['Content-Type: multipart/form-data; boundary=b', 'Idempotency-Key: broken'];
    const json = ['Content-Type: application/json'];
    const archive = '--b\r\nContent-Disposition: form-data; name="archive"; filename="a.zip"\r\n\r\nPK';
    const pin = '/api/v1/pins/0b5f1c9e-7d0a-4c53-9a51-3d2f8b7e6a10';
    for (const [line, headers, ending, isHalfClosed] of [
      ['POST /api/v1/pins', form, `Content-Length: 9000\r\n\r\n${archive}`, true],
      ['POST /api/v1/pins', form, `Transfer-Encoding: chunked\r\n\r\n3\r\n--b\r\nno size`, false],
      [`PATCH ${pin}`, json, 'Content-Length: 9000\r\n\r\n{"title":', true],
      [`PATCH ${pin}`, json, 'Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\nno size', false],
    ] as const) {
      const key = `Authorization: Bearer ${server.key}`;
      const answer = await sendLines([`${line} HTTP/1.1`, 'Host: x', key, ...headers, ending], isHalfClosed);
      expect(answer, line).to.match(/^HTTP\/1\.1 400 .*"code":"invalid_request"/s);
      expect(answer, line).to.match(/^Connection: close\r$/m);
    }
  });

  it('is answered with a page on the password form', async () => {
    await publish(server.url, server.key, 'a site');
    const [pin] = await list(server.url, server.key);
    const form = 'Content-Type: application/x-www-form-urlencoded';
    for (const [ending, isHalfClosed] of [
      ['Content-Length: 900\r\n\r\npass', true],
      ['Transfer-Encoding: chunked\r\n\r\n1\r\np\r\nno size', false],
    ] as const) {
      const answer = await sendLines([`POST /s/${pin?.id} HTTP/1.1`, 'Host: x', form, ending], isHalfClosed);
      expect(answer).to.match(/^HTTP\/1\.1 400 .*<\/html>\s*$/s);
    }
  });
});
