import { expect } from 'chai';
import { archivePart } from '../fixtures/multipart.ts';
import { costlyReferences } from '../fixtures/zips/costly-zips.ts';
import { writeZip } from '../fixtures/zips/zip-writer.ts';
import {
  ApiClient,
  expectProblem,
  listIds,
  type PublishRequest,
  publishSite,
  readPin,
  withClient,
} from './api-client.ts';
import { siteZip, zipOf } from './sites.ts';
import type { HttpClauses } from './subject.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const DAY = 86_400_000;

/** Names as they are sent in the head of the archive's part, and as they appear in the pin. */
const FILENAMES = [
  ['filename="日本.zip"', '日本.zip'],
  ['filename=plain.zip', 'plain.zip'],
  ['filename="C:\\\\sites\\\\spring.zip"', 'spring.zip'],
  ['filename="C:\\sites\\autumn.zip"', 'autumn.zip'],
  ['filename="a/b/c.zip"', 'c.zip'],
  ['filename="a/.."', '..'],
  ['filename="say %22hi%22.zip"', 'say "hi".zip'],
  ["filename*=UTF-8''%E6%97%A5.zip", '日.zip'],
  ["filename*=utf-8'ja'x%2Fy.zip", 'y.zip'],
  ['filename="old.zip"; filename*=UTF-8\'\'new.zip', 'new.zip'],
  ['filename*=UTF-8\'\'new.zip; filename="old.zip"', 'new.zip'],
  // A value that cannot be decoded is ignored (RFC 8187, section 3.2.1).
  ['filename*=UTF-8\'\'%zz; filename="old.zip"', 'old.zip'],
  ['filename="old.zip"; filename*=none\'\'new.zip', 'old.zip'],
  ['filename="old.zip"; filename*="new.zip"', 'old.zip'],
  [`filename="${'𠮷'.repeat(251)}.zip"`, `${'𠮷'.repeat(251)}.zip`],
] as const;

const BAD_FILENAMES = [
  Buffer.from('filename=""'),
  Buffer.from('filename="folder/"'),
  Buffer.from(`filename="${'x'.repeat(252)}.zip"`),
  Buffer.from('filename="a%0Ab.zip"'),
  Buffer.from('filename="a\u0085b.zip"'),
  Buffer.from('filename="a.zip"; filename*=UTF-8\'\'%FF.zip'),
  Buffer.from('filename="a.zip"; filename*=UTF-8\'\''),
  Buffer.from('filename*=a.zip'),
  Buffer.from('filename="a\ufffdb.zip"'),
  Buffer.concat([Buffer.from('filename="'), Buffer.from([0xe9]), Buffer.from('.zip"')]),
];

/** A ZIP as Explorer writes it in Japan, with a page that links to 会社.html. */
function japaneseZip(): Uint8Array {
  const name = Buffer.from('89ef8ed02e68746d6c', 'hex');
  const page = { name: 'index.html', content: '<a href="%E4%BC%9A%E7%A4%BE.html">x</a>' };
  return writeZip({ entries: [page, { name, content: 'x', both: { flags: 0 }, central: { host: 0 } }] });
}

export const publishingClauses: HttpClauses = {
  'http/publish-created: a new publication is 201 with its pin, its warnings and its address, and lives as long as the limits say':
    withClient(async (client, port) => {
      const archive = zipOf({ 'site/': '', 'site/index.html': 'hello', 'site/a/b.txt': '12345' });
      const { status, headers, body } = await client.publish({ archive, filename: 'spring.zip' });
      expect(status).to.equal(201);
      const { pin } = body;
      expect(pin.id).to.match(UUID);
      expect(headers.location).to.equal(`${port.baseUrl}/api/v1/pins/${pin.id}`);
      const { lifetime_days: lifetime = 0 } = (await client.get('/api/v1/limits')).body.limits;
      expect(pin).to.deep.equal({
        id: pin.id,
        title: null,
        state: 'published',
        shared_url: `${port.baseUrl}/s/${pin.id}`,
        password_protected: false,
        pinned: false,
        published_at: new Date(pin.published_at).toISOString(),
        expires_at: new Date(Date.parse(pin.published_at) + lifetime * DAY).toISOString(),
        deleted_at: null,
        file_count: 2,
        size: 10,
        original_filename: 'spring.zip',
      });
      expect(body.warnings).to.deep.equal([]);
      expect(await readPin(port, pin.id)).to.deep.equal(pin);
    }),
  'http/title: a title of up to 255 code points is stored as sent, an empty one is none, others are invalid_title':
    withClient(async (client, port) => {
      const archive = siteZip();
      for (const title of ['Spring', ' 春の𠮷 ', '𠮷'.repeat(255), 'a"b%22\\c', '%0A', '\ufeffx']) {
        expect((await publishSite(port, { archive, title })).title).to.equal(title);
      }
      expect((await publishSite(port, { archive, title: '' })).title).to.equal(null);
      const first = [{ name: 'title', body: 'before the file' }, archivePart(archive)];
      expect((await publishSite(port, { parts: first })).title).to.equal('before the file');
      const wrong = ['x'.repeat(256), 'a\u0000b', 'a\nb', 'a\u0085b', 'x'.repeat(200_000)].map((text) =>
        Buffer.from(text),
      );
      const undecoded = [Buffer.from('a\ufffdb'), Buffer.from([0x61, 0xff]), Buffer.from([0xed, 0xa0, 0x80])];
      for (const body of [...wrong, ...undecoded]) {
        const parts = [archivePart(archive), { name: 'title', type: 'text/plain; charset=utf-8', body }];
        expectProblem(await client.publish({ parts }), 422, 'invalid_title', String(body.subarray(0, 20)));
      }
    }),
  'http/filename: the original file name is the last segment of the sent name, filename* before filename, or invalid_form':
    withClient(async (client) => {
      const archive = siteZip();
      const publish = (filename: string | Uint8Array) => {
        const head = Buffer.concat([
          Buffer.from('Content-Disposition: form-data; name="archive"; '),
          Buffer.from(filename),
          Buffer.from('\r\nContent-Type: application/zip'),
        ]);
        return client.publish({ parts: [{ name: 'archive', head, body: archive }] });
      };
      for (const [sent, stored] of FILENAMES) {
        const { status, body, text } = await publish(sent);
        expect(status, `${sent}: ${text}`).to.equal(201);
        expect(body.pin.original_filename, sent).to.equal(stored);
      }
      for (const sent of BAD_FILENAMES) {
        expectProblem(await publish(sent), 422, 'invalid_form', sent.toString('latin1'));
      }
    }),
  'http/warnings: warnings name likely mistakes of a site, and that not all was checked; they never change the status, and a replay repeats them':
    withClient(async (client) => {
      const files = {
        'index.html': '<img src="LOGO.png"><a href="gone.html">x</a>',
        'logo.png': 'x',
        'app.js': 'const key = `-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----`;',
        'app.js.map': '{}',
        'sw-register.js': 'navigator.serviceWorker.register("sw.js")',
        '.npmrc': 'x',
        _redirects: '/a /b',
      };
      const fields = { archive: zipOf(files), key: 'warned' };
      const { status, body } = await client.publish(fields);
      expect(status).to.equal(201);
      const rules = body.warnings.map(({ rule }) => rule);
      expect(rules).to.include.members(
        'case_mismatch broken_reference source_map possible_secret service_worker unused_server_file'.split(
          ' ',
        ),
      );
      const suspected = body.warnings.filter(({ rule }) => rule === 'possible_secret');
      expect(suspected.map(({ path }) => path)).to.have.members(['app.js', '.npmrc']);
      expect((await client.publish(fields)).body.warnings).to.deep.equal(body.warnings);
      const decoded = await client.publish({ archive: japaneseZip(), key: 'decoded' });
      expect(decoded.body.warnings.map(({ rule, path }) => [rule, path])).to.deep.equal([
        ['names_decoded', '会社.html'],
      ]);
      expect(decoded.body.warnings[0]?.detail).to.include('CP932');
      const costly = { archive: costlyReferences({ pages: 40 }), key: 'costly' };
      const first = await client.publish(costly);
      expect(first.status).to.equal(201);
      expect(first.body.warnings.length).to.be.at.most(20);
      const unchecked = first.body.warnings.filter(({ rule }) => rule === 'not_all_checked');
      expect(unchecked).to.have.length(1);
      expect((await client.publish(costly)).body.warnings).to.deep.equal(first.body.warnings);
    }),
  'http/publish-password: Pinfold-Password protects a publication from its commit on; it is no part of the fingerprint, and a replay and a dry run ignore it':
    withClient(async (client) => {
      const archive = siteZip();
      const publish = (password: string, fields: PublishRequest = {}) =>
        client.publish({ archive, headers: { 'Pinfold-Password': password }, ...fields });
      for (const password of ['12345678', 'x'.repeat(72), 'caf%C3%A9%20%2B+%25', '%F0%9F%94%91'.repeat(8)]) {
        const { status, body, text } = await publish(password);
        expect([status, body.pin.password_protected], text).to.deep.equal([201, true]);
      }
      const wrong = [
        '',
        '1234567',
        'x'.repeat(73),
        'a%2',
        'abcdefgh%zz',
        '%FF'.repeat(8),
        '%ED%A0%80'.repeat(8),
      ];
      for (const password of [...wrong, 'caf\u00e9 caf\u00e9']) {
        expectProblem(await publish(password), 422, 'invalid_password', password);
        expectProblem(await publish(password, { query: '?dry_run=true' }), 422, 'invalid_password', password);
      }
      const twice = { 'Pinfold-Password': ['long enough', 'long enough'] };
      expectProblem(await client.publish({ archive, headers: twice }), 400, 'invalid_request');
      expect((await publish('long%20enough', { query: '?dry_run=true' })).body.pin).to.equal(null);
      const open = await client.publish({ archive, key: 'open' });
      const replayed = await publish('long%20enough', { key: 'open' });
      expect([replayed.status, replayed.body.pin]).to.deep.equal([200, open.body.pin]);
      const first = await publish('long%20enough', { key: 'closed' });
      const again = await client.publish({ archive, key: 'closed' });
      expect([again.status, again.body.pin]).to.deep.equal([200, first.body.pin]);
      const broken = await publish('long%20enough', { key: 'free', archive: Buffer.from('no zip') });
      expectProblem(broken, 422, 'invalid_archive');
      expect((await publish('long%20enough', { key: 'free' })).status).to.equal(201);
    }),
  'http/dry-run: a dry run makes all checks without an Idempotency-Key, stores nothing and binds no key':
    withClient(async (client, port) => {
      const archive = zipOf({ 'index.html': '<a href="gone.html">x</a>', 'a.txt': '1234' });
      const dry = { query: '?dry_run=true' };
      for (const key of [null, 'dry', '', ['one', 'two']]) {
        const { status, body } = await client.publish({ archive, key, ...dry });
        expect(status).to.equal(200);
        expect(body.pin).to.equal(null);
        expect(body.archive).to.deep.equal({ file_count: 2, size: 29 });
        expect(body.warnings.map(({ rule }) => rule)).to.deep.equal(['broken_reference']);
      }
      expectProblem(await client.publish({ archive: Buffer.from('no zip'), ...dry }), 422, 'invalid_archive');
      expectProblem(await client.publish({ archive, title: 'a\nb', ...dry }), 422, 'invalid_title');
      expectProblem(await client.publish({ archive, filename: '', ...dry }), 422, 'invalid_form');
      const readOnly = new ApiClient(port, port.keys.readOnly);
      expectProblem(await readOnly.publish({ archive, ...dry }), 403, 'forbidden');
      for (const query of ['?dry_run=1', '?dry_run=', '?dry_run=true&dry_run=true', '?dryrun=true']) {
        expectProblem(await client.publish({ archive, query }), 400, 'invalid_request', query);
      }
      expect(await listIds(port)).to.deep.equal([]);
      expect((await client.publish({ archive, key: 'dry', query: '?dry_run=false' })).status).to.equal(201);
    }),
};
