import { minutes } from '@pinfold/core';
import { expect } from 'chai';
import { ask, askAs, publish, update } from './client.ts';
import { openRig } from './rig.ts';

describe('GET /api/v1/events', () => {
  it('lists actions with their keys and requests, newest first, and none of others', async () => {
    const rig = await openRig();
    const role = (await publish(rig)).json.pin;
    rig.clock.advance(minutes(1));
    const changed = await update(rig, role.id, { title: 'A secret name' });
    const answer = await ask(rig, `/api/v1/events?pin=${role.id.toUpperCase()}`);
    const { events, next_cursor } = answer.json;
    expect(answer.status).to.equal(200);
    expect(next_cursor).to.equal(null);
    const [, key] = rig.keys.first.split('_');
    const at = new Date(rig.clock.now()).toISOString();
    expect(events[0]).to.deep.equal({
      id: events[0]?.id,
      at,
      type: 'pin.title_changed',
      account: 'first',
      pin: role.id,
      actor: { kind: 'key', id: key },
      request: changed.headers.get('x-request-id'),
    });
    expect(events.map(({ type }) => type)).to.deep.equal(['pin.title_changed', 'pin.published']);
    expect(JSON.stringify(events)).not.to.include('secret');
    const others = (await askAs(rig, rig.keys.second, `/api/v1/events?pin=${role.id}`)).json;
    expect(others.events).to.deep.equal([]);
    const all = (await askAs(rig, rig.keys.readOnly, '/api/v1/events')).json;
    expect(all.events.map(({ account }) => account)).to.deep.equal(['first', 'first', 'first', 'first']);
  });

  it('continues with a cursor, which is valid only with the same filter', async () => {
    const rig = await openRig();
    await publish(rig);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? '' : `&cursor=${cursor}`;
      const page = (await ask(rig, `/api/v1/events?limit=1${query}`)).json;
      seen.push(...page.events.map(({ id }) => id));
      cursor = page.next_cursor ?? cursor;
      if (page.next_cursor === null) break;
    } while (cursor !== null);
    expect(new Set(seen).size).to.equal(3);
    const wrong = [`cursor=${cursor}`, 'cursor=x', 'limit=0', 'limit=101', 'pin=x', 'state=published'];
    for (const query of wrong) {
      const key = query === `cursor=${cursor}` ? rig.keys.second : rig.keys.first;
      expect((await askAs(rig, key, `/api/v1/events?${query}`)).status, query).to.equal(400);
    }
  });

  it('has an address only if a setting enables it', async () => {
    const rig = await openRig({ api: { historyAddress: () => '192.0.2.7' } });
    const role = (await publish(rig)).json.pin;
    await update(rig, role.id, { title: 'Renamed' });
    const { events } = (await ask(rig, `/api/v1/events?pin=${role.id}`)).json;
    expect(events.map(({ address }) => address)).to.deep.equal(['192.0.2.7', '192.0.2.7']);
  });

  it('has the changed name', async () => {
    const rig = await openRig();
    await publish(rig, 'key', undefined, undefined, '?name=docs');
    const { events } = (await ask(rig, '/api/v1/events')).json;
    expect(events.filter(({ name }) => name !== undefined)).to.have.nested.property('[0].name', 'docs');
  });

  it('is missing without a history, even from the document', async () => {
    const rig = await openRig({ api: { history: undefined as never } });
    expect((await ask(rig, '/api/v1/events')).status).to.equal(404);
    expect((await ask(rig, '/api/v1/events', { method: 'POST' })).status).to.equal(404);
    expect(rig.document.paths).not.to.have.property('/api/v1/events');
  });
});
