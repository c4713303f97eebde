import { archivePart, multipart, openRawConnection, type RawAnswer } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { publishPin, sendLines, site } from '../servers/api-calls.ts';
import { type Served, serve } from '../servers/served.ts';

describe('the reference server, byte by byte', () => {
  let server: Served;
  let url: string;
  let key: string;

  before(async () => {
    server = await serve();
    ({ url, key } = server);
  });

  after(() => server.close());

  const send = (...lines: readonly string[]): Promise<RawAnswer> => sendLines(url, ...lines);

  it('refuses several Host headers on every route', async () => {
    const pin = await publishPin(url, key, 'several hosts');
    const { host } = new URL(url);
    const site = `${pin.id}.${host}`;
    for (const path of [
      '/',
      '/healthz',
      '/nothing',
      '/manage/',
      '/api/v1/limits',
      '/openapi.json',
      `/s/${pin.id}`,
    ]) {
      for (const hosts of [
        [host, host],
        [host, site],
        [site, host],
      ]) {
        const lines = hosts.map((name) => `Host: ${name}`);
        const { status } = await send(`GET ${path} HTTP/1.1`, ...lines, `Authorization: Bearer ${key}`);
        expect(status, `${path} ${hosts}`).to.equal(400);
      }
    }
    const api = await send('GET /api/v1/limits HTTP/1.1', 'Host: a', 'Host: b');
    expect(JSON.parse(api.body).code).to.equal('invalid_request');
  });

  it('accepts targets in absolute form on every route, and uses their host', async () => {
    const pin = await publishPin(url, key, 'absolute form');
    const { host } = new URL(url);
    const statusOf = async (target: string, from = `pods.example:80`): Promise<number> =>
      (await send(`GET ${target} HTTP/1.1`, `Host: ${from}`, `Authorization: Bearer ${key}`)).status;
    for (const [path, status] of [
      ['', 200],
      ['/livez', 200],
      ['/readyz?needs=none', 200],
      ['/api/v1/limits', 200],
      ['/openapi.json', 200],
      ['/manage/sign-in', 200],
      [`/s/${pin.id}`, 302],
      ['/nothing', 404],
    ] as const) {
      expect(await statusOf(`http://${host}${path}`), path).to.equal(status);
      expect(await statusOf(`http://${host}${path}`, `${pin.id}.${host}`), path).to.equal(status);
      expect(await statusOf(`ftp://${host}${path}`), `ftp, ${path}`).to.equal(400);
      expect(await statusOf(`http://ada:x@${host}${path}`), `with credentials, ${path}`).to.equal(400);
    }
    expect(await statusOf(`HTTPS://${pin.id}.${host}`)).to.equal(200);
    expect(await statusOf(`http://x.${host}/`, host)).to.equal(421);
    const redirected = await send(
      `GET http://${host}/manage/keys?x=1 HTTP/1.1`,
      'Host: a',
      'Accept: text/html',
    );
    expect(redirected.headers.get('location')).to.equal('/manage/sign-in?to=%2Fkeys%3Fx%3D1');
  });

  it('refuses targets of any other form with 400', async () => {
    const { host } = new URL(url);
    for (const line of ['OPTIONS *', `GET ${host}`, 'GET livez', `CONNECT ${host}`]) {
      expect((await send(`${line} HTTP/1.1`, `Host: ${host}`)).status, line).to.equal(400);
    }
  });

  it('isolates the page at the public URL from pages of other origins', async () => {
    const { status, headers } = await send('GET / HTTP/1.1', 'Host: localhost');
    expect(status).to.equal(200);
    for (const name of ['cross-origin-opener-policy', 'cross-origin-resource-policy', 'referrer-policy']) {
      expect(headers.get(name), name).to.equal('same-origin');
    }
  });

  it('serves a page at the public URL in the language of the browser', async () => {
    const japanese = await fetch(url, { headers: { 'accept-language': 'ja,en;q=0.8' } });
    expect(await japanese.text()).to.include('<html lang="ja">');
    const preferred = await fetch(url, { headers: { 'accept-language': 'en;q=0.1, ja' } });
    expect(await preferred.text()).to.include('<html lang="ja">');
    const english = await fetch(url, { headers: { 'accept-language': 'la, en;q=0.8' } });
    expect(await english.text()).to.include('<html lang="en">');
    expect(english.headers.get('content-security-policy')).to.include("default-src 'none'");
  });

  it('serves a 404 page for unknown addresses', async () => {
    const answer = await fetch(`${url}/nothing/here`, { headers: { accept: 'text/html' } });
    expect(answer.status).to.equal(404);
    expect(answer.headers.get('content-type')).to.equal('text/html; charset=utf-8');
  });

  /** The head of a publication that waits for 100 Continue. */
  function continueHead(...lines: readonly string[]): readonly string[] {
    return ['POST /api/v1/pins HTTP/1.1', 'Host: localhost', 'Expect: 100-continue', ...lines];
  }

  it('refuses a request by its headers before it asks for the body', async () => {
    const auth = `Authorization: Bearer ${key}`;
    const form = 'Content-Type: multipart/form-data; boundary=edge';
    const length = 'Content-Length: 1000';
    const keyHeader = 'Idempotency-Key: expecting';
    const refused = [
      [401, continueHead(keyHeader, form, length)],
      [401, continueHead('Authorization: Bearer wrong', keyHeader, form, length)],
      [400, continueHead(auth, form, length)],
      [415, continueHead(auth, keyHeader, 'Content-Type: text/plain', length)],
      [400, continueHead(auth, keyHeader, 'Content-Type: multipart/form-data', length)],
      [404, continueHead(auth).with(0, 'POST /api/v1/nothing HTTP/1.1')],
      [303, continueHead(length).with(0, 'POST /manage/publish HTTP/1.1')],
    ] as const;
    for (const [status, lines] of refused) {
      expect((await send(...lines)).status, lines.join()).to.equal(status);
    }
  });

  it('treats a missing body as an empty one', async () => {
    const lines = [
      `Host: ${new URL(url).host}`,
      'Sec-Fetch-Site: same-origin',
      `Authorization: Bearer ${key}`,
    ];
    const json = 'Content-Type: application/json';
    const form = 'Content-Type: application/x-www-form-urlencoded';
    const parts = 'Content-Type: multipart/form-data; boundary=b';
    for (const [request, type] of [
      ['PATCH /api/v1/pins/0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20', json],
      ['PUT /api/v1/names/a', json],
      ['POST /api/v1/pins?dry_run=true', parts],
      ['POST /manage/sign-in', form],
    ] as const) {
      const missing = await send(`${request} HTTP/1.1`, ...lines, type);
      const empty = await send(`${request} HTTP/1.1`, ...lines, type, 'Content-Length: 0');
      expect(missing.status, request).to.equal(empty.status).and.be.below(500);
      expect(missing.body, request).not.to.include('parser of bodies');
    }
  });

  it('refuses JSON that is too long before it asks for the body', async () => {
    const path = '/api/v1/pins/0b5f1c9e-7d0a-4c53-9a51-3d2f8b7e6a10';
    const auth = `Authorization: Bearer ${key}`;
    const lines = continueHead(auth, 'Content-Type: application/json', 'Content-Length: 16385');
    expect((await send(...lines.with(0, `PATCH ${path} HTTP/1.1`))).status).to.equal(400);
    const length = 'Content-Length: 16384';
    const shorter = continueHead(auth, 'Content-Type: application/json', length);
    expect((await send(...shorter.with(0, `PATCH ${path} HTTP/1.1`))).status).to.equal(100);
  });

  it('sends 100 Continue when it needs the body, and then answers', async () => {
    const { contentType, body } = multipart([archivePart(site('expected'))]);
    const pin = await publishPin(url, key, 'with a password');
    const json = JSON.stringify({ password: 'harbour lights' });
    const auth = `Authorization: Bearer ${key}`;
    const login = 'password=harbour+lights';
    const form = 'Content-Type: application/x-www-form-urlencoded';
    for (const [status, request, sent, ...lines] of [
      [201, 'POST /api/v1/pins', body, auth, 'Idempotency-Key: expected', `Content-Type: ${contentType}`],
      [200, `PATCH /api/v1/pins/${pin.id}`, json, auth, 'Content-Type: application/json'],
      [303, `POST /s/${pin.id}`, login, form],
      [403, `POST /s/${pin.id}`, login.toUpperCase().replace('PASSWORD', 'password'), form],
    ] as const) {
      const connection = await openRawConnection(url);
      const length = `Content-Length: ${sent.length}`;
      const head = continueHead(length, ...lines, '\r\n').with(0, `${request} HTTP/1.1`);
      await connection.send(head.join('\r\n'));
      expect((await connection.answer()).status, request).to.equal(100);
      await connection.send(sent);
      expect((await connection.answer()).status, request).to.equal(status);
      connection.destroy();
    }
  });

  it('answers a client that has closed its sending side', async () => {
    const { contentType, body } = multipart([archivePart(site('all said'))]);
    const auth = `Authorization: Bearer ${key}`;
    const json = 'Content-Type: application/json';
    const path = '/api/v1/pins/0b5f1c9e-7d0a-4c53-9a51-3d2f8b7e6a10';
    for (const [status, request, sent, ...lines] of [
      [201, 'POST /api/v1/pins', body, auth, 'Idempotency-Key: all said', `Content-Type: ${contentType}`],
      [401, 'POST /api/v1/pins', body, 'Idempotency-Key: all said', `Content-Type: ${contentType}`],
      [404, `PATCH ${path}`, '{"title":"x"}', auth, json],
      [200, 'GET /api/v1/limits', '', auth],
      [404, `GET /s/${path.slice(-36)}`, ''],
      [200, 'GET /healthz', ''],
    ] as const) {
      const connection = await openRawConnection(url);
      const length = `Content-Length: ${sent.length}`;
      const head = [`${request} HTTP/1.1`, 'Host: localhost', length, ...lines, '\r\n'];
      await connection.send(head.join('\r\n'));
      await connection.send(sent);
      connection.end();
      expect((await connection.answer()).status, request).to.equal(status);
      await connection.untilClosed();
    }
  });
});
