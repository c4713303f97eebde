import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { strToU8, zipSync } from 'fflate';
import type { Pinfold } from '../src/pinfold.ts';
import { createServerApp } from '../src/server-app.ts';

const publicUrl = 'http://team.test';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

describe('a server with Pinfold in it', () => {
  let dataDir: string;
  let server: Server;
  let pinfold: Pinfold;

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'pinfold-embedded-'));
    const created = await createServerApp({
      dataDir,
      publicUrl,
      secret: 'a secret of more than sixteen bytes',
      checkPassword: async (name, password) =>
        password === 'right' ? { id: `person-${name}`, name } : undefined,
    });
    pinfold = created.pinfold;
    server = createServer(created.app).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  after(async () => {
    server.close();
    server.closeAllConnections();
    await pinfold.close();
    await rm(dataDir, { recursive: true });
  });

  /** A request to any of the server's hosts. */
  async function send(
    url: string,
    method: string,
    headers: Readonly<Record<string, string>> = {},
    body: string | Uint8Array = '',
  ): Promise<Answer> {
    const { host, pathname, search } = new URL(url, publicUrl);
    const { port } = server.address() as AddressInfo;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const sent = request(
      { port, host: '127.0.0.1', path: pathname + search, method, headers: { host, ...headers } },
      async (response) => {
        const { statusCode = 0, headers: answered } = response;
        resolve({ status: statusCode, headers: answered, body: await text(response) });
      },
    );
    sent.on('error', reject).end(body);
    return promise;
  }

  async function signIn(name: string): Promise<string> {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await send('/sign-in', 'POST', form, `name=${name}&password=right`);
    return answer.headers['set-cookie']?.[0]?.split(';', 1)[0] ?? '';
  }

  async function publish(cookie: string, key: string): Promise<Answer> {
    const form = new FormData();
    const zip = new Uint8Array(
      zipSync({ 'index.html': strToU8('<!doctype html><p>Hello') }, { mtime: '2026-11-20' }),
    );
    form.set('archive', new Blob([zip], { type: 'application/zip' }), 'site.zip');
    const multipart = new Response(form);
    const headers = {
      cookie,
      'idempotency-key': key,
      'content-type': multipart.headers.get('content-type') ?? '',
    };
    return send('/api/v1/pins', 'POST', headers, new Uint8Array(await multipart.arrayBuffer()));
  }

  it('still works as before', async () => {
    expect((await send('/', 'GET')).body).to.equal('Hello stranger');
    expect((await send('/', 'GET', { cookie: await signIn('ada') })).body).to.equal('Hello ada');
  });

  it('lets no one publish without signing in', async () => {
    expect((await publish('', 'a')).status).to.equal(401);
    expect((await publish('team_session=made-up', 'a')).status).to.equal(401);
  });

  it('publishes for its own people, and shows the site on a host of its own', async () => {
    const { status, body } = await publish(await signIn('ada'), 'b');
    expect(status).to.equal(201);
    const { pin } = JSON.parse(body);
    expect(pin.shared_url).to.equal(`${publicUrl}/s/${pin.id}`);
    const shared = await send(pin.shared_url, 'GET');
    expect(shared.headers.location).to.equal(`http://${pin.id}.team.test/`);
    expect((await send(String(shared.headers.location), 'GET')).body).to.include('Hello');
  });

  it("keeps one person's publications from another", async () => {
    const { pin } = JSON.parse((await publish(await signIn('ada'), 'c')).body);
    const cookie = await signIn('grace');
    expect((await send(`/api/v1/pins/${pin.id}`, 'GET', { cookie })).status).to.equal(404);
    expect((await publish(cookie, 'c')).status).to.equal(201);
  });

  it('pins through a route of its own, and only from its own pages', async () => {
    const cookie = await signIn('ada');
    const { pin } = JSON.parse((await publish(cookie, 'd')).body);
    const pinIt = async (site: string): Promise<number> =>
      (await send(`/publications/${pin.id}/pin`, 'POST', { cookie, 'sec-fetch-site': site })).status;
    expect(await pinIt('same-site')).to.equal(403);
    expect(await pinIt('same-origin')).to.equal(204);
    const { body } = await send(`/api/v1/pins/${pin.id}`, 'GET', { cookie });
    expect(JSON.parse(body).pin).to.include({ pinned: true, expires_at: null });
  });

  it('drops old events of the history in its sweep', async () => {
    await publish(await signIn('ada'), 'e');
    const database = new DatabaseSync(join(dataDir, 'pinfold.sqlite'));
    const events = () => database.prepare('SELECT count(*) AS count FROM events').get()?.count;
    database.exec('UPDATE events SET recorded_at = 0');
    expect(events()).to.be.greaterThan(0);
    await pinfold.sweep();
    expect(events()).to.equal(0);
    database.close();
  });
});
