import { expect } from 'chai';
import { archivePart, type FormPart, titlePart } from '../fixtures/multipart.ts';
import { repeatedEntries } from '../fixtures/zips/costly-zips.ts';
import { ApiClient, expectProblem, listIds, publishSite, withClient } from './api-client.ts';
import type { ApiRequest } from './api-exchange.ts';
import { siteZip, siteZipOf, zipOf } from './sites.ts';
import type { HttpClauses, HttpService } from './subject.ts';

const FORM = 'multipart/form-data; boundary=b';

function rawPublication(type: string | undefined, body: string | Uint8Array): ApiRequest {
  const typed = type === undefined ? {} : { 'Content-Type': type };
  return { method: 'POST', path: '/api/v1/pins', headers: { 'Idempotency-Key': 'raw', ...typed }, body };
}

/** Bodies that are not a valid form. */
function brokenForms(): readonly ApiRequest[] {
  const part = 'Content-Disposition: form-data; name="archive"; filename="a.zip"\r\n\r\nx';
  const bodies = [
    '',
    'no form at all',
    `--b\r\n${part}`,
    `--b\r\n${part}\r\n--b`,
    `--b\r\n${part}\r\n--other--\r\n`,
    '--b\r\nContent-Disposition: form-data; name="archive"; filename="a.zip"',
    '--b\r\nno header\r\n\r\nx\r\n--b--\r\n',
    `--b\r\n${part.replace('a.zip', 'a\u0001.zip')}\r\n--b--\r\n`,
    `--b\r\nX-Long: ${'x'.repeat(70_000)}\r\n${part}\r\n--b--\r\n`,
  ];
  const whole = `--b\r\n${part}\r\n--b--\r\n`;
  return [
    ...bodies.map((body) => rawPublication(FORM, body)),
    rawPublication('multipart/form-data', whole),
    rawPublication('multipart/form-data; boundary=""', whole),
  ];
}

async function brokenUpdates(service: HttpService): Promise<readonly (string | Uint8Array)[]> {
  const { id } = await publishSite(service);
  expect((await new ApiClient(service).update(id, `{"title":"${' '.repeat(100)}x"}`)).status).to.equal(200);
  return ['', '{', '{"title":}', "{'title':'x'}", '{"title":"x"}x', `{"title":"${'x'.repeat(16_384)}"}`];
}

export const refusalClauses: HttpClauses = {
  'http/archive-size: an archive of exactly the limit is published, one byte more is 413 archive_too_large':
    withClient(async (client) => {
      const { archive_bytes: limit = 0 } = (await client.get('/api/v1/limits')).body.limits;
      const archive = siteZipOf(limit);
      expect(archive.byteLength).to.equal(limit);
      expect((await client.publish({ archive })).status).to.equal(201);
      const larger = Buffer.concat([archive, Buffer.alloc(1)]);
      expectProblem(await client.publish({ archive: larger }), 413, 'archive_too_large');
    }),
  'http/form: a form with another field, a repeated field, no archive, an archive without a file name or a title with one is invalid_form; a part that is not form-data is ignored':
    withClient(async (client, port) => {
      const bytes = siteZip();
      const archive = archivePart(bytes);
      const forms: readonly (readonly FormPart[])[] = [
        [],
        [titlePart('x')],
        [archive, archive],
        [titlePart('x'), archive, titlePart('x')],
        [archive, { name: 'other', body: '' }],
        [{ name: 'Archive', filename: 'a.zip', body: bytes }],
        [archive, { name: 'file', filename: 'b.zip', body: bytes }],
        [archive, { name: 'note', type: 'application/octet-stream', body: bytes }],
        [archive, { name: '', body: 'x' }],
        [archive, { name: 'title[]', body: 'x' }],
        [titlePart('x'.repeat(70_000))],
        [titlePart('x'.repeat(70_000)), archive, { name: 'other', body: '' }],
        [{ name: 'archive', head: 'Content-Type: application/zip', body: bytes }],
        [{ name: 'archive', head: 'Content-Disposition: attachment; filename="a.zip"', body: bytes }],
        [archive, { name: 'title', head: 'Content-Disposition: form-data', body: 'x' }],
        [archive, { name: 'title', type: 'text/plain; charset=none', body: 'x' }],
        [{ name: 'archive', body: bytes }],
        [{ name: 'archive', type: 'application/octet-stream', body: bytes }],
        [archive, { name: 'title', filename: 'title.txt', body: 'x' }],
      ];
      for (const parts of forms) {
        const names = parts.map(({ name, filename }) => `${name} ${filename ?? '-'}`).join(', ');
        expectProblem(await client.publish({ parts }), 422, 'invalid_form', names);
      }
      expect(await listIds(port)).to.deep.equal([]);
      const head =
        'Content-Disposition: attachment; name="other"; filename="x.html"\r\nContent-Type: text/html';
      const other = { name: 'other', head, body: 'x' };
      expect((await client.publish({ parts: [other, archive, other] })).status).to.equal(201);
    }),
  'http/media-type: media types other than form and ZIP to publish, and JSON to change, are 415; an archive without a type is accepted, and compressed JSON is not':
    withClient(async (client, port) => {
      const body = siteZip();
      const { id } = await publishSite(port);
      for (const type of [undefined, 'application/json', 'multipart/mixed; boundary=b', 'application/zip']) {
        expectProblem(await client.send(rawPublication(type, body)), 415, 'unsupported_media_type', type);
      }
      for (const type of [
        'text/html',
        'multipart/mixed; boundary=c',
        'application/gzip',
        'application/zip2',
        'zip',
        'application/',
        '/zip',
        'application zip',
        'application/zip zip',
        'application/zip, text/plain',
        '"application/zip"',
        '\r\n zip',
      ]) {
        const parts = [{ name: 'archive', filename: 'a.zip', type, body }];
        expectProblem(await client.publish({ parts }), 415, 'unsupported_media_type', type);
      }
      const zips = [
        'application/zip',
        'Application/X-Zip-Compressed',
        'application/octet-stream; charset=binary',
        'application/x-zip',
        'Application/X-Compressed',
        'application/x-compressed-zip',
        'multipart/x-zip',
        'application/zip;',
        'Application/Zip ; charset',
        '\r\n application/zip; name="a.zip',
      ];
      for (const type of [undefined, '', 'text/plain', ...zips]) {
        const part = { name: 'archive', filename: 'a.zip', body, ...(type === undefined ? {} : { type }) };
        expect((await client.publish({ parts: [part] })).status, type).to.equal(201);
      }
      for (const type of [
        undefined,
        'text/json',
        'application/merge-patch+json',
        'application/jsonx',
        'application/json, text/plain',
      ]) {
        const headers = type === undefined ? {} : { 'Content-Type': type };
        const update = { method: 'PATCH', path: `/api/v1/pins/${id}`, headers, body: '{"title":"x"}' };
        expectProblem(await client.send(update), 415, 'unsupported_media_type', type);
      }
      const headers = { 'Content-Type': 'Application/JSON ; charset=utf-8' };
      const update = { method: 'PATCH', path: `/api/v1/pins/${id}`, headers, body: '{"title":"x"}' };
      expect((await client.send(update)).status).to.equal(200);
      for (const [coding, status] of [
        ['gzip', 415],
        ['Identity', 200],
      ] as const) {
        const coded = { ...update, headers: { ...headers, 'Content-Encoding': coding } };
        expect((await client.send(coded)).status, coding).to.equal(status);
      }
    }),
  'http/broken-request: a body that is missing, malformed, or longer than 16 KiB of JSON is invalid_request':
    withClient(async (client, port) => {
      for (const request of brokenForms()) {
        const what = JSON.stringify(String(request.body).slice(0, 80));
        expectProblem(await client.send(request), 400, 'invalid_request', what);
      }
      const [{ id } = { id: '' }] = (await client.get('/api/v1/pins')).body.pins;
      expect(id, 'nothing was published').to.equal('');
      const pin = await publishSite(port);
      const bodies = [...(await brokenUpdates(port)), Buffer.from('{"title":"\xff"}', 'latin1')];
      for (const body of bodies) {
        expectProblem(await client.update(pin.id, body), 400, 'invalid_request', String(body).slice(0, 40));
      }
    }),
  'http/invalid-archive: an archive that breaks rules is invalid_archive with every broken rule and its path, at most 20 and the number of others':
    withClient(async (client, port) => {
      const two = zipOf({ 'page.html': 'x', 'a/.env': 'x', 'b/NODE_MODULES/x.js': 'x' });
      const refused = await client.publish({ archive: two });
      expectProblem(refused, 422, 'invalid_archive');
      expect(refused.body.errors.map(({ rule, path }) => `${rule} ${path ?? '-'}`)).to.have.members([
        'missing_index -',
        'forbidden_name a/.env',
        'forbidden_name b/NODE_MODULES/x.js',
      ]);
      const names = Array.from({ length: 25 }, (_, n) => [`d${n}/tmp/x`, 'x'] as const);
      const many = await client.publish({
        archive: zipOf({ 'index.html': 'x', ...Object.fromEntries(names) }),
      });
      expectProblem(many, 422, 'invalid_archive');
      expect(many.body.errors).to.have.length(20);
      expect(many.body.errors_omitted).to.equal(5);
      const crowded = await client.publish({ archive: repeatedEntries(65_534) });
      expectProblem(crowded, 422, 'invalid_archive');
      expect(crowded.body.errors.map(({ rule }) => rule)).to.deep.equal(['too_many_files']);
      expect(crowded.body.errors_omitted).to.equal(0);
      expectProblem(await client.publish({ archive: Buffer.from('no zip') }), 422, 'invalid_archive');
      expectProblem(await client.publish({ archive: new Uint8Array() }), 422, 'invalid_archive');
      expect(await listIds(port)).to.deep.equal([]);
    }),
  'http/idempotency-key: a publication needs one Idempotency-Key of 1 to 255 printable ASCII characters that does not contain the API key':
    withClient(async (client, port) => {
      const archive = siteZip();
      expectProblem(await client.publish({ archive, key: null }), 400, 'idempotency_key_required');
      const { first } = port.keys;
      const wrong = [
        '',
        '""',
        'x'.repeat(256),
        `"${'x'.repeat(256)}"`,
        'caf\u00e9',
        'a\tb',
        first,
        `retry ${first}`,
      ];
      for (const key of [...wrong, ['one', 'two'], ['same', 'same']]) {
        const answer = await client.publish({ archive, key });
        expectProblem(answer, 400, 'invalid_idempotency_key', String(key));
        expect(answer.text, 'without a secret').not.to.include(first);
      }
      for (const key of ['x', 'x'.repeat(255), `"${'y'.repeat(255)}"`, '~!#$%&*()']) {
        expect((await client.publish({ archive, key })).status, key).to.equal(201);
      }
    }),
};
