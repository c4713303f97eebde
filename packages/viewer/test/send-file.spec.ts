import { gunzipSync } from 'node:zlib';
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
  'large.bin': LARGE,
  'large-stored.bin': { stored: LARGE },
  'long.txt': LONG,
  '404.html': 'not here',
};

for (const cacheBytes of [undefined, 0]) {
  describe(`a file, ${cacheBytes === 0 ? 'without' : 'with'} a cache`, function () {
    this.timeout(60_000);
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

      it(`${path} comes whole, plain and as gzip, the second time too`, async () => {
        for (let time = 0; time < 2; time += 1) {
          const plain = await get(`/${path}`);
          expect([plain.status, plain.body.equals(bytes)]).to.deep.equal([200, true]);
          expect(plain.headers).not.to.have.property('content-encoding');
          expect(plain.headers['content-length']).to.equal(String(bytes.length));
          const zipped = await get(`/${path}`, GZIP);
          const coded = zipped.headers['content-encoding'] === 'gzip';
          expect((coded ? gunzipSync(zipped.body) : zipped.body).equals(bytes)).to.equal(true);
          expect(coded).to.equal(!path.includes('stored') && bytes.length > 0);
          expect(zipped.headers.vary).to.equal('Accept-Encoding');
          expect(zipped.headers.etag === plain.headers.etag).to.equal(!coded);
          const head = await get(`/${path}`, GZIP, 'HEAD');
          expect(head.body).to.have.length(0);
          const { date: _date, ...ofHead } = head.headers;
          const { date: _other, ...ofGet } = zipped.headers;
          expect(ofHead).to.deep.equal(ofGet);
        }
      });

      it(`${path} comes in parts, always of its plain form`, async () => {
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

    it('is refused beyond its end', async () => {
      const answer = await get('/stored.txt', { range: `bytes=${TEXT.length}-` });
      expect([answer.status, answer.headers['content-range']]).to.deep.equal([416, `bytes */${TEXT.length}`]);
      expect(answer.body).to.have.length(0);
      expect((await get('/empty.txt', { range: 'bytes=0-' })).headers['content-range']).to.equal('bytes */0');
    });

    it('comes whole when several parts, another unit or nonsense are asked for, and for HEAD', async () => {
      for (const range of ['bytes=0-1,4-5', 'lines=1-2', 'bytes=9-1', 'bytes=']) {
        expect((await get('/', { range })).status, range).to.equal(200);
      }
      expect((await get('/', { range: 'bytes=0-1' }, 'HEAD')).status).to.equal(200);
    });

    it('comes whole when If-Range names another form, or no tag', async () => {
      const { etag = '' } = (await get('/')).headers;
      const { etag: zipped = '' } = (await get('/', GZIP)).headers;
      const date = 'Sat, 21 Nov 2026 09:44:24 GMT';
      for (const [condition, status] of [
        [etag, 206],
        [zipped, 200],
        [`W/${etag}`, 200],
        [date, 200],
      ] as const) {
        const answer = await get('/', { range: 'bytes=0-3', 'if-range': condition });
        expect(answer.status, condition).to.equal(status);
      }
    });

    it('is not sent again to who has it, form by form', async () => {
      const { etag = '' } = (await get('/')).headers;
      const { etag: zipped = '' } = (await get('/', GZIP)).headers;
      expect(etag).not.to.equal(zipped);
      for (const [headers, own, status] of [
        [{}, etag, 304],
        [{}, `W/${etag}`, 304],
        [{}, `"x", ${etag}`, 304],
        [{}, '*', 304],
        [{}, zipped, 200],
        [GZIP, zipped, 304],
        [GZIP, etag, 200],
        [{ range: 'bytes=0-1' }, etag, 304],
        [{}, '"x"', 200],
        [{}, '', 200],
      ] as const) {
        const answer = await get('/', { ...headers, 'if-none-match': own });
        expect(answer.status, own).to.equal(status);
        if (status !== 304) continue;
        expect(answer.body).to.have.length(0);
        expect(answer.headers.etag).to.equal('accept-encoding' in headers ? zipped : etag);
      }
    });

    it('fails a precondition that names another', async () => {
      const { etag = '' } = (await get('/')).headers;
      expect((await get('/', { 'if-match': '"x"' })).status).to.equal(412);
      expect((await get('/', { 'if-match': `W/${etag}` })).status).to.equal(412);
      expect((await get('/', { 'if-match': etag })).status).to.equal(200);
      expect((await get('/', { 'if-match': '*' })).status).to.equal(200);
    });

    it('that stands in for what is missing has the status 404, whatever is asked of it', async () => {
      const answer = await get('/nothing.png', { ...GZIP, 'if-none-match': '*', range: 'bytes=0-1' });
      expect([answer.status, gunzipSync(answer.body).toString()]).to.deep.equal([404, 'not here']);
    });

    it('stands in for a path that no file can have, too', async () => {
      for (const path of ['/%', '/%FF', '/tide%2Ftable', '/%C0%AF/x']) {
        const answer = await get(path, GZIP);
        expect([answer.status, gunzipSync(answer.body).toString()], path).to.deep.equal([404, 'not here']);
      }
    });

    it('names its charset only where it is proved', async () => {
      expect((await get('/sjis.html')).headers['content-type']).to.equal('text/html');
      expect((await get('/large.bin')).headers['content-type']).to.equal('application/octet-stream');
    });
  });
}

describe('the path of a file', () => {
  let rig: Rig;
  let id: RoleId;
  before(async () => {
    rig = await openRig();
    id = await rig.publish({
      'index.html': 'home',
      'café/港.html': 'harbour',
      'a b+c.txt': 'spaces',
      '100%.txt': 'percent',
      'x.html': 'x',
      'x/index.html': 'folder x',
      'only/index.html': 'folder only',
    });
  });
  after(() => rig.close());

  const get = (path: string, headers: Ask['headers'] = {}) => rig.askSite(id, path, { headers });

  it('is decoded', async () => {
    const paths = {
      '/caf%C3%A9/%E6%B8%AF.html': 'harbour',
      '/cafe%CC%81/%e6%b8%af': 'harbour',
      '/a%20b+c.txt': 'spaces',
      '/100%25.txt': 'percent',
      '/%78': 'x',
      '/x': 'x',
      '/x/': 'folder x',
      '/x?y=/z': 'x',
      '/only/?q': 'folder only',
    };
    for (const [path, text] of Object.entries(paths)) expect((await get(path)).text, path).to.equal(text);
  });

  it('never leaves the site', async () => {
    const paths = ['/../x', '/%2e%2e/x', '/..%2fx', '/%2Fetc/passwd', '//x', '/x%00', '/x%2Fy', '/.', '/./x'];
    for (const path of [
      ...paths,
      '/%',
      '/%FF',
      '/%C0%AE',
      '/a\\b',
      '/100%.txt',
      '/x//',
      '/only//index.html',
    ]) {
      expect((await get(path)).status, path).to.equal(404);
    }
  });

  it('leads into a folder with every byte of the query', async () => {
    const answer = await get('/only?a=%2F&b=//evil.example');
    expect(answer.status).to.equal(308);
    expect(answer.headers.location).to.equal(`http://${rig.siteHost(id)}/only/?a=%2F&b=//evil.example`);
  });

  it('falls back for navigations only, and says that it depends on them', async () => {
    const page = await get('/app/settings', NAVIGATION);
    expect([page.status, page.text, page.headers.vary]).to.deep.equal([
      200,
      'home',
      'Accept, Accept-Encoding',
    ]);
    const { etag = '' } = page.headers;
    const again = await get('/app/settings', { ...NAVIGATION, 'if-none-match': etag });
    expect([again.status, again.headers.vary]).to.deep.equal([304, 'Accept, Accept-Encoding']);
    expect((await get('/app/settings')).status).to.equal(404);
    expect((await get('/app/logo.png', NAVIGATION)).status).to.equal(404);
  });

  it('falls back for navigations to a path that no file can have, too', async () => {
    for (const path of ['/search/ebb%2Fflow', '/search/%FF', '/100%']) {
      const page = await get(path, NAVIGATION);
      expect([page.status, page.text, page.headers.vary], path).to.deep.equal([
        200,
        'home',
        'Accept, Accept-Encoding',
      ]);
    }
    expect((await get('/search/ebb%2Fflow.png', NAVIGATION)).status).to.equal(404);
  });

  it('that no file answers is a 404 page', async () => {
    const answer = await get('/logo.png', { 'accept-language': 'ja' });
    expect([answer.status, answer.headers['cache-control']]).to.deep.equal([404, 'no-store']);
    expect(answer.text).to.contain('<html lang="ja">');
  });
});
