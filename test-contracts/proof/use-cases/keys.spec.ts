import {
  type ApiKey,
  type ApiKeySecrets,
  type ApiKeyStore,
  accountId,
  type Keys,
  minutes,
  OPERATOR,
} from '@pinfold/core';
import { createKeys } from '@pinfold/core/accounts';
import { NodeApiKeySecrets } from '@pinfold/platform-node';
import { listedKeys, replacing } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { OWNER, openStage, type Stage } from './stage.ts';

const STRANGER = accountId('stranger');

describe('managing API keys', () => {
  const apiKeySecrets = new NodeApiKeySecrets();
  let stage: Stage;
  let keys: Keys;
  beforeEach(async () => {
    stage = await openStage();
    keys = over(stage.memory.apiKeys);
  });
  afterEach(() => stage.dispose());

  function over(apiKeys: ApiKeyStore, secrets: ApiKeySecrets = apiKeySecrets): Keys {
    return createKeys({ apiKeys, apiKeySecrets: secrets, clock: stage.clock, ids: stage.ports.ids });
  }

  async function kept({ id }: ApiKey): Promise<ApiKey | undefined> {
    return await stage.memory.apiKeys.find(id);
  }

  it('makes keys that read and write unless told otherwise, without a label, and never used', async () => {
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
    });
    expect(await kept(key)).to.deep.equal(key);
    const reader = await keys.create({ by: OPERATOR, account: OWNER, label: 'CI', scopes: ['pins:read'] });
    expect(reader.key).to.deep.include({ label: 'CI', scopes: ['pins:read'] });
  });

  it('makes another where the id is taken', async () => {
    const { key, text } = await keys.create({ by: OPERATOR, account: OWNER });
    const taken = { ...apiKeySecrets.mint(), id: key.id };
    const mints = [taken, taken, apiKeySecrets.mint()];
    const again = over(stage.memory.apiKeys, {
      mint: () => mints.shift() ?? taken,
      read: (presented) => apiKeySecrets.read(presented),
      same: (one, other) => apiKeySecrets.same(one, other),
    });
    const other = await again.create({ by: OPERATOR, account: STRANGER });
    expect(other.key.id).not.to.equal(key.id);
    expect((await keys.authenticate(other.text))?.account).to.equal(STRANGER);
    expect((await keys.authenticate(text))?.account).to.equal(OWNER);
  });

  it('recognises a key by its text, until it is revoked', async () => {
    const { key, text } = await keys.create({ by: OPERATOR, account: OWNER });
    const { text: stranger } = await keys.create({ by: OPERATOR, account: STRANGER });
    expect(await keys.authenticate(text)).to.deep.equal(key);
    expect(await keys.authenticate('')).to.equal(undefined);
    expect(await keys.authenticate(apiKeySecrets.mint().text), 'unknown').to.equal(undefined);
    const mixed = text.slice(0, text.lastIndexOf('_')) + stranger.slice(stranger.lastIndexOf('_'));
    expect(await keys.authenticate(mixed), "another's secret").to.equal(undefined);
    await keys.revoke({ id: key.id, by: OPERATOR });
    expect(await keys.authenticate(text)).to.equal(undefined);
    expect((await keys.authenticate(stranger))?.account).to.equal(STRANGER);
  });

  it('makes the first key of an installation once', async () => {
    const first = await keys.createFirst({ account: OWNER, label: 'first' });
    expect(await keys.authenticate(first?.text ?? '')).to.deep.equal(first?.key);
    expect(first?.key.label).to.equal('first');
    expect(await keys.createFirst({ account: OWNER })).to.equal(undefined);
    expect(await listedKeys(keys, OPERATOR)).to.have.length(1);
  });

  it('makes the first key of a text that was chosen, if it is one', async () => {
    const { text, id } = apiKeySecrets.mint();
    expect(await keys.createFirst({ account: OWNER }, text)).to.deep.include({ text });
    expect((await keys.authenticate(text))?.id).to.equal(id);
    const error: unknown = await keys.createFirst({ account: OWNER }, 'hello').catch((reason) => reason);
    expect(error).to.be.instanceOf(TypeError);
  });

  it('makes sure of a key, and leaves one that is revoked so', async () => {
    const { text, id } = apiKeySecrets.mint();
    await keys.ensure(text, { account: OWNER });
    const made = await keys.authenticate(text);
    stage.clock.advance(minutes(1));
    await keys.ensure(text, { account: OWNER, label: 'again' });
    expect(await keys.authenticate(text)).to.deep.equal(made);
    await keys.revoke({ id, by: OPERATOR });
    await keys.ensure(text, { account: OWNER });
    expect(await keys.authenticate(text)).to.equal(undefined);
    const error: unknown = await keys.ensure('hello', { account: OWNER }).catch((reason) => reason);
    expect(error).to.be.instanceOf(TypeError);
  });

  it('lists the keys of one account, or of all', async () => {
    const { key: own } = await keys.create({ by: OPERATOR, account: OWNER });
    stage.clock.advance(minutes(1));
    const { key: other } = await keys.create({ by: OPERATOR, account: STRANGER });
    expect(await listedKeys(keys, OWNER)).to.deep.equal([own]);
    expect(await listedKeys(keys, OPERATOR)).to.deep.equal([other, own]);
  });

  it('notes the use of a key at most once a minute, and asks the store no oftener', async () => {
    const touched: number[] = [];
    const touch: ApiKeyStore['touch'] = async (...use) => {
      touched.push(stage.clock.now());
      await stage.memory.apiKeys.touch(...use);
    };
    const noting = over(replacing(stage.memory.apiKeys, { touch }));
    const { key, text } = await keys.create({ by: OPERATOR, account: OWNER });
    const start = stage.clock.now();
    await noting.noteUse(key);
    expect((await kept(key))?.lastUsedAt).to.equal(start);
    for (let half = 0; half < 4; half += 1) {
      stage.clock.advance(minutes(0.5));
      const now = await keys.authenticate(text);
      if (now !== undefined) await noting.noteUse(now);
    }
    expect(touched).to.deep.equal([start, start + minutes(1), start + minutes(2)]);
    expect((await kept(key))?.lastUsedAt).to.equal(start + minutes(2));
  });
});
