import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import {
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  request,
  type Server,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { publicUrl } from '@pinfold/http';
import { expect } from 'chai';
import { quietPort } from 'pinfold-test-servers';
import { examine } from '../../src/doctor/examine.ts';
import type { Finding } from '../../src/doctor/finding.ts';
import { type App, createApp, readSettings } from '../../src/index.ts';
import { run } from '../command-run.ts';
import { newFolder } from '../servers/new-folder.ts';
import { findingsOf, troubles } from './findings-of.ts';

type Env = Readonly<Record<string, string>>;
type Found = Readonly<Record<string, Finding>>;

/** What a proxy does to requests on their way. */
interface Change {
  readonly headers?: (headers: IncomingHttpHeaders) => IncomingHttpHeaders;
  readonly target?: (target: string) => string;
  readonly mostBytes?: number;
  readonly status?: number;
  /** Of answers. */
  readonly answered?: IncomingHttpHeaders;
}

describe('pinfold doctor, from outside', function () {
  this.timeout(60_000);
  let folder: string;
  let proxy: Server;
  let change: Change;
  let env: Env;
  let app: App | undefined;

  beforeEach(async () => {
    folder = newFolder();
    change = {};
    proxy = createServer({ maxHeaderSize: 65_536 }, passOn).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    env = { PINFOLD_DATA_DIR: folder, PINFOLD_PORT: '0', PINFOLD_WELCOME: 'off' };
  });

  afterEach(async () => {
    await app?.close();
    app = undefined;
    proxy.closeAllConnections();
    proxy.close();
  });

  let upstream: number;

  /** A proxy as it should be, but for what the test changes. */
  const passOn: RequestListener = (incoming, outgoing) => {
    const { headers = (same) => same, target = (same) => same, mostBytes = Infinity } = change;
    if (Number(incoming.headers['content-length'] ?? 0) > mostBytes) {
      outgoing.writeHead(413).end('too large');
      return;
    }
    if (change.status !== undefined) {
      outgoing.writeHead(change.status).end('the proxy itself');
      return;
    }
    const forwarded = { ...incoming.headers, 'x-forwarded-for': incoming.socket.remoteAddress ?? '' };
    const onward = request({
      host: '127.0.0.1',
      port: upstream,
      method: incoming.method,
      path: target(incoming.url ?? '/'),
      headers: headers(forwarded),
      agent: false,
    });
    onward.on('response', (response) => {
      outgoing.writeHead(response.statusCode ?? 500, { ...response.headers, ...change.answered });
      response.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  };

  function proxyUrl(): string {
    return `http://localhost:${(proxy.address() as AddressInfo).port}`;
  }

  async function start(more: Env = {}): Promise<void> {
    env = { ...env, PINFOLD_PUBLIC_URL: proxyUrl(), PINFOLD_TRUST_PROXY: '127.0.0.1', ...more };
    app = await createApp(readSettings(env), { log: () => undefined });
    upstream = (await app.listen()).port;
  }

  /** What is found at the server, with nothing wrong on its machine. */
  async function found(): Promise<Found> {
    return findingsOf(examine(env));
  }

  it('finds nothing wrong behind a proxy that passes everything on', async () => {
    await start();
    const all = await found();
    expect(troubles(all)).to.deep.equal([]);
    const wanted = [
      'url',
      'proxy.host',
      'proxy.path',
      'proxy.origin',
      'proxy.client',
      'proxy.body',
      'proxy.cookies',
    ];
    for (const check of [...wanted, 'browser', 'sites', 'sites.host']) {
      expect(all[check]?.status, check).to.equal('ok');
    }
  });

  it('finds nothing wrong where there is no proxy, also in path mode and below a path', async () => {
    const port = await quietPort();
    env = { ...env, PINFOLD_PORT: String(port), PINFOLD_PUBLIC_URL: `http://localhost:${port}/share` };
    app = await createApp(readSettings({ ...env, PINFOLD_VIEWER_MODE: 'path' }), { log: () => undefined });
    await app.listen();
    const all = await findingsOf(examine({ ...env, PINFOLD_VIEWER_MODE: 'path' }));
    expect(troubles(all)).to.deep.equal([]);
    expect(all.sites?.status).to.equal('skipped');
  });

  it('finds a proxy that rewrites Host', async () => {
    await start();
    change = { headers: (sent) => ({ ...sent, host: '127.0.0.1' }) };
    const all = await found();
    expect(troubles(all)).to.deep.equal(['proxy.host failed', 'sites failed']);
    expect(all['proxy.host']).to.include({ observed: '"127.0.0.1" arrived as Host' });
    expect(all['proxy.host']?.advice).to.include('proxy_set_header Host $http_host');
  });

  it('finds a proxy that takes Origin away', async () => {
    await start();
    change = { headers: ({ origin, ...sent }) => sent };
    expect(troubles(await found())).to.deep.equal(['proxy.origin failed']);
  });

  it('finds a proxy that tidies paths up', async () => {
    await start();
    change = { target: (target) => target.replaceAll(/(?<=.)\/\//g, '/') };
    expect(troubles(await found())).to.deep.equal(['proxy.path failed']);
  });

  it('finds a proxy that takes no ZIP of the largest size', async () => {
    await start();
    change = { mostBytes: 1_048_576 };
    const all = await found();
    expect(troubles(all)).to.deep.equal(['proxy.body failed']);
    expect(all['proxy.body']?.observed).to.equal('the proxy answered 413');
    expect(all['proxy.body']?.advice).to.include('client_max_body_size 11m');
  });

  it('finds a proxy that takes fewer cookies than a hostile site can set', async () => {
    await start();
    const few = (sent: IncomingHttpHeaders): IncomingHttpHeaders => sent;
    change = { headers: few };
    proxy.removeAllListeners('request');
    proxy.on('request', (incoming, outgoing) => {
      if ((incoming.headers.cookie ?? '').length > 8_192) outgoing.writeHead(400).end();
      else passOn(incoming, outgoing);
    });
    const all = await found();
    expect(troubles(all)).to.deep.equal(['proxy.cookies warning']);
  });

  it('finds that all viewers count as one: no X-Forwarded-For, or one that nobody believes', async () => {
    await start();
    change = { headers: ({ 'x-forwarded-for': _, ...sent }) => sent };
    expect(troubles(await found())).to.deep.equal(['proxy.client warning']);
    await app?.close();
    change = {};
    await start({ PINFOLD_TRUST_PROXY: '' });
    const all = await found();
    expect(troubles(all)).to.deep.equal(['proxy.client failed']);
    expect(all['proxy.client']?.advice).to.match(/^PINFOLD_TRUST_PROXY=(?:::ffff:)?127\.0\.0\.1$/);
  });

  it('finds that clients may choose their address', async () => {
    await start({ PINFOLD_TRUST_PROXY: '2' });
    change = {};
    const keep = passOn;
    proxy.removeAllListeners('request');
    proxy.on('request', (incoming, outgoing) => {
      const told = incoming.headers['x-forwarded-for'];
      const here = incoming.socket.remoteAddress ?? '';
      change = {
        headers: (sent) => ({ ...sent, 'x-forwarded-for': told === undefined ? here : `${told}, ${here}` }),
      };
      keep(incoming, outgoing);
    });
    const all = await found();
    expect(troubles(all)).to.deep.equal(['proxy.client failed']);
    expect(all['proxy.client']?.advice).to.include('PINFOLD_TRUST_PROXY');
  });

  it('finds a server that is not there behind its proxy, and a proxy that is not there', async () => {
    await start();
    change = { status: 502 };
    const away = await found();
    expect(troubles(away)).to.deep.equal(['url failed']);
    expect(away.url?.advice).to.include('start the server');
    proxy.close();
    proxy.closeAllConnections();
    expect((await found()).url?.observed).to.include('ECONNREFUSED');
  });

  it('finds a proxy that changes what browsers get', async () => {
    await start();
    change = { answered: { 'content-security-policy': "default-src 'self'" } };
    const all = await found();
    expect(troubles(all)).to.deep.equal(['browser failed']);
    expect(all.browser?.observed).to.include('content-security-policy');
  });

  it('tells of a name without an address, and asks what --url names', async () => {
    await start();
    const { code, out } = await run(env, 'doctor', '--json', '--url', 'http://pinfold.invalid');
    expect(code).to.equal(1);
    const { checks } = JSON.parse(out) as { readonly checks: readonly Finding[] };
    expect(checks.find(({ check }) => check === 'url')).to.include({ status: 'failed' });
    expect((await run(env, 'doctor', '--url', 'nonsense')).code).to.equal(2);
  });

  it('asks nothing that needs the secret of the server with another one', async () => {
    await start({ PINFOLD_SECRET: 'the secret of the server' });
    env = { ...env, PINFOLD_SECRET: 'the secret of another one' };
    const all = await found();
    expect(troubles(all)).to.deep.equal(['proxy.host failed', 'sites.host failed']);
    expect(all['proxy.host']?.advice).to.include('PINFOLD_SECRET');
  });

  it('is told how it is seen by its own server alone', async () => {
    await start();
    const mirror = `${proxyUrl()}/healthz/mirror/x`;
    for (const mark of ['', 'x', 'A'.repeat(100)]) {
      expect((await fetch(mirror, { headers: { 'x-pinfold-doctor': mark } })).status).to.equal(404);
    }
    expect((await fetch(mirror)).status).to.equal(404);
  });

  describe('over TLS', () => {
    let secure: Server;
    let ca: string;

    before(async () => {
      const place = newFolder();
      const [key, cert] = [join(place, 'key.pem'), join(place, 'cert.pem')];
      const subject = [
        '-subj',
        '/CN=localhost',
        '-addext',
        'subjectAltName=DNS:share.localhost,DNS:*.share.localhost',
      ];
      const files = ['-keyout', key, '-out', cert];
      await promisify(execFile)('openssl', [
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-days',
        '5',
        ...subject,
        ...files,
      ]);
      ca = await readFile(cert, 'utf8');
      secure = createSecureServer(
        { maxHeaderSize: 65_536, key: await readFile(key), cert: ca },
        (incoming, outgoing) => passOn(incoming, outgoing),
      );
      secure.listen(0, '127.0.0.1');
      await once(secure, 'listening');
    });

    after(() => {
      secure.closeAllConnections();
      secure.close();
    });

    function secureUrl(): string {
      return `https://share.localhost:${(secure.address() as AddressInfo).port}`;
    }

    it('finds a certificate that nobody trusts', async () => {
      await start({ PINFOLD_PUBLIC_URL: secureUrl() });
      const all = await found();
      expect(troubles(all)).to.deep.equal(['url.certificate failed']);
      expect(all['url.certificate']?.advice).to.include('NODE_EXTRA_CA_CERTS');
    });

    it('finds one that ends soon', async () => {
      await start({ PINFOLD_PUBLIC_URL: secureUrl() });
      const all = await findingsOf(examine(env, undefined, { ca }));
      expect(troubles(all)).to.deep.equal(['url.certificate warning', 'sites.certificate warning']);
      expect(all['url.certificate']?.observed).to.match(/^the certificate is valid for [45] days$/);
    });

    it('finds one that is for another name', async () => {
      await start({ PINFOLD_PUBLIC_URL: secureUrl() });
      const { port } = new URL(secureUrl());
      const url = publicUrl(`https://127.0.0.1:${port}`);
      const all = await findingsOf(examine(env, url, { ca }));
      expect(all['url.certificate']?.advice).to.include('a certificate for this name');
    });
  });
});
