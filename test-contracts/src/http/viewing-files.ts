import { gunzipSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { UNKNOWN_ID } from './api-client.ts';
import { sendRequest } from './send-request.ts';
import type { HttpClauses } from './subject.ts';
import { HOME, NAVIGATION, openNewSite, PASSWORD, publishToView, SITE } from './viewing-visitor.ts';

const SANDBOX =
  'sandbox allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox allow-modals allow-downloads';

/** Bytes that cannot be compressed. */
function noise(length: number): Uint8Array {
  let state = 1;
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  });
}

const LARGE = noise(1_048_576 + 70_001);

export const fileClauses: HttpClauses = {
  'http/view-resolution: a folder answers with its index.html, a name with the file or its .html, and 308 with the query adds the slash of a folder and removes it from a page':
    async ({ port }) => {
      const files = {
        ...SITE,
        'x.html': 'x',
        'x/index.html': 'folder x',
        'caf\u00e9/\u6e2f.html': 'harbour',
      };
      const { visitor, page } = await openNewSite(port, files);
      const textOf = async (path: string): Promise<string> => (await visitor.part(page, path)).text;
      expect(await textOf('docs/')).to.equal(SITE['docs/index.html']);
      expect(await textOf('about')).to.equal(SITE['about.html']);
      expect(await textOf('about.html?q')).to.equal(SITE['about.html']);
      expect(await textOf('x')).to.equal('x');
      expect(await textOf('x/')).to.equal('folder x');
      expect(await textOf('caf%C3%A9/%E6%B8%AF')).to.equal('harbour');
      const folder = await visitor.part(page, 'docs?q=/a&r=%2F');
      expect([folder.status, folder.headers.location]).to.deep.equal([308, `${page.url}docs/?q=/a&r=%2F`]);
      const own = await visitor.part(page, 'about/?q=/a&r=%2F');
      expect([own.status, own.headers.location]).to.deep.equal([308, `${page.url}about?q=/a&r=%2F`]);
    },
  'http/view-fallbacks: a navigation gets 200.html, else 404.html with 404, else for a name without a dot index.html; any other request gets 404.html or nothing':
    async ({ port }) => {
      const plain = await openNewSite(port);
      const missing = await openNewSite(port, { 'index.html': 'home', '404.html': 'missing' });
      const every = await openNewSite(port, {
        'index.html': 'home',
        '404.html': 'missing',
        '200.html': 'every',
      });
      for (const [{ visitor, page }, path, navigation, status, text] of [
        [plain, 'app/settings', true, 200, HOME],
        [plain, 'app/logo.png', true, 404, undefined],
        [plain, 'app/settings', false, 404, undefined],
        [missing, 'app/settings', true, 404, 'missing'],
        [missing, 'app/settings', false, 404, 'missing'],
        [every, 'app/logo.png', true, 200, 'every'],
        [every, 'app/settings', false, 404, 'missing'],
      ] as const) {
        const answer = await visitor.part(page, path, navigation ? { headers: NAVIGATION } : {});
        expect(answer.status, path).to.equal(status);
        if (text !== undefined) expect(answer.text).to.equal(text);
      }
    },
  'http/view-paths: no path leads out of the site: dots, slashes in disguise and broken encodings are 404':
    async ({ port }) => {
      const { page } = await openNewSite(port);
      const { pathname, host: Host } = new URL(page.url);
      for (const path of '..%2fapp.js %2e%2e/app.js %2Fapp.js /app.js app.js%00 % %FF %c0%ae'.split(' ')) {
        const { status } = await sendRequest(port.baseUrl, { path: pathname + path, headers: { Host } });
        expect(status, path).to.equal(404);
      }
    },
  'http/view-host: the Host decides first: the origin of a site has nothing of the service, any other Host is the public one, and two Hosts are 400':
    async ({ port }) => {
      const { pin, visitor, page } = await openNewSite(port);
      const { pathname } = new URL(pin.shared_url);
      const elsewhere = await sendRequest(port.baseUrl, { path: pathname, headers: { Host: '10.1.2.3:9' } });
      expect(elsewhere.status).to.equal(302);
      const hosts = [new URL(port.baseUrl).host, new URL(page.url).host];
      for (const both of [hosts, hosts.toReversed()]) {
        const headers = both.flatMap((host) => ['Host', host]);
        expect((await sendRequest(port.baseUrl, { path: pathname, headers })).status, both.join()).to.equal(
          400,
        );
      }
      if (port.viewerMode === 'path') {
        expect(page.url).to.equal(`${pin.shared_url}/`);
        return;
      }
      const { host: Host } = new URL(page.url);
      for (const path of [pathname, '/api/v1/pins', '/openapi.json', '/healthz']) {
        expect((await sendRequest(port.baseUrl, { path, headers: { Host } })).status, path).to.equal(404);
      }
      const upper = await sendRequest(port.baseUrl, { path: '/', headers: { Host: Host.toUpperCase() } });
      expect(upper.text).to.equal(HOME);
      const unknown = page.url.replace(pin.id, UNKNOWN_ID);
      expect((await visitor.ask(unknown)).status).to.equal(404);
    },
  'http/view-target: a request target in absolute form is accepted, with its host instead of Host; any other without a slash is 400':
    async ({ port }) => {
      const { pin, page } = await openNewSite(port);
      const statusOf = async (path: string): Promise<number> =>
        (await sendRequest(port.baseUrl, { path, headers: { Host: 'elsewhere.example' } })).status;
      expect([await statusOf(pin.shared_url), await statusOf(page.url)]).to.deep.equal([302, 200]);
      for (const url of [pin.shared_url, page.url])
        for (const path of ['*', url.replace('http:', 'ftp:'), url.replace('//', '//me@')])
          expect(await statusOf(path), path).to.equal(400);
    },
  'http/view-methods: a site answers GET and HEAD only, a shared URL POST too; others are 405 with Allow':
    async ({ port }) => {
      const { pin, visitor, page } = await openNewSite(port);
      for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
        const answer = await visitor.ask(page.url, { method });
        expect([answer.status, answer.headers.allow], method).to.deep.equal([405, 'GET, HEAD']);
      }
      for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
        const answer = await visitor.ask(pin.shared_url, { method });
        expect([answer.status, answer.headers.allow], method).to.deep.equal([405, 'GET, HEAD, POST']);
      }
    },
  'http/view-service-worker: a service worker does not get its script': async ({ port }) => {
    const { visitor, page } = await openNewSite(port);
    for (const headers of [{ 'Service-Worker': 'script' }, { 'Sec-Fetch-Dest': 'serviceworker' }]) {
      const answer = await visitor.part(page, 'app.js', { headers });
      expect(answer.status).to.equal(403);
      expect(answer.text).not.to.contain('run()');
    }
  },
  'http/view-types: files have their media type, with charset=utf-8 for text in UTF-8 and no charset for others':
    async ({ port }) => {
      const sjis = Uint8Array.from([0x3c, 0x70, 0x3e, 0x8d, 0x60]);
      const { visitor, page } = await openNewSite(port, {
        ...SITE,
        'sjis.html': sjis,
        'a.css': 'p {}',
        'a.mjs': 'run()',
        'a.svg': '<svg/>',
        'a.woff2': 'font',
        'a.wasm': 'wasm',
        'a.unheard-of': 'what',
      });
      for (const [path, type] of [
        ['index.html', 'text/html; charset=utf-8'],
        ['sjis.html', 'text/html'],
        ['a.css', 'text/css; charset=utf-8'],
        ['app.js', 'text/javascript; charset=utf-8'],
        ['a.mjs', 'text/javascript; charset=utf-8'],
        ['a.woff2', 'font/woff2'],
        ['a.wasm', 'application/wasm'],
        ['a.unheard-of', 'application/octet-stream'],
      ]) {
        expect((await visitor.part(page, String(path))).headers['content-type'], path).to.equal(type);
      }
      const svg = (await visitor.part(page, 'a.svg')).headers['content-type'];
      expect(svg).to.match(/^image\/svg\+xml\b/);
    },
  'http/view-headers: files are revalidated each time, and neither sniffed nor indexed; protected ones are private, and those of path mode sandboxed':
    async ({ port }) => {
      const origin = port.viewerMode === 'origin';
      const always = {
        'x-content-type-options': 'nosniff',
        'x-robots-tag': 'noindex',
        vary: 'Accept-Encoding',
      };
      const sandboxed = {
        'content-security-policy': SANDBOX,
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
      };
      const own = {
        'referrer-policy': 'same-origin',
        'content-security-policy': "frame-ancestors 'self'",
        'cross-origin-resource-policy': 'same-origin',
      };
      const open = await openNewSite(port);
      const expected = { ...always, 'referrer-policy': 'same-origin', 'cache-control': 'no-cache' };
      expect(open.page.headers).to.include(origin ? expected : { ...expected, ...sandboxed });
      if (origin) expect(open.page.headers).not.to.have.property('content-security-policy');
      const closed = await openNewSite(port, SITE, PASSWORD);
      expect(closed.page.headers).to.include({
        ...always,
        'cache-control': 'private, no-cache',
        ...(origin ? own : { ...sandboxed, 'referrer-policy': 'no-referrer' }),
      });
    },
  'http/view-gzip: a client that accepts gzip gets the deflated file of text as gzip, others the same bytes plain, and large ones too':
    async ({ port }) => {
      const { visitor, page } = await openNewSite(port, { ...SITE, 'large.csv': LARGE, 'empty.txt': '' });
      for (const [path, file] of [
        ['index.html', Buffer.from(HOME)],
        ['large.csv', Buffer.from(LARGE)],
        ['empty.txt', Buffer.alloc(0)],
      ] as const) {
        const plain = await visitor.part(page, path, { headers: { 'Accept-Encoding': 'br, gzip;q=0' } });
        expect(plain.bytes.equals(file), path).to.equal(true);
        expect(plain.headers).not.to.have.property('content-encoding');
        const zipped = await visitor.part(page, path, { headers: { 'Accept-Encoding': 'br, gzip' } });
        const coded = zipped.headers['content-encoding'] === 'gzip';
        expect((coded ? gunzipSync(zipped.bytes) : zipped.bytes).equals(file), path).to.equal(true);
        if (file.length > 0) expect(coded, path).to.equal(true);
        if (coded) expect(zipped.headers.etag).not.to.equal(plain.headers.etag);
      }
    },
  'http/view-uncoded: a file that is not text has its own length and ranges, whatever codings a client accepts':
    async ({ port }) => {
      const files = {
        'backup.tar.gz': gzipSync(HOME),
        'tides.parquet': Buffer.alloc(9_000, 'row'),
        'a.bmp': Buffer.alloc(9_000, 'dot'),
      };
      const { visitor, page } = await openNewSite(port, { ...SITE, ...files });
      for (const [path, file] of Object.entries(files)) {
        for (const method of ['GET', 'HEAD']) {
          const answer = await visitor.part(page, path, {
            method,
            headers: { 'Accept-Encoding': 'gzip, br' },
          });
          expect(answer.bytes.equals(method === 'GET' ? file : Buffer.alloc(0)), path).to.equal(true);
          expect(answer.headers, path).not.to.have.any.keys('content-encoding', 'vary');
          expect(answer.headers, path).to.include({
            'content-length': String(file.length),
            'accept-ranges': 'bytes',
          });
        }
      }
    },
  'http/view-svgz: an SVG image in gzip has that one coding for every client, and none if it is not gzip':
    async ({ port }) => {
      const image = gzipSync('<svg xmlns="http://www.w3.org/2000/svg"/>');
      const files = { 'map.svgz': image, 'plain.svgz': '<svg xmlns="http://www.w3.org/2000/svg"/>' };
      const { visitor, page } = await openNewSite(port, { ...SITE, ...files });
      for (const [headers, status, bytes] of [
        [{ 'Accept-Encoding': 'gzip' }, 200, image],
        [{ 'Accept-Encoding': 'identity' }, 200, image],
        [{ Range: 'bytes=1-3' }, 206, image.subarray(1, 4)],
      ] as const) {
        const answer = await visitor.part(page, 'map.svgz', { headers });
        expect([answer.status, answer.bytes.equals(bytes)]).to.deep.equal([status, true]);
        expect(answer.headers).to.include({
          'content-type': 'image/svg+xml',
          'content-encoding': 'gzip',
          'content-length': String(bytes.length),
        });
      }
      const plain = await visitor.part(page, 'plain.svgz', { headers: { 'Accept-Encoding': 'gzip' } });
      expect(plain.text).to.equal(files['plain.svgz']);
      expect(plain.headers).not.to.have.property('content-encoding');
    },
  'http/view-conditional: a client that has a form of a file, by its strong tag, gets 304 and no body':
    async ({ port }) => {
      const { visitor, page } = await openNewSite(port);
      const gzip = { 'Accept-Encoding': 'gzip' };
      const tag = String((await visitor.part(page, 'index.html')).headers.etag);
      const zipped = String((await visitor.part(page, 'index.html', { headers: gzip })).headers.etag);
      expect(tag).to.match(/^"[^"]+"$/);
      for (const [headers, own, status] of [
        [{}, tag, 304],
        [{}, `"other", W/${tag}`, 304],
        [{}, '*', 304],
        [gzip, zipped, 304],
        [gzip, tag, 200],
        [{}, zipped, 200],
        [{}, '"other"', 200],
      ] as const) {
        const fields = { headers: { ...headers, 'If-None-Match': own } };
        const answer = await visitor.part(page, 'index.html', fields);
        expect(answer.status, own).to.equal(status);
        if (status === 304) expect(answer.bytes.length).to.equal(0);
      }
    },
  'http/view-range: a part of a file is 206 in its plain form, one beyond its end 416, and a stale If-Range or an empty file gives the whole':
    async ({ port }) => {
      const { visitor, page } = await openNewSite(port, { ...SITE, 'large.bin': LARGE });
      const size = LARGE.length;
      for (const [range, from, to] of [
        ['bytes=0-0', 0, 1],
        ['bytes=-5', size - 5, size],
        [`bytes=${size - 3}-`, size - 3, size],
        ['bytes=1048570-1048589', 1_048_570, 1_048_590],
      ] as const) {
        const headers = { Range: range, 'Accept-Encoding': 'gzip' };
        const part = await visitor.part(page, 'large.bin', { headers });
        expect([part.status, part.headers['content-range']]).to.deep.equal([
          206,
          `bytes ${from}-${to - 1}/${size}`,
        ]);
        expect(part.bytes.equals(Buffer.from(LARGE.subarray(from, to))), range).to.equal(true);
      }
      const beyond = await visitor.part(page, 'large.bin', { headers: { Range: `bytes=${size}-` } });
      expect([beyond.status, beyond.headers['content-range']]).to.deep.equal([416, `bytes */${size}`]);
      const empty = await openNewSite(port, { ...SITE, 'empty.bin': '' });
      for (const Range of ['bytes=0-', 'bytes=-1']) {
        const none = await empty.visitor.part(empty.page, 'empty.bin', { headers: { Range } });
        expect([none.status, none.headers['content-length']], Range).to.deep.equal([200, '0']);
      }
      const stale = { Range: 'bytes=0-0', 'If-Range': '"other"' };
      expect((await visitor.part(page, 'app.js', { headers: stale })).text).to.equal('run()');
    },
  'http/view-head: HEAD gives the headers of GET and no body': async ({ port }) => {
    const { pin, visitor, page } = await openNewSite(port);
    const closed = await publishToView(port, SITE, PASSWORD);
    const urls = [pin.shared_url, closed.shared_url, page.url, `${page.url}docs`, `${page.url}nothing.js`];
    for (const url of urls) {
      const get = await visitor.ask(url);
      const head = await visitor.ask(url, { method: 'HEAD' });
      expect([head.status, head.bytes.length], url).to.deep.equal([get.status, 0]);
      for (const name of ['content-length', 'content-type', 'etag', 'location', 'cache-control']) {
        expect(head.headers[name], `${name} of ${url}`).to.equal(get.headers[name]);
      }
    }
  },
};
