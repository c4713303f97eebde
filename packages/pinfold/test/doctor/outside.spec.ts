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
import { findingsOf, listProblems } from './findings-of.ts';

type Env = Readonly<Record<string, string>>;
type Found = Readonly<Record<string, Finding>>;

/** The changes that a proxy makes to requests. */
interface Change {
  readonly headers?: (headers: IncomingHttpHeaders) => IncomingHttpHeaders;
  readonly maxBytes?: number;
  /** Whether it appends the client to the received X-Forwarded-For, instead of replacing it. */
  readonly isAppending?: boolean;
  readonly status?: number;
  /** Headers that it sets in answers. */
  readonly answerHeaders?: IncomingHttpHeaders;
}

describe('pinfold doctor, from outside', () => {
  let folder: string;
  let proxy: Server;
  let change: Change;
  let env: Env;
  let app: App | undefined;

  beforeEach(async () => {
    folder = newFolder();
    change = {};
    proxy = createServer({ maxHeaderSize: 65_536 }, forward).listen(0, '127.0.0.1');
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

  /** A correct proxy, except for the changes of the test. */
  const forward: RequestListener = (incoming, outgoing) => {
    const { headers = (same) => same, maxBytes = Infinity } = change;
    if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) {
      outgoing.writeHead(413).end('too large');
      return;
    }
    if (change.status !== undefined) {
      outgoing.writeHead(change.status).end('the proxy itself');
      return;
    }
    const before = change.isAppending ? (incoming.headers['x-forwarded-for'] ?? []) : [];
    const clients = [before, incoming.socket.remoteAddress ?? ''].flat().join(', ');
    const forwarded = { ...incoming.headers, 'x-forwarded-for': clients };
    const forwarding = request({
      host: '127.0.0.1',
      port: upstream,
      method: incoming.method,
      path: incoming.url ?? '/',
      headers: headers(forwarded),
      agent: false,
    });
    forwarding.on('response', (response) => {
      outgoing.writeHead(response.statusCode ?? 500, { ...response.headers, ...change.answerHeaders });
      response.pipe(outgoing);
    });
    forwarding.on('error', () => outgoing.destroy());
    incoming.pipe(forwarding);
  };

  function proxyUrl(): string {
    return `http://localhost:${(proxy.address() as AddressInfo).port}`;
  }

  async function start(more: Env = {}): Promise<void> {
    env = { ...env, PINFOLD_PUBLIC_URL: proxyUrl(), PINFOLD_TRUST_PROXY: '127.0.0.1', ...more };
    app = await createApp(readSettings(env), { log: () => undefined });
    upstream = (await app.listen()).port;
  }

  async function examineServer(): Promise<Found> {
    return findingsOf(examine(env));
  }

  it('finds no problems behind a correct proxy', async () => {
    await start();
    const all = await examineServer();
    expect(listProblems(all)).to.deep.equal([]);
    for (const check of [
      'url',
      'proxy.host',
      'proxy.origin',
      'proxy.client',
      'proxy.body',
      'browser',
      'sites',
    ]) {
      expect(all[check]?.status, check).to.equal('ok');
    }
  });

  it('finds no problems without a proxy, even in path mode and below a path', async () => {
    const port = await quietPort();
    env = { ...env, PINFOLD_PORT: String(port), PINFOLD_PUBLIC_URL: `http://localhost:${port}/share` };
    app = await createApp(readSettings({ ...env, PINFOLD_VIEWER_MODE: 'path' }), { log: () => undefined });
    await app.listen();
    const all = await findingsOf(examine({ ...env, PINFOLD_VIEWER_MODE: 'path' }));
    expect(listProblems(all)).to.deep.equal([]);
    expect(all.sites?.status).to.equal('skipped');
  });

  const changes: readonly (readonly [
    behavior: string,
    Change,
    problems: readonly string[],
    text?: RegExp,
  ])[] = [
    [
      'rewrites Host',
      { headers: (sent) => ({ ...sent, host: '127.0.0.1' }) },
      ['proxy.host failed', 'sites failed'],
      /127\.0\.0\.1\\" arrived as Host.*proxy_set_header Host \$http_host/,
    ],
    ['removes Origin', { headers: ({ origin, ...sent }) => sent }, ['proxy.origin failed']],
    [
      'refuses a ZIP of the largest size',
      { maxBytes: 1_048_576 },
      ['proxy.body failed'],
      /the proxy answered 413.*client_max_body_size 11m/,
    ],
    [
      'removes X-Forwarded-For',
      { headers: ({ 'x-forwarded-for': _, ...sent }) => sent },
      ['proxy.client warning'],
    ],
    [
      'changes a header of answers',
      { answerHeaders: { 'content-security-policy': "default-src 'self'" } },
      ['browser failed'],
      /the header content-security-policy/,
    ],
  ];
  for (const [behavior, changed, expected, text = /./] of changes) {
    it(`reports a proxy that ${behavior}`, async () => {
      await start();
      change = changed;
      const all = await examineServer();
      expect(listProblems(all)).to.deep.equal(expected);
      expect(JSON.stringify(all)).to.match(text);
    });
  }

  it('reports that all viewers have one address if X-Forwarded-For is not trusted', async () => {
    await start({ PINFOLD_TRUST_PROXY: '' });
    const all = await examineServer();
    expect(listProblems(all)).to.deep.equal(['proxy.client failed']);
    expect(all['proxy.client']?.advice).to.match(/^PINFOLD_TRUST_PROXY=(?:::ffff:)?127\.0\.0\.1$/);
  });

  it('reports that all viewers have one address behind two proxies if one is trusted', async () => {
    // Like Fly and Render: one of their addresses follows the client's.
    const headers = ({ 'x-forwarded-for': client, ...sent }: IncomingHttpHeaders) => ({
      ...sent,
      'x-forwarded-for': `${client === '127.0.0.1' ? '203.0.113.9' : client}, 66.241.124.230`,
    });
    change = { headers };
    for (const [trusted, advice] of [
      ['1', 'PINFOLD_TRUST_PROXY=2'],
      ['127.0.0.0/8', 'add 66.241.124.230 to PINFOLD_TRUST_PROXY'],
    ] as const) {
      await start({ PINFOLD_TRUST_PROXY: trusted });
      const all = await examineServer();
      expect(listProblems(all), trusted).to.deep.equal(['proxy.client failed']);
      expect(all['proxy.client']?.advice).to.equal(advice);
      await app?.close();
    }
    await start({ PINFOLD_TRUST_PROXY: '2' });
    expect(listProblems(await examineServer())).to.deep.equal([]);
  });

  it('reports that clients can choose their address', async () => {
    await start({ PINFOLD_TRUST_PROXY: '2' });
    change = { isAppending: true };
    const all = await examineServer();
    expect(listProblems(all)).to.deep.equal(['proxy.client failed']);
    expect(all['proxy.client']?.advice).to.include('PINFOLD_TRUST_PROXY');
  });

  it('reports a missing server behind its proxy, and a missing proxy', async () => {
    await start();
    change = { status: 502 };
    const behindProxy = await examineServer();
    expect(listProblems(behindProxy)).to.deep.equal(['url failed']);
    expect(behindProxy.url?.advice).to.include('start the server');
    proxy.close();
    proxy.closeAllConnections();
    expect((await examineServer()).url?.observed).to.include('ECONNREFUSED');
  });

  it('checks the server of --url, and refuses an invalid one', async () => {
    await start();
    const { code, out } = await run(env, 'doctor', '--json', '--url', 'http://pinfold.invalid');
    expect(code).to.equal(1);
    const { checks } = JSON.parse(out) as { readonly checks: readonly Finding[] };
    expect(checks.find(({ check }) => check === 'url')).to.include({ status: 'failed' });
    expect((await run(env, 'doctor', '--url', 'nonsense')).code).to.equal(2);
  });

  it("reports a secret that is not the server's", async () => {
    await start({ PINFOLD_SECRET: 'the secret of the server' });
    env = { ...env, PINFOLD_SECRET: 'the secret of another one' };
    const all = await examineServer();
    expect(listProblems(all)).to.deep.equal(['proxy.host failed']);
    expect(all['proxy.host']?.advice).to.include('PINFOLD_SECRET');
  });

  it('echoes only requests with a valid token', async () => {
    await start();
    const echoUrl = `${proxyUrl()}/healthz/mirror`;
    for (const token of ['', 'x', 'A'.repeat(100)]) {
      expect((await fetch(echoUrl, { headers: { 'x-pinfold-doctor': token } })).status).to.equal(404);
    }
    expect((await fetch(echoUrl)).status).to.equal(404);
  });

  describe('over TLS', () => {
    let secureProxy: Server;
    let ca: string;

    before(async () => {
      const certificates = newFolder();
      const [key, cert] = [join(certificates, 'key.pem'), join(certificates, 'cert.pem')];
      const names = 'subjectAltName=DNS:share.localhost,DNS:*.share.localhost';
      const request = 'req -x509 -newkey rsa:2048 -nodes -days 5 -subj /CN=localhost'.split(' ');
      const files = ['-keyout', key, '-out', cert];
      await promisify(execFile)('openssl', [...request, '-addext', names, ...files]);
      ca = await readFile(cert, 'utf8');
      secureProxy = createSecureServer(
        { maxHeaderSize: 65_536, key: await readFile(key), cert: ca },
        (incoming, outgoing) => forward(incoming, outgoing),
      );
      secureProxy.listen(0, '127.0.0.1');
      await once(secureProxy, 'listening');
    });

    after(() => {
      secureProxy.closeAllConnections();
      secureProxy.close();
    });

    function secureUrl(): string {
      return `https://share.localhost:${(secureProxy.address() as AddressInfo).port}`;
    }

    it('reports an untrusted certificate', async () => {
      await start({ PINFOLD_PUBLIC_URL: secureUrl() });
      const all = await examineServer();
      expect(listProblems(all)).to.deep.equal(['url.certificate failed']);
      expect(all['url.certificate']?.advice).to.include('NODE_EXTRA_CA_CERTS');
    });

    it('reports a certificate that expires soon', async () => {
      await start({ PINFOLD_PUBLIC_URL: secureUrl() });
      const all = await findingsOf(examine(env, undefined, { ca }));
      expect(listProblems(all)).to.deep.equal(['url.certificate warning', 'sites.certificate warning']);
      expect(all['url.certificate']?.observed).to.match(/^the certificate is valid for [45] days$/);
    });

    it('reports that the proxy has no certificate for the name', async () => {
      const withoutCertificate = createSecureServer().listen(0, '127.0.0.1');
      await once(withoutCertificate, 'listening');
      const { port } = withoutCertificate.address() as AddressInfo;
      const { url } = await findingsOf(examine(env, publicUrl(`https://127.0.0.1:${port}`)));
      withoutCertificate.close();
      expect(url?.observed).to.match(/^the proxy refused TLS: \S+ alert [\w ]+$/);
      expect(url?.advice).to.include('certificate for this name');
    });

    it('reports a certificate for another name', async () => {
      await start({ PINFOLD_PUBLIC_URL: secureUrl() });
      const { port } = new URL(secureUrl());
      const url = publicUrl(`https://127.0.0.1:${port}`);
      const all = await findingsOf(examine(env, url, { ca }));
      expect(all['url.certificate']?.advice).to.include('a certificate for this name');
    });
  });
});
