import { expect } from 'chai';
import { archivePart, multipart, titlePart } from '../fixtures/multipart.ts';
import { openRawConnection } from '../fixtures/raw-connection.ts';
import { ApiClient, publishSite, UNKNOWN_ID } from './api-client.ts';
import type { ApiRequest } from './api-exchange.ts';
import { siteZip, siteZipOf } from './sites.ts';
import type { HttpClauses, HttpService } from './subject.ts';

/** A mistake in a publication, and the answer to it. */
interface Faulty {
  readonly code: string;
  readonly spoil: (request: Publication) => Publication;
}

interface Publication {
  readonly key: string;
  readonly idempotencyKey: string;
  readonly password: string;
  readonly type: string | undefined;
  readonly extra: boolean;
  readonly title: string;
  readonly archive: Uint8Array;
}

/** The mistakes in the order in which the API checks them. */
async function publicationFaults(service: HttpService): Promise<readonly Faulty[]> {
  const taken = 'taken';
  await publishSite(service, { key: taken });
  const other = siteZip('other');
  return [
    { code: '401 unauthorized', spoil: (fields) => ({ ...fields, key: 'no-key' }) },
    { code: '403 forbidden', spoil: (fields) => ({ ...fields, key: service.keys.readOnly }) },
    { code: '400 invalid_idempotency_key', spoil: (fields) => ({ ...fields, idempotencyKey: '' }) },
    { code: '422 invalid_password', spoil: (fields) => ({ ...fields, password: 'short' }) },
    { code: '415 unsupported_media_type', spoil: (fields) => ({ ...fields, type: 'text/plain' }) },
    { code: '422 invalid_form', spoil: (fields) => ({ ...fields, extra: true }) },
    { code: '422 invalid_title', spoil: (fields) => ({ ...fields, title: 'a\nb' }) },
    {
      code: '409 idempotency_mismatch',
      spoil: (fields) => ({ ...fields, idempotencyKey: taken, archive: other }),
    },
    { code: '422 invalid_archive', spoil: (fields) => ({ ...fields, archive: Buffer.from('no zip') }) },
  ];
}

function requestOf({ idempotencyKey, password, type, extra, title, archive }: Publication): ApiRequest {
  const further = extra ? [{ name: 'extra', body: 'x' }] : [];
  const form = multipart([archivePart(archive), titlePart(title), ...further]);
  const headers = {
    'Idempotency-Key': idempotencyKey,
    'Pinfold-Password': password,
    'Content-Type': type ?? form.contentType,
  };
  return { method: 'POST', path: '/api/v1/pins', headers, body: form.body };
}

export const orderClauses: HttpClauses = {
  'http/order-publish: publishing checks key, scope, Idempotency-Key, password, media type, form, title, idempotency and ZIP rules in this order':
    async ({ port }) => {
      const faults = await publicationFaults(port);
      const sound: Publication = {
        key: port.keys.first,
        idempotencyKey: 'order',
        password: 'long%20enough',
        type: undefined,
        extra: false,
        title: 'fine',
        archive: siteZip(),
      };
      for (const [n, { code }] of faults.entries()) {
        // With all mistakes from this one on. The first is applied last, so that no other replaces it.
        const fields = faults.slice(n).reduceRight((spoilt, { spoil }) => spoil(spoilt), sound);
        const answer = await new ApiClient(port, fields.key).send(requestOf(fields));
        expect(`${answer.status} ${answer.body.code}`).to.equal(code);
      }
      expect((await new ApiClient(port).send(requestOf(sound))).status).to.equal(201);
    },
  'http/order-update: changing checks key, scope, media type, JSON, members, role and state in this order':
    async ({ port }) => {
      const { id } = await publishSite(port);
      const client = new ApiClient(port);
      expect((await client.stop(id)).status).to.equal(204);
      const send = (key: string, path: string, type: string, body: string) =>
        new ApiClient(port, key).send({
          method: 'PATCH',
          path: `/api/v1/pins/${path}`,
          headers: { 'Content-Type': type },
          body,
        });
      const { first, readOnly } = port.keys;
      const [text, json] = ['text/plain', 'application/json'];
      const title = '{"title":"x"}';
      const requests = [
        [`${first}x`, 'none', text, '{', '401 unauthorized'],
        [readOnly, 'none', text, '{', '403 forbidden'],
        [first, 'none', text, '{', '415 unsupported_media_type'],
        [first, 'none', json, '{', '400 invalid_request'],
        [first, 'none', json, '{}', '422 invalid_update'],
        ...['none', UNKNOWN_ID].map((to) => [first, to, json, '{"title":7}', '422 invalid_title']),
        ...['none', UNKNOWN_ID, id].map((to) => [
          first,
          to,
          json,
          '{"password":"short"}',
          '422 invalid_password',
        ]),
        ...['none', UNKNOWN_ID].map((to) => [first, to, json, title, '404 not_found']),
        [first, id, json, title, '409 invalid_state'],
      ] as [string, string, string, string, string][];
      for (const [key, to, type, body, problem] of requests) {
        const answer = await send(key, to, type, body);
        expect(`${answer.status} ${answer.body.code}`, body).to.equal(problem);
      }
    },
  'http/early-answer: an answer before the end of the body arrives at once and complete; the rest is read, then the connection closes':
    async ({ port }) => {
      const { archive_bytes: limit = 0 } = (await new ApiClient(port).get('/api/v1/limits')).body.limits;
      const form = multipart([archivePart(siteZipOf(limit + 4_096)), titlePart('x')]);
      const head = (authorization: string, type: string, close: string) =>
        [
          'POST /api/v1/pins HTTP/1.1',
          `Host: ${new URL(port.baseUrl).host}`,
          `Authorization: Bearer ${authorization}`,
          'Idempotency-Key: early',
          `Content-Type: ${type}`,
          `Content-Length: ${form.body.byteLength}`,
          ...(close === '' ? [] : [`Connection: ${close}`]),
          '\r\n',
        ].join('\r\n');
      const { first } = port.keys;
      const large = form.body.subarray(0, form.body.byteLength - 1_024);
      const cases = [
        [401, head('wrong', form.contentType, ''), Buffer.alloc(0)],
        [415, head(first, 'text/plain', ''), Buffer.alloc(0)],
        [413, head(first, form.contentType, ''), large],
        [401, head('wrong', form.contentType, 'close'), Buffer.alloc(0)],
      ] as const;
      for (const [status, start, sent] of cases) {
        const connection = await openRawConnection(port.baseUrl);
        try {
          await connection.send(start);
          await connection.send(sent);
          const answer = await connection.answer();
          expect(answer.status).to.equal(status);
          expect(answer.headers.get('connection')).to.equal('close');
          expect(JSON.parse(answer.body).status).to.equal(status);
          await connection.send(form.body.subarray(sent.byteLength));
          await connection.untilClosed();
        } finally {
          connection.destroy();
        }
      }
    },
};
