import { days, parseRoleId, type RoleId } from '@pinfold/core';
import { expect } from 'chai';
import { ask, askAs, publish } from './client.ts';
import { openRig, type Rig } from './rig.ts';

describe('GET /api/v1/pins/{id}?include=views', () => {
  let rig: Rig;
  let id: RoleId;
  beforeEach(async () => {
    rig = await openRig();
    id = await published(rig);
  });

  const published = async (service: Rig) => parseRoleId((await publish(service)).json.pin.id) as RoleId;

  const get = (path: string, service = rig, key: 'first' | 'second' = 'first') =>
    askAs(service, service.keys[key], `/api/v1/pins/${path}`);

  it('adds the days of the publication, newest first and without those that have no views', async () => {
    const pin = (await get(id)).json;
    expect(pin).to.have.all.keys('pin');
    expect((await get(`${id}?include=views`)).json).to.deep.equal({ ...pin, views: [] });
    rig.views.viewed(id);
    rig.views.viewed(id);
    rig.clock.advance(days(2));
    rig.views.viewed(id);
    rig.views.passwordRefused(id);
    await rig.views.store();
    const day = (before: number) =>
      new Date(rig.clock.now() - before * days(1)).toISOString().slice(0, 'yyyy-mm-dd'.length);
    const answer = await get(`${id.toUpperCase()}?include=views`);
    expect(answer.status).to.equal(200);
    expect(answer.json).to.deep.equal({
      ...pin,
      views: [
        { day: day(0), views: 1, refused_passwords: 1 },
        { day: day(2), views: 2, refused_passwords: 0 },
      ],
    });
  });

  it('adds the days in any state, and shows them to no other account', async () => {
    rig.views.viewed(id);
    await rig.views.store();
    await rig.useCases.stop({ by: 'first', id });
    const answer = (await get(`${id}?include=views`)).json;
    expect(answer.views).to.have.lengthOf(1);
    const other = await get(`${id}?include=views`, rig, 'second');
    expect(other.status).to.equal(404);
    expect(other.text).not.to.include('views');
  });

  it('refuses other values, and the parameter elsewhere', async () => {
    const queries = [
      'include=',
      'include=events',
      'include=views,events',
      'include=views&include=views',
      'x=1',
    ];
    for (const query of queries) {
      const answer = await get(`${id}?${query}`);
      expect(answer.status, query).to.equal(400);
      expect(answer.json).to.include({ code: 'invalid_request' });
    }
    const stop = await ask(rig, `/api/v1/pins/${id}?include=views`, { method: 'DELETE' });
    expect(stop.status).to.equal(400);
  });

  it('is unknown without a counter, and missing from the document', async () => {
    const bare = await openRig({ api: { views: undefined as never } });
    expect((await get(`${await published(bare)}?include=views`, bare)).status).to.equal(400);
    expect(JSON.stringify(bare.document)).not.to.include('refused_passwords');
    const { content } = bare.document.paths['/api/v1/pins/{id}']?.get?.responses?.[200] ?? {};
    expect(content?.['application/json'])
      .to.have.nested.property('schema.$ref')
      .that.matches(/\/PinAnswer$/);
    expect(content?.['application/json']).to.have.nested.property('examples.pin.value.pin');
  });
});
