import type { IncomingHttpHeaders } from 'node:http';
import { crc32 } from 'node:zlib';
import { expect } from 'chai';
import { mediaTypeOf } from '../src/sending/file-answer.ts';
import { type Answer, cookiesOf, locationOf } from './client.ts';
import { headersOf } from './expect-page.ts';
import { NAVIGATION, openRig, PASSWORD, type Rig } from './rig.ts';
import type { SiteContent } from './zip.ts';

const HOME = '<h1>Harbour</h1>'.repeat(10);
const SITE = { 'index.html': HOME };
const TAG = `${crc32(HOME).toString(16)}-${HOME.length.toString(36)}`;
const GZIP = { 'accept-encoding': 'gzip' };
const HTML = { 'content-type': 'text/html; charset=utf-8' };
const WHOLE = { ...HTML, 'content-length': String(HOME.length), 'accept-ranges': 'bytes' };
const PLAIN = { etag: `"${TAG}"`, vary: 'Accept-Encoding' };
const PART = {
  ...HTML,
  ...PLAIN,
  'content-length': '2',
  'accept-ranges': 'bytes',
  'content-range': `bytes 1-2/${HOME.length}`,
};
const VARIES_BY_ACCEPT = { vary: 'Accept, Accept-Encoding' };

const ALWAYS = { 'x-content-type-options': 'nosniff', 'x-robots-tag': 'noindex' };
const OPEN = { ...ALWAYS, 'cache-control': 'no-cache', 'referrer-policy': 'same-origin' };
const PROTECTED = { ...OPEN, 'cache-control': 'private, no-cache' };
const SANDBOXED = {
  'access-control-allow-origin': '*',
  'content-security-policy':
    'sandbox allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox allow-modals allow-downloads',
  'cross-origin-resource-policy': 'cross-origin',
};

const POLICIES = {
  'open, in origin mode': OPEN,
  'protected, in origin mode': {
    ...PROTECTED,
    'content-security-policy': "frame-ancestors 'self'",
    'cross-origin-resource-policy': 'same-origin',
  },
  'open, in path mode': { ...OPEN, ...SANDBOXED },
  'protected, in path mode': { ...PROTECTED, ...SANDBOXED, 'referrer-policy': 'no-referrer' },
};

for (const [kind, policy] of Object.entries(POLICIES)) {
  const mode = kind.includes('path') ? 'path' : 'origin';
  const password = kind.includes('open') ? undefined : PASSWORD;

  describe(`the headers of a file of a site, ${kind}`, () => {
    let rig: Rig;
    before(async () => {
      rig = await openRig({ viewer: { mode } });
    });
    after(() => rig.close());
    afterEach(() => {
      expect(rig.log.filter(({ error }) => error !== undefined)).to.deep.equal([]);
    });

    /** Opens a site, and requests its files. */
    async function enter(files: Readonly<Record<string, SiteContent>>) {
      const id = await rig.publish(files, password);
      const host = mode === 'path' ? '127.0.0.1' : rig.siteHost(id);
      let base = mode === 'path' ? `/s/${id}/` : '/';
      let cookie: string[] = [];
      if (password !== undefined) {
        const entered = await rig.enter(id, password);
        cookie = [cookiesOf(mode === 'path' ? entered : await rig.follow(entered))];
        if (mode === 'path') base = new URL(locationOf(entered)).pathname;
      }
      return (path: string, headers: IncomingHttpHeaders) =>
        rig.ask(base + path, { host, headers: { ...headers, cookie } });
    }

    function expectHeaders(answer: Answer, status: number, own: IncomingHttpHeaders): void {
      expect(answer.status).to.equal(status);
      expect(headersOf(answer)).to.deep.equal({ ...policy, ...own });
    }

    it('are exactly these, form by form', async () => {
      const get = await enter(SITE);
      expectHeaders(await get('', {}), 200, { ...WHOLE, ...PLAIN });
      const zipped = await get('', GZIP);
      expectHeaders(zipped, 200, {
        ...HTML,
        'content-length': String(zipped.body.length),
        'content-encoding': 'gzip',
        etag: `"${TAG}-gzip"`,
        vary: 'Accept-Encoding',
      });
      expectHeaders(await get('', { ...GZIP, range: 'bytes=1-2' }), 206, PART);
      expectHeaders(await get('', { 'if-none-match': `"${TAG}"` }), 304, PLAIN);
      expectHeaders(await get('', { 'if-match': '"x"' }), 412, { 'content-length': '0' });
      expectHeaders(await get('', { range: `bytes=${HOME.length}-` }), 416, {
        'content-length': '0',
        'content-range': `bytes */${HOME.length}`,
      });
    });

    it('have no Vary if there is only one form', async () => {
      const { vary: _vary, ...plain } = PLAIN;
      const image = { 'content-type': 'image/png', 'content-length': String(HOME.length), ...plain };
      const get = await enter({ ...SITE, 'a.png': HOME, '200.html': { stored: HOME } });
      expectHeaders(await get('a.png', GZIP), 200, { ...image, 'accept-ranges': 'bytes' });
      expectHeaders(await get('a.png', { ...GZIP, 'if-none-match': `"${TAG}"` }), 304, plain);
      const fallback = { ...plain, vary: 'Accept' };
      expectHeaders(await get('deep/link', { ...NAVIGATION, ...GZIP }), 200, { ...WHOLE, ...fallback });
    });

    it('vary by Accept if another request would get another answer', async () => {
      const get = await enter(SITE);
      const ask = (headers: IncomingHttpHeaders) => get('deep/link', { ...NAVIGATION, ...headers });
      expectHeaders(await ask({}), 200, { ...WHOLE, ...PLAIN, ...VARIES_BY_ACCEPT });
      expectHeaders(await ask({ range: 'bytes=1-2' }), 206, { ...PART, ...VARIES_BY_ACCEPT });
      expectHeaders(await ask({ 'if-none-match': `"${TAG}"` }), 304, { ...PLAIN, ...VARIES_BY_ACCEPT });
    });

    it('have no validators on the 404 page', async () => {
      const get = await enter({ ...SITE, '404.html': HOME });
      expectHeaders(await get('nothing.png', {}), 404, {
        ...HTML,
        ...VARIES_BY_ACCEPT,
        'content-length': String(HOME.length),
      });
      const stored = await enter({ ...SITE, '404.html': { stored: HOME } });
      expectHeaders(await stored('nothing.png', GZIP), 404, {
        ...HTML,
        vary: 'Accept',
        'content-length': String(HOME.length),
      });
      const zipped = await get('nothing.png', { ...GZIP, 'if-none-match': '*', range: 'bytes=0-1' });
      expectHeaders(zipped, 404, {
        ...HTML,
        ...VARIES_BY_ACCEPT,
        'content-encoding': 'gzip',
        'content-length': String(zipped.body.length),
      });
    });
  });
}

describe('a media type', () => {
  it('of text in UTF-8 has a charset', () => {
    const types = {
      'index.html': 'text/html',
      'a/b.css': 'text/css',
      'app.js': 'text/javascript',
      'app.mjs': 'text/javascript',
      'data.json': 'application/json',
      'app.js.map': 'application/json',
      'site.webmanifest': 'application/manifest+json',
      'logo.svg': 'image/svg+xml',
      'feed.xml': 'application/xml',
      'notes.txt': 'text/plain',
    };
    for (const [path, type] of Object.entries(types)) {
      expect(mediaTypeOf(path, true), path).to.equal(`${type}; charset=utf-8`);
      expect(mediaTypeOf(path, false), path).to.equal(type);
    }
  });

  it('of other files has no charset', () => {
    const types = {
      'a.wasm': 'application/wasm',
      'a.woff2': 'font/woff2',
      'a.png': 'image/png',
      'A.PNG': 'image/png',
      'a.avif': 'image/avif',
      'a.webp': 'image/webp',
      'a.pdf': 'application/pdf',
      'a.mp4': 'video/mp4',
      'a.unknown-to-all': 'application/octet-stream',
      LICENSE: 'application/octet-stream',
      html: 'application/octet-stream',
      'png/a': 'application/octet-stream',
    };
    for (const [path, type] of Object.entries(types)) expect(mediaTypeOf(path, true), path).to.equal(type);
  });
});
