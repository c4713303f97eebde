import { gunzipSync, gzipSync } from 'node:zlib';
import type { RoleId } from '@pinfold/core';
import { MAX_READ } from '@pinfold/core/adapter';
import { expect } from 'chai';
import type { Ask } from './client.ts';
import { NAVIGATION, openRig, type Rig } from './rig.ts';

const TEXT = 'The light over the harbour is lit at dusk.\n'.repeat(200);
const GZIP = { 'accept-encoding': 'gzip' };

/** Bytes that do not repeat, so that they stay large when deflated. */
function noise(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let state = 1;
  for (let at = 0; at < length; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}

const LARGE = noise(2 * MAX_READ + 4_321);
const LONG = Buffer.from('tide table '.repeat(300_000));

const FILES = {
  'index.html': TEXT,
  'sjis.html': Buffer.from([0x3c, 0x70, 0x3e, 0x8d, 0x60]),
  'stored.txt': { stored: TEXT },
  'empty.txt': '',
  'empty-stored.txt': { stored: '' },
  'large.csv': LARGE,
  'release.tgz': gzipSync(TEXT),
  'tides.sqlite': Buffer.alloc(20_000, 'page '),
  'large-stored.bin': { stored: LARGE },
  'long.txt': LONG,
  '404.html': 'not here',
};

for (const cacheBytes of [undefined, 0]) {
  describe(`a file, ${cacheBytes === 0 ? 'without' : 'with'} a cache`, () => {
    let rig: Rig;
    let id: RoleId;
    before(async () => {
      rig = await openRig(cacheBytes === undefined ? {} : { viewer: { cacheBytes } });
      id = await rig.publish(FILES);
    });
    after(() => rig.close());

    const get = (path: string, headers: Ask['headers'] = {}, method = 'GET') =>
      rig.askSite(id, path, { headers, method });

    for (const [path, content] of Object.entries(FILES)) {
      const bytes = Buffer.from(
        typeof content === 'object' && 'stored' in content ? content.stored : content,
      );

      it(`answers ${path} whole, plain and as gzip, even the second time`, async () => {
        for (let time = 0; time < 2; time += 1) {
          const plain = await get(`/${path}`);
          expect([plain.status, plain.body.equals(bytes)]).to.deep.equal([200, true]);
          expect(plain.headers).not.to.have.property('content-encoding');
          expect(plain.headers['content-length']).to.equal(String(bytes.length));
          const zipped = await get(`/${path}`, GZIP);
          const coded = zipped.headers['content-encoding'] === 'gzip';
          expect((coded ? gunzipSync(zipped.body) : zipped.body).equals(bytes)).to.equal(true);
          expect(coded).to.equal(/^(?!stored).*[.](?:html|txt|csv)$/.test(path) && bytes.length > 0);
          expect(zipped.headers.vary).to.equal(coded ? 'Accept-Encoding' : undefined);
          expect(plain.headers['accept-ranges']).to.equal('bytes');
          expect(zipped.headers.etag === plain.headers.etag).to.equal(!coded);
          const head = await get(`/${path}`, GZIP, 'HEAD');
          expect(head.body).to.have.length(0);
          const { date: _date, ...ofHead } = head.headers;
          const { date: _other, ...ofGet } = zipped.headers;
          expect(ofHead).to.deep.equal(ofGet);
        }
      });

      it(`answers ranges of ${path}, always of its plain form`, async () => {
        const size = bytes.length;
        const parts: [string, number, number][] = [
          ['bytes=0-0', 0, 1],
          [`bytes=${size - 1}-`, size - 1, size],
          ['bytes=-1', size - 1, size],
          [`bytes=${size >> 1}-${(size >> 1) + 9}`, size >> 1, (size >> 1) + 10],
        ];
        for (const [range, from, to] of size === 0 ? [] : parts) {
          const answer = await get(`/${path}`, { ...GZIP, range });
          const end = Math.min(to, size);
          expect(answer.status, range).to.equal(206);
          expect(answer.headers['content-range']).to.equal(`bytes ${from}-${end - 1}/${size}`);
          expect(answer.headers).not.to.have.property('content-encoding');
          expect(answer.body.equals(bytes.subarray(from, end)), range).to.equal(true);
        }
      });
    }

    it('ignores a Range header for a file without bytes', async () => {
      for (const path of ['/empty.txt', '/empty-stored.txt']) {
        for (const range of ['bytes=0-', 'bytes=0-1', 'bytes=-1', 'bytes=-0', 'bytes=7-9']) {
          const answer = await get(path, { range });
          expect([answer.status, answer.headers['content-length']], range).to.deep.equal([200, '0']);
          expect(answer.headers).not.to.have.property('content-range');
        }
      }
    });

    it('obeys preconditions, with or without a range', async () => {
      const { etag = '' } = (await get('/')).headers;
      const { etag: zipped = '' } = (await get('/', GZIP)).headers;
      const range = 'bytes=0-3';
      for (const [headers, status] of [
        [{ range, 'if-range': etag }, 206],
        [{ range, 'if-range': zipped }, 200],
        [{ range, 'if-range': `W/${etag}` }, 200],
        [{ range, 'if-range': 'Sat, 21 Nov 2026 09:44:24 GMT' }, 200],
        [{ range: 'lines=0-3' }, 200],
        [{ range: 'bytes=0-3,5-6' }, 200],
        [{ range, 'if-none-match': etag }, 304],
        [{ 'if-none-match': '' }, 200],
        [{ 'if-match': etag }, 200],
        [{ 'if-match': `W/${etag}` }, 412],
      ] as const) {
        expect((await get('/', headers)).status, JSON.stringify(headers)).to.equal(status);
      }
      expect((await get('/', { range }, 'HEAD')).status).to.equal(200);
    });

    it('also answers as the 404 page for a path that no file can have', async () => {
      for (const path of ['/%', '/%FF', '/tide%2Ftable', '/%C0%AF/x']) {
        const answer = await get(path, GZIP);
        expect([answer.status, gunzipSync(answer.body).toString()], path).to.deep.equal([404, 'not here']);
      }
    });
  });
}

describe('an image in SVG and gzip', () => {
  const drawing = '<svg xmlns="http://www.w3.org/2000/svg"/>';
  const gzipped = gzipSync(drawing);
  const images = {
    'deflated.svgz': gzipped,
    'STORED.SVGZ': { stored: gzipped },
    'plain.svgz': drawing,
    'short.svgz': Buffer.of(0x1f),
    'empty.svgz': '',
  };
  let rig: Rig;
  let id: RoleId;
  beforeEach(async () => {
    rig = await openRig();
    id = await rig.publish({ 'index.html': 'home', ...images });
  });

  for (const path of ['/deflated.svgz', '/STORED.SVGZ']) {
    it(`has its Content-Encoding in every answer: ${path}`, async () => {
      const head = await rig.askSite(id, path, { method: 'HEAD' });
      for (const coding of ['', 'gzip', 'identity', 'gzip;q=0']) {
        const answer = await rig.askSite(id, path, { headers: { 'accept-encoding': coding } });
        expect(answer.body.equals(gzipped), coding).to.equal(true);
        expect({ ...answer.headers, date: '' }).to.deep.equal({ ...head.headers, date: '' });
        expect(answer.headers).to.include({
          'content-type': 'image/svg+xml',
          'content-encoding': 'gzip',
          'content-length': String(gzipped.length),
          'accept-ranges': 'bytes',
        });
        expect(answer.headers).not.to.have.property('vary');
      }
    });

    it(`is sent in ranges of its own bytes, and as 304 to a browser that has it: ${path}`, async () => {
      const part = await rig.askSite(id, path, { headers: { range: 'bytes=2-5' } });
      expect([part.status, part.headers['content-encoding']]).to.deep.equal([206, 'gzip']);
      expect(part.headers['content-range']).to.equal(`bytes 2-5/${gzipped.length}`);
      expect(part.body.equals(gzipped.subarray(2, 6))).to.equal(true);
      const etag = part.headers.etag ?? '';
      const known = await rig.askSite(id, path, { headers: { 'if-none-match': etag } });
      expect(known.status).to.equal(304);
    });
  }

  it('has no Content-Encoding if the file does not begin as gzip', async () => {
    for (const path of ['plain.svgz', 'short.svgz', 'empty.svgz'] as const) {
      const answer = await rig.askSite(id, `/${path}`, { headers: GZIP });
      expect(answer.body.equals(Buffer.from(images[path])), path).to.equal(true);
      expect(answer.headers, path).not.to.have.property('content-encoding');
      expect(answer.headers['content-type'], path).to.match(/^image\/svg[+]xml/);
    }
  });
});

describe('the path of a file', () => {
  const files = {
    'index.html': 'home',
    'café/港.html': 'harbour',
    'a b+c.txt': 'spaces',
    '100%.txt': 'percent',
    'x.html': 'x',
    'a b/ü.html': 'umlaut',
  };
  let rig: Rig;
  let id: RoleId;
  before(async () => {
    rig = await openRig();
    id = await rig.publish(files);
  });
  after(() => rig.close());

  it('is decoded', async () => {
    const paths = {
      '/cafe%CC%81/%e6%b8%af': 'harbour',
      '/a%20b+c.txt': 'spaces',
      '/100%25.txt': 'percent',
      '/%78': 'x',
      '/x?y=/z': 'x',
    };
    for (const [path, text] of Object.entries(paths)) {
      expect((await rig.askSite(id, path)).text, path).to.equal(text);
    }
  });

  it('loses a slash after the name of a page, and keeps its query', async () => {
    for (const headers of [{}, NAVIGATION]) {
      const answer = await rig.askSite(id, '/a%20b/u%CC%88/?to=/&q=%2F', { headers });
      expect(answer.status).to.equal(308);
      expect(answer.headers.location).to.match(/[^/]\/a%20b\/u%CC%88\?to=\/&q=%2F$/);
    }
  });

  it('also falls back for navigations to a path that no file can have', async () => {
    for (const path of ['/search/ebb%2Fflow', '/search/%FF', '/100%']) {
      const page = await rig.askSite(id, path, { headers: NAVIGATION });
      expect([page.status, page.text], path).to.deep.equal([200, 'home']);
    }
    const image = await rig.askSite(id, '/search/ebb%2Fflow.png', { headers: NAVIGATION });
    expect(image.status).to.equal(404);
  });
});
