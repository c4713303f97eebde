import { days } from '@pinfold/core';
import { expect } from 'chai';
import { together } from '../concurrently.ts';
import { ApiClient, expectProblem, publishSite, UNKNOWN_ID, withClient } from './api-client.ts';
import type { ApiAnswer, WireName } from './api-exchange.ts';
import { siteZip } from './sites.ts';
import type { HttpClauses, HttpService } from './subject.ts';

const MALFORMED = ['-a', 'a-', 'A', 'a_b', 'a.b', 'a%20b', '%61', 'x'.repeat(64), 'é', '%C3%A9'];

async function publishTo(service: HttpService, name: string, files = name): Promise<ApiAnswer> {
  const answer = await new ApiClient(service).publish({
    archive: siteZip(files),
    query: `?name=${name}`,
  });
  expect(answer.status, answer.text).to.equal(201);
  return answer;
}

async function readName(service: HttpService, name: string): Promise<WireName> {
  const answer = await new ApiClient(service).get(`/api/v1/names/${name}`);
  expect(answer.status, answer.text).to.equal(200);
  return answer.body.name;
}

export const nameClauses: HttpClauses = {
  'http/publish-name: a publication to a name answers with the name in its current state, which shows it; a replay moves nothing, the name is no part of the fingerprint, and a dry run only checks its form':
    withClient(async (client, port) => {
      const archive = siteZip();
      const publish = (key: string, query: string) => client.publish({ archive, key, query });
      const first = await publish('first', '?name=pr-42');
      expect(first.status, first.text).to.equal(201);
      const { name } = first.body;
      expect(name.url).to.match(/\/n\/pr-42-[0-9A-Za-z]{22}$/);
      expect(name.url.startsWith(`${port.baseUrl}/n/`)).to.equal(true);
      expect(name).to.deep.include({ name: 'pr-42', pin: first.body.pin.id });
      const second = await publish('second', '?name=pr-42');
      expect(second.body.name).to.deep.include({ name: 'pr-42', url: name.url, pin: second.body.pin.id });
      const replayed = await publish('first', '?name=pr-42');
      expect([replayed.status, replayed.body.name]).to.deep.equal([200, second.body.name]);
      const otherwise = await publish('first', '?name=never-made');
      expect([otherwise.status, otherwise.body.name]).to.deep.equal([200, null]);
      expect('name' in (await publish('first', '')).body, 'without a name').to.equal(false);
      const dry = await publish('dry', '?dry_run=true&name=new');
      expect([dry.status, dry.body.name]).to.deep.equal([200, null]);
      expectProblem(await client.get('/api/v1/names/new'), 404, 'not_found');
      expect(await readName(port, 'pr-42')).to.deep.equal(second.body.name);
      await client.send({ method: 'DELETE', path: '/api/v1/names/pr-42' });
      expect((await publish('second', '?name=pr-42')).body.name, 'deleted since').to.equal(null);
    }),
  'http/name-form: a malformed name is invalid_name if it is to be set, before the Idempotency-Key and the body, and 404 if it is read or deleted; two are invalid_request':
    withClient(async (client, port) => {
      const archive = Buffer.from('no zip');
      for (const name of ['', ...MALFORMED]) {
        const query = `?name=${name === '%61' ? '%41' : name}`;
        expectProblem(await client.publish({ archive, key: '', query }), 422, 'invalid_name', name);
        const dry = await client.publish({ archive, query: `${query}&dry_run=true` });
        expectProblem(dry, 422, 'invalid_name', name);
        if (name === '') continue;
        const path = `/api/v1/names/${encodeURI(decodeURI(name)) === name ? name : encodeURI(name)}`;
        expectProblem(await client.send({ method: 'PUT', path, body: '{' }), 422, 'invalid_name', name);
        expectProblem(await client.get(path), 404, 'not_found', name);
        expectProblem(await client.send({ method: 'DELETE', path }), 404, 'not_found', name);
      }
      expectProblem(await client.publish({ archive, query: '?name=a&name=a' }), 400, 'invalid_request');
      for (const name of ['a', '0', 'x'.repeat(63), 'a--b', '1-2']) await publishTo(port, name);
    }),
  'http/name-set: PUT makes a name (201) or moves it (200) to a publication of the account in service; a PUT without a change leaves updated_at; others are 404, 409 invalid_state, 422 invalid_update or 415':
    async (subject) => {
      const { port } = subject;
      const client = new ApiClient(port);
      const [one, two, stopped] = [await publishSite(port), await publishSite(port), await publishSite(port)];
      await client.stop(stopped.id);
      const put = (pin: unknown, name = 'live', of = client) =>
        of.sendJson('PUT', `/api/v1/names/${name}`, typeof pin === 'string' ? { pin } : pin);
      const made = await put(one.id);
      expect(made.status, made.text).to.equal(201);
      expect(made.body.name).to.deep.include({ name: 'live', pin: one.id });
      await port.advance(days(1));
      const same = await put(one.id.toUpperCase());
      expect([same.status, same.body]).to.deep.equal([200, made.body]);
      const moved = await put(two.id);
      expect(moved.status).to.equal(200);
      expect(moved.body.name).to.deep.include({ url: made.body.name.url, pin: two.id });
      expect(Date.parse(moved.body.name.updated_at) - Date.parse(made.body.name.updated_at)).to.be.at.least(
        days(1),
      );
      expect(await readName(await subject.peer(), 'live')).to.deep.equal(moved.body.name);
      const theirs = await new ApiClient(port, port.keys.second).publish({ archive: siteZip() });
      for (const id of [UNKNOWN_ID, 'none', '', theirs.body.pin.id]) {
        expectProblem(await put(id), 404, 'not_found', id);
      }
      expectProblem(await put(stopped.id), 409, 'invalid_state');
      for (const body of [{}, { pin: null }, { pin: 7 }, { pin: one.id, name: 'x' }, [], null]) {
        expectProblem(await put(body), 422, 'invalid_update', JSON.stringify(body));
      }
      const readOnly = new ApiClient(port, port.keys.readOnly);
      expectProblem(await put(one.id, 'live', readOnly), 403, 'forbidden');
      expectProblem(await put(one.id, 'A', readOnly), 403, 'forbidden', 'scope before name');
      const path = '/api/v1/names/live';
      expectProblem(await client.send({ method: 'PUT', path, body: '{}' }), 415, 'unsupported_media_type');
      await port.advance(days(7));
      expectProblem(await put(one.id), 409, 'invalid_state', 'expired');
      expect((await readName(port, 'live')).pin, 'of the last that was set').to.equal(two.id);
    },
  'http/name-shown: each answer with a name has the current state and expiration of the publication that it shows, and the publication that it showed before its last move':
    async (subject) => {
      const { port } = subject;
      const client = new ApiClient(port);
      const named = (await publishTo(port, 'live')).body;
      const [first, second] = [named.pin, await publishSite(port)];
      const state = ({ pin, pin_state, pin_expires_at, previous }: WireName) => ({
        pin,
        pin_state,
        pin_expires_at,
        previous,
      });
      const expectEverywhere = async (expected: object, what: string): Promise<void> => {
        const nodes = [port, await subject.peer()];
        for (const node of nodes) expect(state(await readName(node, 'live')), what).to.deep.equal(expected);
        const { names } = (await client.get('/api/v1/names')).body;
        expect(names.map(state), `${what}, listed`).to.deep.equal([expected]);
      };
      const published = {
        pin: first.id,
        pin_state: 'published',
        pin_expires_at: first.expires_at,
        previous: null,
      };
      expect(state(named.name), 'published').to.deep.equal(published);
      await expectEverywhere(published, 'published');
      const put = async (pin: string) =>
        (await client.sendJson('PUT', '/api/v1/names/live', { pin })).body.name;
      const moved = { ...published, pin: second.id, pin_expires_at: second.expires_at, previous: first.id };
      expect(state(await put(second.id)), 'moved').to.deep.equal(moved);
      expect(state(await put(second.id)), 'the same again').to.deep.equal(moved);
      await expectEverywhere(moved, 'moved');
      await client.stop(second.id);
      await expectEverywhere({ ...moved, pin_state: 'deleted' }, 'stopped');
      expect(state(await put(first.id)), 'moved back').to.deep.equal({ ...published, previous: second.id });
      await port.advance(days(7));
      await expectEverywhere({ ...published, pin_state: 'expired', previous: second.id }, 'expired');
    },
  'http/name-list: names are listed by name, by pages of 1 to 100, and only those of the account; a foreign cursor is invalid_request':
    withClient(async (client, port) => {
      const names = ['b', 'a-1', 'a', 'a1', '0'];
      for (const name of names) await publishTo(port, name);
      const other = new ApiClient(port, port.keys.second);
      await other.publish({ archive: siteZip(), query: '?name=a' });
      const walked: WireName[] = [];
      let query = '?limit=2';
      for (let cursor: string | null = ''; cursor !== null; query = `?limit=2&cursor=${cursor}`) {
        const { status, body, text } = await client.get(`/api/v1/names${query}`);
        expect(status, text).to.equal(200);
        walked.push(...body.names);
        cursor = body.next_cursor;
        if (cursor === null) break;
      }
      expect(walked.map(({ name }) => name)).to.deep.equal(names.toSorted());
      expect(walked[0]).to.deep.equal(await readName(port, '0'));
      const theirs = (await other.get('/api/v1/names')).body;
      expect(theirs.names.map(({ name }) => name)).to.deep.equal(['a']);
      expect(theirs.names[0]?.url).not.to.equal((await readName(port, 'a')).url);
      const mine = (await client.get('/api/v1/names?limit=1')).body.next_cursor;
      expectProblem(await other.get(`/api/v1/names?cursor=${mine}`), 400, 'invalid_request');
      for (const wrong of 'cursor=a cursor= limit=0 limit=101 limit=x state=published'.split(' ')) {
        expectProblem(await client.get(`/api/v1/names?${wrong}`), 400, 'invalid_request', wrong);
      }
    }),
  'http/name-delete: deleting is 204, again 404; the publication stays, and a new name of the same text has another URL':
    withClient(async (client, port) => {
      const { pin, name } = (await publishTo(port, 'gone')).body;
      const remove = (of = client) => of.send({ method: 'DELETE', path: '/api/v1/names/gone' });
      expectProblem(await remove(new ApiClient(port, port.keys.readOnly)), 403, 'forbidden');
      expectProblem(await remove(new ApiClient(port, port.keys.second)), 404, 'not_found');
      const removed = await remove();
      expect([removed.status, removed.text]).to.deep.equal([204, '']);
      expectProblem(await remove(), 404, 'not_found');
      expectProblem(await client.get('/api/v1/names/gone'), 404, 'not_found');
      expect((await client.read(pin.id)).body.pin.state).to.equal('published');
      expect((await publishTo(port, 'gone')).body.name.url).not.to.equal(name.url);
    }),
  'http/name-warnings: a publication without a password to a name that showed a protected one warns of password_dropped first, and so does its replay':
    withClient(async (client) => {
      const publish = async (key: string, headers: Readonly<Record<string, string>> = {}) =>
        client.publish({ archive: siteZip(), key, query: '?name=closed', headers });
      const closed = await publish('one', { 'Pinfold-Password': 'long%20enough' });
      expect(closed.body.warnings).to.deep.equal([]);
      const open = await publish('two');
      expect(open.body.warnings.map(({ rule }) => rule)).to.deep.equal(['password_dropped']);
      expect((await publish('two')).body.warnings).to.deep.equal(open.body.warnings);
      expect((await publish('three')).body.warnings).to.deep.equal([]);
    }),
  'http/names-at-once: of concurrent publications to one name, on every node, each succeeds and the name shows one of them':
    async (subject) => {
      const archive = siteZip();
      const answers = await together(subject, 12, (port) =>
        new ApiClient(port).publish({ archive, query: '?name=busy' }),
      );
      expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 201));
      expect(new Set(answers.map(({ body }) => body.name.url)).size).to.equal(1);
      const ids = answers.map(({ body }) => body.pin.id);
      expect((await readName(subject.port, 'busy')).pin).to.be.oneOf(ids);
    },
};
