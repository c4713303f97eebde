import type { AccountId, ApiKey, ApiKeyId, ApiKeyStore } from '@pinfold/core';
import { expect } from 'chai';
import type { Subject } from '../contract.ts';
import { anApiKey, everyKeyOf } from '../fixtures/keys.ts';
import { everyText } from '../sequences/values.ts';

const CREATED = { kind: 'created' };

/** Fails unless every text is kept as it is. */
export async function expectEveryTextToStay({ port, peer }: Subject<ApiKeyStore>): Promise<void> {
  const keys = everyText.map((text, n) => anApiKey(n, { account: text as AccountId, label: text }));
  await expectKept(port, await peer(), keys);
}

/** Fails unless each id is one of its own, however near it is to others. */
export async function expectEveryIdToCount({ port, peer }: Subject<ApiKeyStore>): Promise<void> {
  const keys = everyText.map((text, n) => anApiKey(n, { id: text as ApiKeyId }));
  await expectKept(port, await peer(), keys);
}

async function expectKept(port: ApiKeyStore, other: ApiKeyStore, keys: readonly ApiKey[]): Promise<void> {
  for (const key of keys) {
    expect(await other.find(key.id), `before there is ${JSON.stringify(key.id)}`).to.equal(undefined);
    expect(await port.create(key, []), `of ${JSON.stringify(key)}`).to.deep.equal(CREATED);
  }
  for (const key of keys) expect(await other.find(key.id), 'among many').to.deep.equal(key);
}

/** Fails unless a list of an account has none of another one's keys, however near their names are. */
export async function expectEveryAccountToBeAlone({ port, peer }: Subject<ApiKeyStore>): Promise<void> {
  const [other, keys] = [
    await peer(),
    everyText.map((text, n) => anApiKey(n, { account: text as AccountId })),
  ];
  for (const key of keys) {
    const own = await other.list(everyKeyOf(key.account));
    expect(own, `those of ${JSON.stringify(key.account)}, who has none yet`).to.deep.equal([]);
    await port.create(key, []);
  }
  for (const key of keys) {
    const own = await other.list(everyKeyOf(key.account));
    expect(own, `those of ${JSON.stringify(key.account)}`).to.deep.equal([key]);
  }
}
