import { days } from '@pinfold/core';
import { AssertionError, expect } from 'chai';
import { together } from '../concurrently.ts';
import { archivePart, multipart, titlePart } from '../fixtures/multipart.ts';
import { openRawConnection } from '../fixtures/raw-connection.ts';
import {
  ApiClient,
  expectProblem,
  listIds,
  type PublishRequest,
  publishSite,
  readPin,
  withClient,
} from './api-client.ts';
import type { ApiAnswer } from './api-exchange.ts';
import { siteZip } from './sites.ts';
import type { HttpClauses, HttpService, HttpSubject } from './subject.ts';

/** A publication in bytes, so that it can be interrupted anywhere. */
async function publicationBytes(service: HttpService, key: string): Promise<Buffer> {
  const form = multipart([archivePart(siteZip())]);
  const head = [
    'POST /api/v1/pins HTTP/1.1',
    `Host: ${new URL(service.baseUrl).host}`,
    `Authorization: Bearer ${service.keys.first}`,
    `Idempotency-Key: ${key}`,
    `Content-Type: ${form.contentType}`,
    `Content-Length: ${form.body.byteLength}`,
    '\r\n',
  ];
  return Buffer.concat([Buffer.from(head.join('\r\n')), form.body]);
}

/** Sends one publication many times at once, to the service and its peers. */
async function duplicates(subject: HttpSubject, count: number): Promise<readonly ApiAnswer[]> {
  const fields = { archive: siteZip('many'), title: 'once', key: `parallel-${count}` };
  return together(subject, count, (port) => new ApiClient(port).publish(fields));
}

function expectOneRole(answers: readonly ApiAnswer[]): void {
  const ids = new Set<string>();
  for (const { status, headers, body } of answers) {
    if (status === 200 || status === 201) ids.add(body.pin.id);
    else {
      expect(`${status} ${body.code}`).to.equal('409 idempotency_in_progress');
      expect(Number(headers['retry-after'])).to.be.within(1, 5);
      expect(body.retryable).to.equal(true);
    }
  }
  expect(answers.filter(({ status }) => status === 201)).to.have.length(1);
  expect(ids.size).to.equal(1);
}

/** Far more checks than are needed until a publication has ended. */
const MAX_TRIES = 20_000;

async function untilPublished(client: ApiClient, key: string): Promise<string> {
  for (let n = 0; n < MAX_TRIES; n += 1) {
    const [pin] = (await client.get(`/api/v1/pins?idempotency_key=${key}`)).body.pins;
    if (pin !== undefined) return pin.id;
  }
  throw new AssertionError('the publication was never listed');
}

export const idempotencyClauses: HttpClauses = {
  'http/replay: the same request again is 200 with the same role in its current state, and is marked as a replay':
    withClient(async (client, port) => {
      const fields = { archive: siteZip(), filename: 'a.zip', title: 'Spring', key: 'again' };
      const pin = await publishSite(port, fields);
      const replay = async (change: PublishRequest = {}) => {
        const { status, headers, body } = await client.publish({ ...fields, ...change });
        expect(status).to.equal(200);
        expect(headers['idempotent-replayed']).to.equal('true');
        return body.pin;
      };
      expect(await replay()).to.deep.equal(pin);
      expect(await replay({ key: '"again"' }), 'a quoted key').to.deep.equal(pin);
      expect(await replay({ filename: 'folder/a.zip' }), 'another path of the same name').to.deep.equal(pin);
      await port.advance(days(8));
      expect((await replay()).state).to.equal('expired');
      expect((await client.stop(pin.id)).status).to.equal(204);
      expect((await replay()).state).to.equal('deleted');
      const other = new ApiClient(port, port.keys.second);
      expect((await other.publish({ ...fields, title: 'Autumn' })).status, 'another account').to.equal(201);
      const untitled = { archive: fields.archive, key: 'untitled' };
      await publishSite(port, untitled);
      expect((await client.publish({ ...untitled, title: '' })).status, 'an empty title is none').to.equal(
        200,
      );
    }),
  'http/mismatch: the same key with another ZIP, file name or title is idempotency_mismatch and changes nothing':
    withClient(async (client, port) => {
      const fields = { archive: siteZip(), filename: 'a.zip', title: 'Spring', key: 'taken' };
      const pin = await publishSite(port, fields);
      const others: readonly PublishRequest[] = [
        { archive: siteZip('other') },
        { filename: 'A.zip' },
        { filename: 'b/b.zip' },
        { title: 'spring' },
        { title: '' },
      ];
      for (const other of others) {
        const answer = await client.publish({ ...fields, ...other });
        expectProblem(answer, 409, 'idempotency_mismatch', Object.keys(other)[0]);
        expect(answer.body.retryable).to.equal(false);
      }
      expect(await readPin(port, pin.id)).to.deep.equal(pin);
      expect((await client.publish(fields)).status).to.equal(200);
      expect(await listIds(port)).to.deep.equal([pin.id]);
    }),
  'http/key-freed: a refused request and one that broke off before its body was complete leave the key free':
    withClient(async (client, port) => {
      const archive = siteZip();
      const refused: readonly PublishRequest[] = [
        { archive: Buffer.from('no zip') },
        { archive, title: 'a\nb' },
        { archive, filename: '' },
        { parts: [archivePart(archive), { name: 'other', body: 'x' }] },
      ];
      for (const [n, fields] of refused.entries()) {
        const key = `freed-${n}`;
        expect((await client.publish({ ...fields, key })).status).to.equal(422);
        expect((await client.publish({ archive, title: 'corrected', key })).status).to.equal(201);
      }
      const bytes = await publicationBytes(port, 'broken-off');
      for (const length of [bytes.byteLength - 3, bytes.byteLength - 200]) {
        const connection = await openRawConnection(port.baseUrl);
        await connection.send(bytes.subarray(0, length));
        connection.destroy();
      }
      expect((await client.publish({ archive, title: 'whole', key: 'broken-off' })).status).to.equal(201);
    }),
  'http/parallel: of 30 and of 100 concurrent identical requests exactly one publishes; the others are replays or in progress':
    async (subject) => {
      expectOneRole(await duplicates(subject, 30));
      expectOneRole(await duplicates(subject, 100));
      expect(await listIds(subject.port)).to.have.length(2);
    },
  'http/parallel-mismatch: of concurrent different requests with one key exactly one publishes; no other becomes its replay':
    async (subject) => {
      const archive = siteZip();
      const answers = await together(subject, 12, (port, n) =>
        new ApiClient(port).publish({ archive, title: `title ${n}`, key: 'contended' }),
      );
      const published = answers.filter(({ status }) => status === 201);
      expect(published).to.have.length(1);
      for (const answer of answers) {
        if (!published.includes(answer)) expectProblem(answer, 409, 'idempotency_mismatch');
      }
    },
  'http/client-gone: once the whole body has arrived, a publication completes although its client has gone, and binds the key':
    withClient(async (client, port) => {
      const connection = await openRawConnection(port.baseUrl);
      await connection.send(await publicationBytes(port, 'left'));
      connection.end();
      connection.destroy();
      const id = await untilPublished(client, 'left');
      const replay = await client.publish({ archive: siteZip(), key: 'left' });
      expect(replay.status).to.equal(200);
      expect(replay.body.pin.id).to.equal(id);
      expectProblem(
        await client.publish({ parts: [archivePart(siteZip()), titlePart('x')], key: 'left' }),
        409,
        'idempotency_mismatch',
      );
    }),
};
