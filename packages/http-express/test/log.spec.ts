import { Fault } from '@pinfold/core';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { ask, publish, until, update } from './client.ts';
import { openRig } from './rig.ts';

describe('The request log', () => {
  it('has one entry per request: method, route, role, account, key id, status, outcome, time and request id', async () => {
    const rig = await openRig();
    const { json, headers } = await publish(rig);
    await ask(rig, `/api/v1/pins/${json.pin.id}?x=1`);
    await ask(rig, '/api/v1/nothing/here');
    await ask(rig, '/openapi.json');
    await ask(rig, '/api/v9/pins');
    await ask(rig, '/admin/v1/nothing/here');
    await ask(rig, '/admin/v1/accounts/first');
    await until(() => rig.log.length === 7);
    expect(rig.log[0]).to.deep.equal({
      requestId: headers.get('x-request-id'),
      method: 'POST',
      route: '/api/v1/pins',
      status: 201,
      role: json.pin.id,
      account: 'first',
      key: rig.keys.first.split('_')[1],
      milliseconds: 0,
    });
    const lines = rig.log.map(({ method, route, status }) => `${method} ${route} ${status}`);
    expect(lines).to.deep.equal([
      'POST /api/v1/pins 201',
      'GET /api/v1/pins/{id} 400',
      'GET /api/v1 404',
      'GET /openapi.json 200',
      'GET /api 404',
      'GET /admin/v1 404',
      'GET /admin/v1/accounts/{name} 404',
    ]);
    expect(rig.log.map(({ outcome }) => outcome)).to.deep.equal([
      undefined,
      'invalid_request',
      'not_found',
      undefined,
      'not_found',
      'not_found',
      'not_found',
    ]);
    const knownCallers = rig.log.map(({ account }) => account === 'first');
    expect(knownCallers).to.deep.equal([true, true, true, false, false, true, true]);
  });

  it('contains no key, password, title, query or Idempotency-Key', async () => {
    const rig = await openRig();
    const { json } = await publish(rig, 'the-idempotency-key', 'the-title');
    await publish(rig, rig.keys.first);
    await update(rig, json.pin.id, { password: 'the-password' });
    await publish(rig, 'protected', 'the-title', undefined, '', {
      'pinfold-password': 'the-password-at-publication',
    });
    await ask(rig, '/api/v1/pins?idempotency_key=the-idempotency-key');
    await ask(rig, '/api/v1/the-path?the-query', { headers: { referer: 'http://the-referer/' } });
    await until(() => rig.log.length === 6);
    const text = JSON.stringify(rig.log);
    expect(text).not.to.match(/the-(?:idempotency|title|password|path|query|referer)/);
    expect(text).not.to.include(rig.keys.first);
  });

  it('has the error of a request that failed', async () => {
    const fault = new Fault('store_unavailable', 'no database');
    const bug = new TypeError('a bug');
    let thrown: Error = fault;
    const rig = await openRig({
      ports: ({ roles }) => ({ roles: replacing(roles, { list: () => Promise.reject(thrown) }) }),
    });
    expect((await ask(rig, '/api/v1/pins')).status).to.equal(503);
    thrown = bug;
    const { status, text } = await ask(rig, '/api/v1/pins');
    expect(status).to.equal(500);
    expect(text).not.to.include('a bug');
    const headers = { 'content-type': 'application/json' };
    await ask(rig, '/api/v1/pins/x', { method: 'PATCH', headers, body: '{' });
    await until(() => rig.log.length === 3);
    expect(rig.log.map(({ error }) => error)).to.deep.equal([fault, bug, undefined]);
  });
});
