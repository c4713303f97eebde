import {
  type ApiKey,
  type ApiKeySecrets,
  type ApiKeyStore,
  accountId,
  after,
  days,
  type KeyOptions,
  type Keys,
  minutes,
  OPERATOR,
  type Scope,
} from '@pinfold/core';
import { createKeys } from '@pinfold/core/accounts';
import { createHistory } from '@pinfold/core/history';
import { NodeApiKeySecrets } from '@pinfold/platform-node';
import { rejectionOf, replacing } from '@pinfold/test-contracts/fixtures';
import { listedKeys } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { OWNER, stageOfEachTest } from './stage.ts';

const OTHER_ACCOUNT = accountId('stranger');

describe('managing API keys', () => {
  const apiKeySecrets = new NodeApiKeySecrets();
  const stage = stageOfEachTest();
  let keys: Keys;
  beforeEach(() => {
    keys = keysOver(stage.memory.apiKeys);
  });

  function keysOver(
    apiKeys: ApiKeyStore,
    secrets: ApiKeySecrets = apiKeySecrets,
    options: KeyOptions = {},
  ): Keys {
    return createKeys({ ...stage.ports, apiKeys, apiKeySecrets: secrets }, options);
  }

  async function storedKey({ id }: ApiKey): Promise<ApiKey | undefined> {
    return await stage.memory.apiKeys.find(id);
  }

  it('makes keys that read and write by default, without a label, and never used', async () => {
    const { key, text } = await keys.create({ by: OPERATOR, account: OWNER });
    const { id, secretHash } = apiKeySecrets.read(text) ?? {};
    expect(key).to.deep.equal({
      id,
      secretHash,
      account: OWNER,
      scopes: ['pins:read', 'pins:write'],
      label: '',
      createdAt: stage.clock.now(),
      lastUsedAt: null,
      revokedAt: null,
      isEnsured: false,
    });
    expect(await storedKey(key)).to.deep.equal(key);
    const reader = await keys.create({ by: OPERATOR, account: OWNER, label: 'CI', scopes: ['pins:read'] });
    expect(reader.key).to.deep.include({ label: 'CI', scopes: ['pins:read'] });
  });

  it('makes another key if the id is taken', async () => {
    const { key, text } = await keys.create({ by: OPERATOR, account: OWNER });
    const taken = { ...apiKeySecrets.mint(), id: key.id };
    const mints = [taken, taken, apiKeySecrets.mint()];
    const again = keysOver(stage.memory.apiKeys, {
      mint: () => mints.shift() ?? taken,
      read: (presented) => apiKeySecrets.read(presented),
      same: (one, other) => apiKeySecrets.same(one, other),
    });
    const other = await again.create({ by: OPERATOR, account: OTHER_ACCOUNT });
    expect(other.key.id).not.to.equal(key.id);
    expect((await keys.authenticate(other.text))?.account).to.equal(OTHER_ACCOUNT);
    expect((await keys.authenticate(text))?.account).to.equal(OWNER);
  });

  it('recognizes a key by its text, until it is revoked', async () => {
    const { key, text } = await keys.create({ by: OPERATOR, account: OWNER });
    const { text: otherText } = await keys.create({ by: OPERATOR, account: OTHER_ACCOUNT });
    expect(await keys.authenticate(text)).to.deep.equal(key);
    expect(await keys.authenticate('')).to.equal(undefined);
    expect(await keys.authenticate(apiKeySecrets.mint().text), 'unknown').to.equal(undefined);
    const mixed = text.slice(0, text.lastIndexOf('_')) + otherText.slice(otherText.lastIndexOf('_'));
    expect(await keys.authenticate(mixed), "another's secret").to.equal(undefined);
    await keys.revoke({ id: key.id, by: OPERATOR });
    expect(await keys.authenticate(text)).to.equal(undefined);
    expect((await keys.authenticate(otherText))?.account).to.equal(OTHER_ACCOUNT);
  });

  it('does not ask the store for a malformed id or text', async () => {
    const find = () => Promise.reject(new TypeError('the store was asked'));
    const storeless = keysOver(replacing(stage.memory.apiKeys, { find }));
    for (const text of ['', 'a_b', '../a', 'a'.repeat(33)]) {
      expect(await storeless.revoke({ by: OPERATOR, id: text })).to.deep.equal({ kind: 'unknown' });
      expect(await storeless.recognize(text)).to.equal(undefined);
    }
  });

  it('creates no key with an unknown scope, or without an account', async () => {
    const scopes = ['pins:read', 'root'] as unknown as readonly Scope[];
    expect(await rejectionOf(keys.create({ account: OWNER, scopes }))).to.be.instanceOf(TypeError);
    const without = rejectionOf(keys.create({ by: OWNER } as never));
    expect(await without)
      .to.have.property('message')
      .that.includes('{ account: ');
    expect(await listedKeys(keys, OPERATOR)).to.deep.equal([]);
  });

  it('makes the first key of an installation once', async () => {
    const first = await keys.createFirst({ account: OWNER, label: 'first' });
    expect(await keys.authenticate(first?.text ?? '')).to.deep.equal(first?.key);
    expect(first?.key).to.include({ label: 'first', isEnsured: false });
    expect(await keys.createFirst({ account: OWNER })).to.equal(undefined);
    expect(await listedKeys(keys, OPERATOR)).to.have.length(1);
  });

  it('creates the first key from a chosen text, and rejects an invalid one', async () => {
    const { text, id } = apiKeySecrets.mint();
    expect(await keys.createFirst({ account: OWNER }, text)).to.deep.include({ text });
    expect(await keys.authenticate(text)).to.include({ id, isEnsured: true });
    expect(await rejectionOf(keys.createFirst({ account: OWNER }, 'hello'))).to.be.instanceOf(TypeError);
  });

  it('ensures a key, and does not restore a revoked one', async () => {
    const { text, id } = apiKeySecrets.mint();
    await keys.ensure(text, { account: OWNER });
    const made = await keys.authenticate(text);
    stage.clock.advance(minutes(1));
    await keys.ensure(text, { account: OWNER, label: 'again' });
    expect(await keys.authenticate(text)).to.deep.equal(made);
    await keys.revoke({ id, by: OPERATOR });
    await keys.ensure(text, { account: OWNER });
    expect(await keys.authenticate(text)).to.equal(undefined);
    expect(await rejectionOf(keys.ensure('hello', { account: OWNER }))).to.be.instanceOf(TypeError);
  });

  it('never deletes a key that was ensured, even if it was created otherwise and revoked', async () => {
    const [given, minted] = [apiKeySecrets.mint(), await keys.create({ by: OPERATOR, account: OWNER })];
    stage.clock.advance(minutes(1));
    const { key: other } = await keys.create({ by: OPERATOR, account: OWNER });
    await keys.ensure(given.text, { account: OWNER });
    await keys.ensure(minted.text, { account: OWNER });
    await keys.create({ by: OPERATOR, account: OWNER });
    for (const id of [given.id, minted.key.id, other.id]) await keys.revoke({ id, by: OPERATOR });
    stage.clock.advance(days(400));
    const sweep = createHistory(stage.ports);
    await sweep.sweep();
    expect(await stage.memory.apiKeys.find(other.id), 'after exactly 400 days').not.to.equal(undefined);
    stage.clock.advance(minutes(1));
    await sweep.sweep();
    expect(await stage.memory.apiKeys.find(other.id)).to.equal(undefined);
    for (const { id, text } of [given, { ...minted, id: minted.key.id }]) {
      expect(await stage.memory.apiKeys.find(id)).to.deep.include({ isEnsured: true });
      await keys.ensure(text, { account: OWNER });
      expect(await keys.authenticate(text), 'stays revoked').to.equal(undefined);
    }
  });

  it('revokes a key only for its account and for the operator', async () => {
    for (const by of [OWNER, OPERATOR] as const) {
      const { key } = await keys.create({ by: OPERATOR, account: OWNER });
      expect(await keys.revoke({ id: key.id, by: OTHER_ACCOUNT })).to.deep.equal({ kind: 'unknown' });
      expect((await storedKey(key))?.revokedAt).to.equal(null);
      expect(await keys.revoke({ id: key.id, by })).to.deep.equal({ kind: 'revoked' });
    }
    expect(await keys.revoke({ id: 'unknown', by: OWNER })).to.deep.equal({ kind: 'unknown' });
  });

  it('limits the number of keys of an account, but not for the operator', async () => {
    const bounded = keysOver(stage.memory.apiKeys, apiKeySecrets, { limit: 2 });
    const full = { kind: 'refused', code: 'quota_exceeded', rule: 'keys', limit: 2, actual: 3 };
    await bounded.create({ account: OWNER });
    expect(await bounded.checkLimit(OWNER)).to.equal(undefined);
    const made = await bounded.create({ account: OWNER });
    expect(await bounded.checkLimit(OWNER)).to.deep.equal(full);
    expect(await bounded.create({ account: OWNER })).to.deep.equal(full);
    expect(await bounded.create({ account: OTHER_ACCOUNT })).to.have.property('text');
    await bounded.create({ by: OPERATOR, account: OWNER });
    expect(await bounded.create({ account: OWNER })).to.deep.include({ limit: 2, actual: 4 });
    for (const { id } of (await listedKeys(bounded, OWNER)).slice(0, 2))
      await bounded.revoke({ id, by: OWNER });
    expect(await bounded.create({ account: OWNER })).to.have.property('text');
    const countLive = () => expect.fail('counted');
    const uncounted = replacing(stage.memory.apiKeys, { countLive });
    const unbounded = keysOver(uncounted, apiKeySecrets, { limit: null });
    expect(await unbounded.checkLimit(OWNER)).to.equal(undefined);
    expect(await unbounded.create({ account: OWNER })).to.have.property('text');
    const none = keysOver(stage.memory.apiKeys, apiKeySecrets, { limit: 0 });
    expect(await none.create({ account: 'new' })).to.include({ limit: 0, actual: 1 });
    expect(keys.limit, 'by default').to.equal(100);
    expect('text' in made).to.equal(true);
    for (const limit of [-1, 1.5, Number.NaN]) {
      expect(() => keysOver(stage.memory.apiKeys, apiKeySecrets, { limit })).to.throw(TypeError);
    }
  });

  it('records the use of a key at most once a minute, and calls the store no more often', async () => {
    const touched: number[] = [];
    const touch: ApiKeyStore['touch'] = async (...use) => {
      touched.push(stage.clock.now());
      await stage.memory.apiKeys.touch(...use);
    };
    const observed = keysOver(replacing(stage.memory.apiKeys, { touch }));
    const { key, text } = await keys.create({ by: OPERATOR, account: OWNER });
    const start = stage.clock.now();
    await observed.noteUse(key);
    expect((await storedKey(key))?.lastUsedAt).to.equal(start);
    for (let half = 0; half < 4; half += 1) {
      stage.clock.advance(minutes(0.5));
      const now = await keys.authenticate(text);
      if (now !== undefined) await observed.noteUse(now);
    }
    expect(touched).to.deep.equal([start, start + minutes(1), start + minutes(2)]);
    expect((await storedKey(key))?.lastUsedAt).to.equal(start + minutes(2));
  });

  it('replaces a use of a clock that is days ahead, once a minute while both nodes take turns', async () => {
    let touches = 0;
    const touch: ApiKeyStore['touch'] = async (...use) => {
      touches += 1;
      await stage.memory.apiKeys.touch(...use);
    };
    const apiKeys = replacing(stage.memory.apiKeys, { touch });
    const clock = replacing(stage.clock, { now: () => after(stage.clock.now(), days(9)) });
    const [right, ahead] = [stage.clock, clock].map((one) =>
      createKeys({ ...stage.ports, apiKeys, clock: one }),
    );
    const { text } = await keys.create({ by: OPERATOR, account: OWNER });
    for (let turn = 0; turn < 5; turn += 1) {
      for (const node of [ahead, right]) {
        const key = await node?.authenticate(text);
        if (key !== undefined) await node?.noteUse(key);
      }
    }
    expect(touches).to.equal(2);
    expect((await keys.authenticate(text))?.lastUsedAt).to.equal(stage.clock.now());
  });
});
