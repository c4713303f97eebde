import type { CreateGrant } from '@pinfold/http';
import { expect } from 'chai';
import { type Answer, ask, publish } from './client.ts';
import { openRig, type Rig } from './rig.ts';

describe('POST /api/v1/pins/{id}/grants', () => {
  const url = 'https://share.example/grant';
  let answer: (expiresAt: number) => ReturnType<CreateGrant>;
  let requested: object | undefined;
  let rig: Rig;
  let id: string;
  beforeEach(async () => {
    answer = async (at) => ({ kind: 'created', url, expiresAt: at as never });
    const createGrant: CreateGrant = (fields) => {
      requested = fields;
      return answer(rig.clock.now());
    };
    rig = await openRig({ api: { createGrant } });
    id = (await publish(rig)).json.pin.id;
  });

  const create = (headers: Readonly<Record<string, string>> = {}, body?: string): Promise<Answer> =>
    ask(rig, `/api/v1/pins/${id}/grants`, {
      method: 'POST',
      headers,
      ...(body === undefined ? {} : { body }),
    });

  it('needs no body, and accepts only an empty object', async () => {
    const json = { 'content-type': 'application/json' };
    const expires_at = new Date(rig.clock.now()).toISOString();
    for (const made of [await create(), await create(json, ''), await create(json, ' {} ')]) {
      expect({ status: made.status, ...made.json }).to.deep.equal({
        status: 201,
        grant: { url, expires_at },
      });
      expect(requested).to.include({ by: 'first', id });
    }
    expect((await create({ 'content-type': 'text/plain' }, '{}')).status).to.equal(415);
    expect((await create(json, '{')).status).to.equal(400);
    for (const body of ['{"password":"x"}', '[]', 'null', '"x"']) {
      const { status, json: details } = await create(json, body);
      expect([status, details.code], body).to.deep.equal([422, 'invalid_update']);
    }
  });

  it('gives the reason if there is no grant', async () => {
    answer = async () => ({ kind: 'refused', code: 'forbidden' });
    const { status, json } = await create();
    expect([status, json.code, json.title]).to.deep.equal([
      403,
      'forbidden',
      'This service decides who may look',
    ]);
    answer = async () => ({ kind: 'refused', code: 'invalid_state', state: 'expired' });
    const expired = await create();
    expect(expired.status).to.equal(409);
    expect(expired.json.detail).to.include('viewers can no longer see it');
    answer = async () => ({ kind: 'refused', code: 'not_found' });
    expect((await create()).status).to.equal(404);
  });
});
