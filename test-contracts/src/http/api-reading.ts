import { days, duration } from '@pinfold/core';
import { expect } from 'chai';
import {
  ApiClient,
  expectProblem,
  listIds,
  type PublishRequest,
  publishSite,
  readPin,
  UNKNOWN_ID,
  withClient,
} from './api-client.ts';
import type { ApiAnswer } from './api-exchange.ts';
import { siteZip, zipOf } from './sites.ts';
import type { HttpClauses, HttpService } from './subject.ts';

const SECOND = duration(1_000);

/** Publishes sites a second apart; returns their ids, newest first. */
async function publishMany(service: HttpService, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    ids.unshift((await publishSite(service, { title: `site ${n}` })).id);
    await service.advance(SECOND);
  }
  return ids;
}

async function walk(service: HttpService, query: string): Promise<readonly (readonly string[])[]> {
  const client = new ApiClient(service);
  const pages: (readonly string[])[] = [];
  let cursor = '';
  for (;;) {
    const { body } = await client.get(`/api/v1/pins?${query}${cursor}`);
    pages.push(body.pins.map(({ id }) => id));
    if (body.next_cursor === null) return pages;
    cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`;
  }
}

export const readingClauses: HttpClauses = {
  'http/read: a role of the account is read in any state and by its id in any letter case, and expires at its exact instant':
    withClient(async (client, port) => {
      const pin = await publishSite(port);
      expect((await client.read(pin.id.toUpperCase())).body.pin).to.deep.equal(pin);
      expect((await new ApiClient(port, port.keys.readOnly).read(pin.id)).body.pin).to.deep.equal(pin);
      const lifetime = Date.parse(pin.expires_at ?? '') - Date.parse(pin.published_at);
      await port.advance(duration(lifetime - 1));
      expect((await readPin(port, pin.id)).state).to.equal('published');
      await port.advance(duration(1));
      expect(await readPin(port, pin.id)).to.deep.equal({ ...pin, state: 'expired' });
      expect((await client.stop(pin.id)).status).to.equal(204);
      expect((await readPin(port, pin.id)).state).to.equal('deleted');
    }),
  'http/not-found: an unknown id, a text that is no UUID and the role of another account are one and the same 404, in every request':
    async ({ port }) => {
      const { id } = await publishSite(port);
      const otherClient = new ApiClient(port, port.keys.second);
      const comparable = (text: string) => text.replace(/urn:uuid:[0-9a-f-]+/g, 'urn:uuid:x');
      const answers = new Set<string>();
      for (const path of [id, UNKNOWN_ID, 'x', `${id}x`, '%20', '%zz', '%2e%2e', `{${id}}`]) {
        for (const answer of [
          await otherClient.read(path),
          await otherClient.update(path, { title: 'mine' }),
          await otherClient.stop(path),
        ]) {
          expectProblem(answer, 404, 'not_found', path);
          answers.add(comparable(answer.text));
        }
      }
      expect(answers.size).to.equal(1);
      expect((await readPin(port, id)).title).to.equal(null);
      expect((await otherClient.get('/api/v1/pins')).body.pins).to.deep.equal([]);
    },
  'http/list: a list has the account’s roles newest first, without deleted ones, by pages of 1 to 100, and by state':
    withClient(async (client, port) => {
      const ids = await publishMany(port, 22);
      const [newest = '', second = ''] = ids;
      expect(await walk(port, '')).to.deep.equal([ids.slice(0, 20), ids.slice(20)]);
      expect(await walk(port, 'limit=1')).to.deep.equal(ids.map((id) => [id]));
      expect(await walk(port, 'limit=11')).to.deep.equal([ids.slice(0, 11), ids.slice(11)]);
      expect(await walk(port, 'limit=100')).to.deep.equal([ids]);
      expect((await client.stop(newest)).status).to.equal(204);
      await port.pin(second);
      await port.advance(days(7));
      const late = await publishSite(port);
      const others = ids.slice(2);
      expect(await listIds(port)).to.deep.equal([late.id, ...ids.slice(1)]);
      expect(await listIds(port, '?limit=100&state=published')).to.deep.equal([late.id, second]);
      expect(await walk(port, 'limit=15&state=expired')).to.deep.equal([
        others.slice(0, 15),
        others.slice(15),
      ]);
      expect(await listIds(port, '?state=deleted')).to.deep.equal([newest]);
      const [pin] = (await client.get('/api/v1/pins?limit=1')).body.pins;
      expect(pin).to.deep.equal(late);
    }),
  'http/list-query: a wrong value, an unknown or repeated parameter and a foreign cursor are invalid_request':
    withClient(async (client, port) => {
      await publishMany(port, 2);
      const { next_cursor: cursor } = (await client.get('/api/v1/pins?limit=1&state=published')).body;
      const ours = encodeURIComponent(cursor ?? '');
      const limits = ['0', '101', '-1', '1.5', '1e1', '010', '', 'x', '%31%30%31'].map(
        (value) => `limit=${value}`,
      );
      const states = ['state=', 'state=Published', 'state=pinned'];
      const cursors = [
        'cursor=',
        'cursor=x',
        `cursor=${ours}`,
        `state=expired&cursor=${ours}`,
        `cursor=${ours}x`,
      ];
      const keys = [
        'idempotency_key=',
        `idempotency_key=${'x'.repeat(256)}`,
        'idempotency_key=caf%C3%A9',
        `idempotency_key=${port.keys.first}`,
      ];
      const alone = [
        'idempotency_key=a&limit=1',
        'idempotency_key=a&state=published',
        'idempotency_key=a&cursor=x',
      ];
      const names = [
        'offset=1',
        'Limit=1',
        'limit=1&limit=1',
        'idempotency_key=a&idempotency_key=a',
        'limit=1&x',
        '__proto__=1',
        'constructor=1',
      ];
      for (const query of [...limits, ...states, ...cursors, ...keys, ...alone, ...names]) {
        expectProblem(await client.get(`/api/v1/pins?${query}`), 400, 'invalid_request', query);
      }
      const page = `/api/v1/pins?limit=1&state=published&cursor=${ours}`;
      expectProblem(await new ApiClient(port, port.keys.second).get(page), 400, 'invalid_request');
      for (const key of [port.keys.first, port.keys.readOnly]) {
        expect((await new ApiClient(port, key).get(page)).status).to.equal(200);
      }
      const [id = ''] = await listIds(port);
      expectProblem(await client.get(`/api/v1/pins/${id}?limit=1`), 400, 'invalid_request');
      expectProblem(await client.get('/api/v1/limits?x=1'), 400, 'invalid_request');
    }),
  'http/list-key: an Idempotency-Key finds the one role it published, in any state, and none of another account':
    withClient(async (client, port) => {
      const find = async (key: string, by = client) => {
        const { status, body } = await by.get(`/api/v1/pins?idempotency_key=${encodeURIComponent(key)}`);
        expect(status).to.equal(200);
        expect(body.next_cursor).to.equal(null);
        return body.pins.map(({ id }) => id);
      };
      const { id } = await publishSite(port, { key: 'lost answer & more' });
      await publishSite(port, { key: 'another' });
      expect((await client.publish({ archive: Buffer.from('no zip'), key: 'refused' })).status).to.equal(422);
      expect(await find('lost answer & more')).to.deep.equal([id]);
      expect(await find('"lost answer & more"')).to.deep.equal([id]);
      expect(await find('Lost answer & more')).to.deep.equal([]);
      expect(await find('refused')).to.deep.equal([]);
      const digits = await publishSite(port, { key: '5' });
      expect(await find('5'), 'a key of digits').to.deep.equal([digits.id]);
      expect(await find('lost answer & more', new ApiClient(port, port.keys.second))).to.deep.equal([]);
      expect((await client.stop(id)).status).to.equal(204);
      expect(await find('lost answer & more')).to.deep.equal([id]);
    }),
  'http/limits: the answer has the limits in force': withClient(async (client) => {
    const { limits } = (await client.get('/api/v1/limits')).body;
    expect(Object.keys(limits)).to.have.members(
      [
        'archive_bytes expanded_bytes files file_bytes title_characters idempotency_key_characters',
        'password_min_characters password_max_bytes lifetime_days',
      ].flatMap((names) => names.split(' ')),
    );
    const publish = (fields: PublishRequest) => client.publish({ archive: siteZip(), ...fields });
    const protect = (password: string) => publish({ headers: { 'Pinfold-Password': password } });
    const counted = (files: number) =>
      zipOf(
        Object.fromEntries(Array.from({ length: files }, (_, n) => [n === 0 ? 'index.html' : `${n}`, ''])),
      );
    const atLimit: Readonly<Record<string, readonly [(size: number) => Promise<ApiAnswer>, string]>> = {
      title_characters: [(size) => publish({ title: 'x'.repeat(size) }), '422 invalid_title'],
      idempotency_key_characters: [
        (size) => publish({ key: 'x'.repeat(size) }),
        '400 invalid_idempotency_key',
      ],
      files: [(size) => publish({ archive: counted(size) }), '422 invalid_archive'],
      file_bytes: [
        (size) => publish({ archive: zipOf({ 'index.html': '', 'data.bin': new Uint8Array(size) }) }),
        '422 invalid_archive',
      ],
      password_max_bytes: [(size) => protect('x'.repeat(size)), '422 invalid_password'],
    };
    for (const [name, [publishOf, problem]] of Object.entries(atLimit)) {
      const limit = limits[name] ?? 0;
      expect((await publishOf(limit)).status, name).to.equal(201);
      const { status, body } = await publishOf(limit + 1);
      expect(`${status} ${body.code}`, name).to.equal(problem);
    }
    const { password_min_characters: least = 0 } = limits;
    expect((await protect('x'.repeat(least))).status).to.equal(201);
    expectProblem(await protect('x'.repeat(least - 1)), 422, 'invalid_password');
  }),
};
