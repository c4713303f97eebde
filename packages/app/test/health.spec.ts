import { mkdtemp, rename, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { type App, createApp, readSettings } from '../src/index.ts';

describe('the health of the server', () => {
  let folder: string;
  let app: App;
  let url: string;
  let port: number;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pinfold-health-'));
    const env = { PINFOLD_PORT: '0', PINFOLD_DATA_DIR: join(folder, 'data'), PINFOLD_WELCOME: 'off' };
    app = await createApp(readSettings(env), { log: () => undefined });
    const listening = await app.listen();
    url = listening.addresses.publicUrl;
    port = listening.port;
  });

  afterEach(async () => {
    await app.close();
    await rm(folder, { recursive: true });
  });

  for (const path of ['/healthz', '/readyz']) {
    it(`is 200 at ${path} while database and storage answer`, async () => {
      const answer = await fetch(url + path);
      expect(answer.status).to.equal(200);
      expect(await answer.json()).to.deep.equal({ status: 'ok' });
      expect(answer.headers.get('cache-control')).to.equal('no-store');
    });

    it(`is 503 at ${path} while the storage does not, and 200 again when it does`, async () => {
      const archives = join(folder, 'data', 'archives');
      await rename(archives, join(folder, 'away'));
      expect((await fetch(url + path)).status).to.equal(503);
      await rename(join(folder, 'away'), archives);
      expect((await fetch(url + path)).status).to.equal(200);
    });

    it(`is read only at ${path}`, async () => {
      const answer = await fetch(url + path, { method: 'POST' });
      expect(answer.status).to.equal(405);
      expect(answer.headers.get('allow')).to.equal('GET, HEAD');
    });
  }

  it('is 503 at /readyz, and still 200 at /healthz, while the server stops', async () => {
    const sockets = ['/readyz', '/healthz'].map((path) => {
      const socket = connect({ port, host: '127.0.0.1' });
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n`);
      return socket;
    });
    // A request over a connection of its own: when it is answered, the two before have begun.
    await (await fetch(`${url}/`)).text();
    const closed = app.close();
    for (const socket of sockets) socket.write('\r\n');
    const [ready = '', health = ''] = await Promise.all(sockets.map((socket) => text(socket)));
    expect(ready).to.match(/^HTTP\/1\.1 503 /);
    expect(health).to.match(/^HTTP\/1\.1 200 /);
    await closed;
  });

  it('greets whoever opens the public URL itself, in their language', async () => {
    const japanese = await fetch(url, { headers: { 'accept-language': 'ja,en;q=0.8' } });
    expect(await japanese.text()).to.include('<html lang="ja">');
    const english = await fetch(url, { headers: { 'accept-language': 'de, en;q=0.8' } });
    expect(await english.text()).to.include('<html lang="en">');
    expect(english.headers.get('content-security-policy')).to.include("default-src 'none'");
  });

  it('has a page for addresses that nobody has', async () => {
    const answer = await fetch(`${url}/nothing/here`, { headers: { accept: 'text/html' } });
    expect(answer.status).to.equal(404);
    expect(answer.headers.get('content-type')).to.equal('text/html; charset=utf-8');
  });
});
