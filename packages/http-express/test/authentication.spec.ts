import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { type ApiKey, Fault, minutes, OPERATOR, seconds } from '@pinfold/core';
import { listedKeys, ofEachTest } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { credentialsOf } from '../src/authentication.ts';
import { apiKeyAuthentication } from '../src/index.ts';
import { ask, until } from './client.ts';
import { openRig, type Rig } from './rig.ts';

describe('Authentication by API keys', () => {
  const rig = ofEachTest(openRig);

  const firstKey = async () => {
    const keys = await listedKeys(rig.manageKeys, OPERATOR);
    return (
      keys.find(({ id }) => rig.keys.first.startsWith(`pf_${id}_`)) ?? expect.fail('the key is not there')
    );
  };

  it('reads the credentials after the name of the scheme', async () => {
    const rows = [
      { sent: undefined },
      { sent: 'Bearer key', key: 'key', credentials: 'key' },
      { sent: 'bearer   key \t ', key: 'key', credentials: 'key' },
      { sent: 'Bearer \tkey', credentials: '\tkey' },
      { sent: 'Bearer key key', credentials: 'key key' },
      { sent: 'Token  key', credentials: 'key' },
      { sent: 'x Bearer key', credentials: 'Bearer key' },
    ];
    for (const { sent, key, credentials } of rows) {
      const texts: string[] = [];
      const authenticate = apiKeyAuthentication({
        authenticate: async (text) => void texts.push(text),
        noteUse: async () => {},
      });
      const headers = sent === undefined ? {} : { authorization: sent };
      const request = { headers } as IncomingMessage;
      expect(await authenticate(request, { response: {} as ServerResponse }), sent).to.equal(undefined);
      expect(texts, sent).to.deep.equal(key === undefined ? [] : [key]);
      expect(credentialsOf(request), sent).to.equal(credentials);
    }
  });

  it('reads credentials without a space in linear time', () => {
    // A parser whose time grows with the square of the length would exceed the test's time limit.
    const authorization = 'x'.repeat(2_000_000);
    expect(credentialsOf({ headers: { authorization } } as IncomingMessage)).to.equal(authorization);
  });

  it('records the use of a key once for a request that is authenticated again', async () => {
    const response = new EventEmitter() as ServerResponse;
    const { id, account, scopes } = await firstKey();
    const used: ApiKey[] = [];
    const authenticate = apiKeyAuthentication({
      authenticate: async () => ({ id, account, scopes }) as ApiKey,
      noteUse: async (key) => {
        used.push(key);
        throw new Error('it cannot be noted, and there is no onError to take that');
      },
    });
    const request = { headers: { authorization: 'Bearer key' } } as IncomingMessage;
    const again = await authenticate(request, { response });
    expect(again).to.deep.equal({ account, scopes, key: id, isKeyStored: true });
    expect(await authenticate(request, { response, ...(again && { again }) })).to.deep.equal(again);
    expect(used).to.deep.equal([]);
    response.emit('finish');
    await setImmediate();
    expect(used.map((key) => key.id)).to.deep.equal([id]);
  });

  it('prints what onError throws, instead of letting it end the process', async () => {
    const response = new EventEmitter() as ServerResponse;
    const key = await firstKey();
    const failed = new Error('onError failed');
    const { error: print } = console;
    const printed: unknown[] = [];
    console.error = (...all) => void printed.push(...all);
    try {
      const noteUse = () => Promise.reject(new Error('it cannot be noted'));
      const onError = () => {
        throw failed;
      };
      const authenticate = apiKeyAuthentication({ authenticate: async () => key, noteUse }, { onError });
      await authenticate({ headers: { authorization: 'Bearer key' } } as IncomingMessage, { response });
      response.emit('finish');
      await setImmediate();
    } finally {
      console.error = print;
    }
    expect(printed).to.include(failed);
  });

  it('records nothing without a key', async () => {
    const used: unknown[] = [];
    const authenticate = apiKeyAuthentication({
      authenticate: async () => undefined,
      noteUse: async (key) => void used.push(key),
    });
    const own = await openRig({ api: { authenticate } });
    expect((await ask(own, '/api/v1/limits')).status).to.equal(401);
    expect(used).to.deep.equal([]);
  });

  it('records the use of a key after the answer, at most once a minute', async () => {
    expect((await firstKey()).lastUsedAt).to.equal(null);
    await ask(rig, '/api/v1/limits');
    await until(async () => (await firstKey()).lastUsedAt === rig.clock.now());
    const usedAt = rig.clock.now();
    rig.clock.advance(seconds(59));
    await ask(rig, '/api/v1/limits');
    expect((await firstKey()).lastUsedAt).to.equal(usedAt);
    rig.clock.advance(seconds(2));
    await ask(rig, '/api/v1/limits');
    await until(async () => (await firstKey()).lastUsedAt === usedAt + minutes(1) + 1_000);
  });

  it('answers even if the use cannot be recorded, and reports that', async () => {
    const errors: unknown[] = [];
    const fault = new Fault('store_unavailable', 'no database');
    const { manageKeys } = rig;
    const authenticate = apiKeyAuthentication(
      {
        authenticate: (text) => manageKeys.authenticate(text),
        noteUse: () => Promise.reject(fault),
      },
      { onError: (error) => errors.push(error) },
    );
    const own = await openRig({ api: { authenticate } });
    const { status } = await ask({ ...own, keys: rig.keys }, '/api/v1/limits');
    expect(status).to.equal(200);
    await until(() => errors.length > 0);
    expect(errors).to.deep.equal([fault]);
  });
});

describe('Wrong keys', () => {
  const wrong = (rig: Rig, headers: Readonly<Record<string, string>> = {}, path = '/api/v1/limits') =>
    ask(rig, path, { headers: { authorization: 'Bearer no', ...headers } });

  it('get 429 after sixty a minute from one address, below /api/v1 and /admin/v1 together', async () => {
    const rig = await openRig();
    for (let n = 0; n < 30; n += 1) {
      expect((await wrong(rig)).status).to.equal(401);
      expect((await wrong(rig, {}, '/admin/v1/accounts')).status).to.equal(401);
    }
    for (const path of ['/api/v1/limits', '/admin/v1/accounts']) {
      const limited = await wrong(rig, {}, path);
      expect(`${limited.status} ${limited.json.code}`).to.equal('429 rate_limited');
      expect(limited.json).to.include({ retryable: true });
      expect(limited.headers.get('retry-after')).to.equal('1');
      expect(limited.headers.get('ratelimit')).to.equal('"requests";r=0;t=1');
    }
    expect((await ask(rig, '/api/v1/limits')).status, 'a right key').to.equal(200);
    const { status } = await fetch(`${rig.baseUrl}/api/v1/limits`);
    expect(status, 'no key at all').to.equal(401);
    rig.clock.advance(seconds(1));
    expect((await wrong(rig)).status).to.equal(401);
    expect((await wrong(rig)).status).to.equal(429);
  });

  it('get 429 after six hundred if the address is a proxy that is not trusted', async () => {
    const rig = await openRig();
    for (let n = 0; n < 600; n += 1) {
      expect((await wrong(rig, { 'x-forwarded-for': `192.0.2.${n % 250}` })).status).to.equal(401);
    }
    expect((await wrong(rig, { forwarded: 'for=192.0.2.1' })).status).to.equal(429);
  });
});
