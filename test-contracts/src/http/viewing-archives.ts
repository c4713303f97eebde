import { duration } from '@pinfold/core';
import { expect } from 'chai';
import { ApiClient, expectProblem, publishSite, UNKNOWN_ID } from './api-client.ts';
import type { ApiAnswer } from './api-exchange.ts';
import { siteZipOf } from './sites.ts';
import type { HttpClauses, HttpService } from './subject.ts';
import { change, PASSWORD, stop } from './viewing-visitor.ts';

const WEEK = 7 * 86_400_000;
/** More bytes than one read of storage returns. */
const LARGE = 2 * 1_048_576 + 70_001;

async function publishZip(service: HttpService, bytes = 5_000, filename = 'site.zip') {
  const archive = siteZipOf(bytes);
  const { id } = await publishSite(service, { archive, filename });
  return { id, archive, path: `/api/v1/pins/${id}/archive` };
}

/** The headers that describe an answer with a ZIP or a part of it. */
function described({ headers }: ApiAnswer): Readonly<Record<string, unknown>> {
  const names = ['content-type', 'content-length', 'content-range', 'accept-ranges', 'cache-control'];
  return Object.fromEntries(
    [...names, 'content-encoding', 'transfer-encoding'].map((name) => [name, headers[name]]),
  );
}

const whole = (bytes: number) => ({
  'content-type': 'application/zip',
  'content-length': String(bytes),
  'content-range': undefined,
  'accept-ranges': 'bytes',
  'cache-control': 'no-store',
  'content-encoding': undefined,
  'transfer-encoding': undefined,
});

export const archiveClauses: HttpClauses = {
  'http/archive-whole: the owner gets the ZIP byte by byte as it was uploaded, never compressed, from every node, even of a protected publication':
    async (subject) => {
      const { port } = subject;
      const { id, archive, path } = await publishZip(port, LARGE);
      await change(port, id, { password: PASSWORD });
      const tags = new Set<unknown>();
      for (const service of [port, await subject.peer()]) {
        const client = new ApiClient(service);
        const answer = await client.send({ path, headers: { 'Accept-Encoding': 'gzip' } });
        expect(answer.status).to.equal(200);
        expect(described(answer)).to.deep.equal(whole(LARGE));
        expect(Buffer.compare(answer.bytes, archive)).to.equal(0);
        const head = await client.send({ method: 'HEAD', path });
        expect([head.status, described(head)]).to.deep.equal([200, whole(LARGE)]);
        tags.add(answer.headers.etag).add(head.headers.etag);
      }
      const sha256 = Buffer.from(await crypto.subtle.digest('SHA-256', new Uint8Array(archive)));
      expect([...tags]).to.deep.equal([`"${sha256.toString('hex')}"`]);
    },
  'http/archive-parts: one range is 206, several or malformed ones get the whole, and one beyond the end is 416 without a body':
    async ({ port }) => {
      const { archive, path } = await publishZip(port, LARGE);
      const client = new ApiClient(port);
      const ranges = (range: string, method = 'GET') =>
        client.send({ method, path, headers: { Range: range } });
      for (const [range, from, to] of [
        ['bytes=0-0', 0, 1],
        ['bytes=1048570-1048590', 1_048_570, 1_048_591],
        [`bytes=${LARGE - 5}-`, LARGE - 5, LARGE],
        ['bytes=-1100000', LARGE - 1_100_000, LARGE],
        [`bytes=5-${LARGE * 2}`, 5, LARGE],
      ] as const) {
        const answer = await ranges(range);
        expect(answer.status, range).to.equal(206);
        expect(described(answer), range).to.deep.equal({
          ...whole(to - from),
          'content-range': `bytes ${from}-${to - 1}/${LARGE}`,
        });
        expect(Buffer.compare(answer.bytes, archive.subarray(from, to)), range).to.equal(0);
      }
      for (const range of ['bytes=0-0,5-9', 'bytes=9-5', 'pages=1-2', 'bytes=x']) {
        const answer = await ranges(range);
        expect([answer.status, answer.bytes.length], range).to.deep.equal([200, LARGE]);
      }
      for (const range of [`bytes=${LARGE}-`, 'bytes=-0']) {
        const answer = await ranges(range);
        expect([answer.status, answer.bytes.length], range).to.deep.equal([416, 0]);
        expect(answer.headers['content-range']).to.equal(`bytes */${LARGE}`);
      }
      expect((await ranges('bytes=0-0', 'HEAD')).headers['content-length']).to.equal(String(LARGE));
    },
  'http/archive-conditions: a client that has the ZIP gets 304, If-Range with another tag gets the whole, and If-Match with another one 412':
    async ({ port }) => {
      const { archive, path } = await publishZip(port);
      const client = new ApiClient(port);
      const { etag = '' } = (await client.send({ method: 'HEAD', path })).headers;
      const answerTo = async (headers: Readonly<Record<string, string>>) => {
        const { status, bytes, headers: got } = await client.send({ path, headers });
        return [status, bytes.length, got.etag];
      };
      for (const tags of [etag, `"x", W/${etag}`, '*']) {
        expect(await answerTo({ 'If-None-Match': tags }), tags).to.deep.equal([304, 0, etag]);
      }
      expect(await answerTo({ 'If-None-Match': '"x"' })).to.deep.equal([200, archive.length, etag]);
      const Range = 'bytes=0-9';
      expect(await answerTo({ Range, 'If-Range': etag })).to.deep.equal([206, 10, etag]);
      for (const tag of ['"x"', `W/${etag}`, new Date().toUTCString()]) {
        expect(await answerTo({ Range, 'If-Range': tag }), tag).to.deep.equal([200, archive.length, etag]);
      }
      expect(await answerTo({ 'If-Match': '"x"' })).to.deep.equal([412, 0, undefined]);
      expect(await answerTo({ 'If-Match': etag })).to.deep.equal([200, archive.length, etag]);
    },
  'http/archive-name: the ZIP is an attachment with its uploaded name, which ends with .zip, even for clients that read only ASCII':
    async ({ port }) => {
      for (const [filename, plain, encoded] of [
        ['catalogue.zip', 'catalogue.zip', 'catalogue.zip'],
        ["港 (1) '50%'.zip", "_ (1) '50_'.zip", '%E6%B8%AF%20%281%29%20%2750%25%27.zip'],
        ['😀.zip', '_.zip', '%F0%9F%98%80.zip'],
        ['SITE.ZIP', 'SITE.ZIP', 'SITE.ZIP'],
        ['photo.bat', 'photo.bat.zip', 'photo.bat.zip'],
        ['page\u202epiz.html', 'page_piz.html.zip', 'page%E2%80%AEpiz.html.zip'],
        ['.profile', '.profile.zip', '.profile.zip'],
      ] as const) {
        const { path } = await publishZip(port, 5_000, filename);
        const { headers } = await new ApiClient(port).send({ method: 'HEAD', path });
        expect(headers['content-disposition']).to.equal(
          `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`,
        );
      }
    },
  'http/archive-refused: method, scope, role and state are checked in this order; an expired publication still has its ZIP, and a stopped one does not':
    async ({ port }) => {
      const { id, archive, path } = await publishZip(port);
      const own = new ApiClient(port);
      const missing = `/api/v1/pins/${UNKNOWN_ID}/archive`;
      expectProblem(await own.send({ method: 'POST', path: missing }), 405, 'method_not_allowed');
      expectProblem(await new ApiClient(port, port.keys.readOnly).get(missing), 403, 'forbidden');
      for (const none of [missing, '/api/v1/pins/no-uuid/archive'])
        expectProblem(await own.get(none), 404, 'not_found');
      expectProblem(await new ApiClient(port, port.keys.second).get(path), 404, 'not_found');
      expectProblem(await own.get(`${path}?download=1`), 400, 'invalid_request');
      expect((await own.get(path.replace(id, id.toUpperCase()))).status).to.equal(200);
      await port.advance(duration(WEEK));
      const expired = await own.get(path);
      expect([expired.status, expired.bytes.length]).to.deep.equal([200, archive.length]);
      await stop(port, id);
      expectProblem(await own.get(path), 409, 'invalid_state');
      expect((await own.send({ method: 'HEAD', path })).status).to.equal(409);
    },
};
