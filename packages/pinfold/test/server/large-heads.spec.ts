import { openRawConnection, type RawAnswer } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { sendLines } from '../servers/api-calls.ts';
import { type Served, serve } from '../servers/served.ts';

/** As many cookies as a hostile site sets, in one header. */
const cookies = (bytes: number): string => `Cookie: ${`b=${'x'.repeat(3_900)}; `.repeat(30).slice(0, bytes)}`;
const SITE = '0b5f1c9e-7d0a-4c53-9a51-3d2f8b7e6a10';

describe('a large head of a request', () => {
  let server: Served;
  let host: string;
  let auth: string;

  before(async () => {
    server = await serve();
    host = new URL(server.url).host;
    auth = `Authorization: Bearer ${server.key}`;
  });
  after(() => server.close());

  const send = (line: string, ...headers: readonly string[]): Promise<RawAnswer> =>
    sendLines(server.url, `${line} HTTP/1.1`, ...headers);

  it('is read up to 64 KiB', async () => {
    const filler = `X-Filler: ${'x'.repeat(50_000)}`;
    expect((await send('GET /', `Host: ${host}`, filler)).status).to.equal(200);
    expect((await send('GET /api/v1/limits', `Host: ${host}`, auth, filler)).status).to.equal(200);
  });

  it('is answered with 431 and a page, if it consists of cookies', async () => {
    for (const bytes of [13_000, 50_000]) {
      for (const [path, at] of [
        ['/', host],
        ['/manage/', host],
        ['/manage/sign-in', host],
        ['/nothing', host],
        [`/s/${SITE}`, host],
        ['/', `${SITE}.${host}`],
      ]) {
        const { status, headers, body } = await send(`GET ${path}`, `Host: ${at}`, cookies(bytes));
        expect(status, `${at}${path}`).to.equal(431);
        expect(headers.get('content-type')).to.equal('text/html; charset=utf-8');
        expect(headers.has('clear-site-data')).to.equal(false);
        expect(body).to.contain('Too many cookies');
      }
    }
  });

  it('does not affect the API, which ignores cookies', async () => {
    expect((await send('GET /api/v1/limits', `Host: ${host}`, auth, cookies(50_000))).status).to.equal(200);
  });

  it('is not answered with 431 only for a long address', async () => {
    const long = 'a'.repeat(50_000);
    expect((await send(`GET /${long}`, `Host: ${host}`)).status).to.equal(404);
    expect((await send(`GET /manage/sign-in?to=/${long}`, `Host: ${host}`)).status).to.equal(200);
    expect((await send(`GET /${long}`, `Host: ${SITE}.${host}`)).status).to.equal(404);
  });

  it('is answered with a page in both languages if it is too large to read, and then the connection closes', async () => {
    const connection = await openRawConnection(server.url);
    const head = ['GET / HTTP/1.1', `Host: ${host}`, cookies(100_000), '\r\n'].join('\r\n');
    await connection.send(head);
    const { status, headers, body } = await connection.answer();
    expect(status).to.equal(431);
    expect(headers.get('connection')).to.equal('close');
    expect(headers.get('cache-control')).to.equal('no-store');
    expect(headers.has('clear-site-data')).to.equal(false);
    expect(body).to.contain('Too many cookies').and.contain('Cookie が多すぎます');
    await connection.untilClosed();
  });

  it('is answered completely while the client is still sending', async () => {
    const connection = await openRawConnection(server.url);
    await connection.send(['GET / HTTP/1.1', `Host: ${host}`, cookies(100_000)].join('\r\n'));
    for (let piece = 0; piece < 20; piece += 1) await connection.send(`\r\n${cookies(50_000)}`);
    expect((await connection.answer()).body).to.match(/<\/html>\s*$/);
    connection.destroy();
  });

  it('does not change the answers of Node to other unreadable requests', async () => {
    const form = `Host: ${host}\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n`;
    for (const [status, bytes] of [
      [400, 'no request\r\n\r\n'],
      [400, `POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Length: x\r\n\r\n`],
      [413, `POST /s/${SITE} HTTP/1.1\r\n${form}\r\n1;${'x'.repeat(20_000)}\r\n`],
    ] as const) {
      const connection = await openRawConnection(server.url);
      await connection.send(bytes);
      expect((await connection.answer()).status, bytes.slice(0, 20)).to.equal(status);
      await connection.untilClosed();
    }
  });

  it('clears cookies only if the operator enables it', async () => {
    const clearing = await serve({ PINFOLD_CLEAR_COOKIES: 'on' });
    for (const path of ['/', '/manage/', `/s/${SITE}`]) {
      const head = [`GET ${path} HTTP/1.1`, 'Host: localhost', cookies(13_000)];
      const { status, headers } = await sendLines(clearing.url, ...head);
      expect([status, headers.get('clear-site-data')], path).to.deep.equal([431, '"cookies"']);
    }
  });
});
