import { days, minutes } from '@pinfold/core';
import { expect } from 'chai';
import { type Administered, expectRefused, openAdministered } from './administered.ts';
import { type Json, publish, siteZip } from './client.ts';
import type { Rig } from './rig.ts';

const NOWHERE = '0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20';

/** Publishes for an account; returns the publication's id and the SHA-256 of its ZIP. */
async function publishAs({ useCases }: Rig, by: string, key: string, text = 'hello', title?: string) {
  const archive = siteZip(text);
  const outcome = await useCases.publish({ by, key, filename: 'site.zip', title: title ?? null, archive });
  if (outcome.kind === 'refused') throw new Error(outcome.code);
  return outcome.publication;
}

async function takeDown({ ask }: Administered, id: string, more: object = {}): Promise<Json> {
  const answer = await ask('POST', `/pins/${id}/takedown`, { reason: 'Phishing', purge: false, ...more });
  expect(answer.status).to.equal(200);
  return answer.json;
}

async function eventsOf({ ask }: Administered, query: string): Promise<readonly string[]> {
  const { events } = (await ask('GET', `/events?limit=100&${query}`)).json;
  return events.map(({ type }) => type);
}

describe('POST /admin/v1/pins/{id}/takedown', () => {
  it('stops a publication in any state with the reason; repeating it changes nothing', async () => {
    const tools = await openAdministered();
    const { rig } = tools;
    const expired = await publishAs(rig, 'first', 'one', 'one');
    rig.clock.advance(days(8));
    const live = await publishAs(rig, 'first', 'two', 'two');
    const stopped = await publishAs(rig, 'first', 'three', 'three');
    await rig.useCases.stop({ by: 'first', id: stopped.id });
    rig.clock.advance(minutes(1));
    for (const role of [expired, live, stopped]) {
      const at = new Date(rig.clock.now()).toISOString();
      const answer = await takeDown(tools, role.id.toUpperCase(), { reason: 'Spam \u{1f3a3}' });
      expect(answer.copies).to.deep.equal([]);
      expect(answer.pin).to.include({
        id: role.id,
        state: 'deleted',
        account: 'first',
        archive_bytes: role.archiveBytes,
        sha256: role.sha256,
      });
      expect(answer.pin.taken_down).to.deep.equal({ reason: 'Spam \u{1f3a3}', at });
      rig.clock.advance(minutes(1));
      expect(await takeDown(tools, role.id, { reason: 'Another' })).to.deep.equal(answer);
      expect(await rig.useCases.visit(role.id)).to.deep.equal({ kind: 'unknown' });
      const types = await eventsOf(tools, `pin=${role.id}`);
      expect(types.filter((type) => type === 'pin.taken_down')).to.have.lengthOf(1);
    }
  });

  it('accepts a body as in the API document, checks it before the id, and allows no other method', async () => {
    const { rig, ask } = await openAdministered();
    const { id } = await publishAs(rig, 'first', 'one');
    const path = `/pins/${id}/takedown`;
    const right = { reason: 'x', purge: false };
    const wrong = [
      {},
      [],
      { reason: 'x' },
      { purge: true },
      { ...right, reason: '' },
      { ...right, reason: 'x'.repeat(256) },
      { ...right, reason: 'a\u0000' },
      { ...right, purge: 'true' },
      { ...right, copies: 1 },
      { ...right, more: 1 },
    ];
    const longest = { ...right, copies: true, reason: '\u{1f3a3}'.repeat(255) };
    const texts = ['{"reason":"x","purge":true,"purge":false}'];
    for (const each of [path, '/pins/spring/takedown'])
      await expectRefused({ rig, ask }, ['POST', each], 'Takedown', { right: longest, wrong, texts });
    expect((await ask('POST', `${path}?purge=true`, right)).status).to.equal(400);
    for (const unknown of ['spring', NOWHERE])
      expect((await ask('POST', `/pins/${unknown}/takedown`, right)).status, unknown).to.equal(404);
    const method = await ask('GET', path);
    expect(method.status).to.equal(405);
    expect(method.headers.get('allow')).to.equal('POST');
    expect((await rig.useCases.visit(id)).kind).to.equal('published');
  });
});

describe('GET /admin/v1/pins', () => {
  it('lists publications of all accounts by account, state and search, page by page', async () => {
    const tools = await openAdministered();
    const { rig, ask } = tools;
    const first = await publishAs(rig, 'first', 'one', 'one', 'Spring catalogue');
    rig.clock.advance(minutes(1));
    const second = await publishAs(rig, 'second', 'two', 'two', 'Ｓpring menu');
    rig.clock.advance(minutes(1));
    const third = await publishAs(rig, 'second', 'three', 'three');
    await takeDown(tools, third.id);
    const list = async (query: string) => {
      const answer = await ask('GET', `/pins${query}`);
      expect(answer.status, query).to.equal(200);
      return answer.json;
    };
    const ids = ({ pins }: Json) => pins.map(({ id }) => id);
    const all = await list('');
    expect(ids(all)).to.deep.equal([second.id, first.id]);
    expect(all.next_cursor).to.equal(null);
    expect(all.pins[1]).to.deep.equal((await ask('GET', `/pins/${first.id}`)).json.pin);
    const deleted = await list('?state=deleted');
    expect(ids(deleted)).to.deep.equal([third.id]);
    expect(deleted.pins[0]?.taken_down).to.include({ reason: 'Phishing' });
    expect(ids(await list('?account=second'))).to.deep.equal([second.id]);
    expect(ids(await list('?search=SPRING'))).to.deep.equal([second.id, first.id]);
    expect(ids(await list('?search=SITE.ZIP'))).to.deep.equal([second.id, first.id]);
    expect(ids(await list('?search=other.zip'))).to.deep.equal([]);
    expect(ids(await list(`?search=${first.id}`))).to.deep.equal([first.id]);
    const page = await list('?limit=1');
    expect(ids(page)).to.deep.equal([second.id]);
    const next = await list(`?limit=1&cursor=${page.next_cursor}`);
    expect(ids(next)).to.deep.equal([first.id]);
    expect(next.next_cursor).to.equal(null);
    const wrong = ['limit=0', 'limit=101', 'state=x', 'search=', 'account=', 'cursor=x', 'pin=x'];
    for (const each of [...wrong, `cursor=${page.next_cursor}&state=deleted`])
      expect((await ask('GET', `/pins?${each}`)).status, each).to.equal(400);
  });
});

describe('/admin/v1/takedowns', () => {
  it('lists those in force, newest first, page by page', async () => {
    const tools = await openAdministered();
    const { rig, ask } = tools;
    const first = await publishAs(rig, 'first', 'one', 'one');
    const second = await publishAs(rig, 'second', 'two', 'two');
    await takeDown(tools, first.id);
    rig.clock.advance(minutes(1));
    await takeDown(tools, second.id, { reason: 'Spam' });
    const page = (await ask('GET', '/takedowns?limit=1')).json;
    const at = new Date(rig.clock.now()).toISOString();
    const expected = { id: second.id, account: 'second', sha256: second.sha256, reason: 'Spam', at };
    expect(page.takedowns).to.deep.equal([expected]);
    const next = (await ask('GET', `/takedowns?limit=1&cursor=${page.next_cursor}`)).json;
    expect(next.takedowns[0]).to.include({ id: first.id, account: 'first' });
    expect(next.next_cursor).to.equal(null);
    for (const each of ['limit=0', 'cursor=x', 'account=first'])
      expect((await ask('GET', `/takedowns?${each}`)).status, each).to.equal(400);
  });

  it('lifts a ban, but never the stop', async () => {
    const tools = await openAdministered();
    const { rig, ask } = tools;
    const role = await publishAs(rig, 'first', 'one');
    const copy = await publishAs(rig, 'second', 'one');
    expect((await takeDown(tools, role.id, { copies: true })).copies).to.deep.equal([copy.id]);
    const lifted = await ask('DELETE', `/takedowns/${role.sha256.toUpperCase()}`);
    expect(lifted.status).to.equal(204);
    expect(lifted.text).to.equal('');
    expect((await ask('GET', '/takedowns')).json.takedowns).to.deep.equal([]);
    for (const id of [role.id, copy.id]) {
      const { pin } = (await ask('GET', `/pins/${id}`)).json;
      expect(pin).to.include({ state: 'deleted' });
      expect(pin.taken_down).to.include({ reason: 'Phishing' });
      expect((await eventsOf(tools, `pin=${id}`))[0]).to.equal('takedown.lifted');
    }
    expect((await publish(rig, 'again')).status).to.equal(201);
    for (const unknown of [role.sha256, 'spring', '0'.repeat(64)])
      expect((await ask('DELETE', `/takedowns/${unknown}`)).status, unknown).to.equal(404);
    const method = await ask('GET', `/takedowns/${role.sha256}`);
    expect(method.status).to.equal(405);
    expect(method.headers.get('allow')).to.equal('DELETE');
  });

  it('shows the account that the operator did it, but not which person or key', async () => {
    const tools = await openAdministered();
    const { rig, ask, askAsFirst } = tools;
    const { id } = await publishAs(rig, 'first', 'one');
    await takeDown(tools, id, { purge: true });
    const { events: seen } = (await askAsFirst(`/api/v1/events?pin=${id}&limit=2`)).json;
    expect(seen.map(({ type }) => type)).to.deep.equal(['pin.purged', 'pin.taken_down']);
    for (const { actor } of seen) expect(actor).to.deep.equal({ kind: 'operator', id: null });
    const { events } = (await ask('GET', `/events?pin=${id}&limit=2`)).json;
    for (const { actor } of events) expect(actor).to.include({ kind: 'key' });
    const { pin } = (await askAsFirst(`/api/v1/pins/${id}`)).json;
    expect(pin).to.include({ state: 'deleted' }).and.not.to.have.property('taken_down');
  });
});
