import {
  type Keys,
  type MintedKey,
  minutes,
  OPERATOR,
  type Origin,
  type PairingStore,
  type Pairings,
} from '@pinfold/core';
import { createKeys, createPairings, pairingCode } from '@pinfold/core/accounts';
import { createAdministration } from '@pinfold/core/administration';
import { createHistory } from '@pinfold/core/history';
import { NodeApiKeySecrets, NodeSessionSecrets } from '@pinfold/platform-node';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { OWNER, openStage, type Stage } from './stage.ts';

const CAUSE = { actor: { kind: 'person', id: 'u1' }, request: 'agreed' } as const;

describe('Giving a program a key', () => {
  let stage: Stage;
  let keys: Keys;
  let pairings: Pairings;
  const secrets = new NodeSessionSecrets();
  beforeEach(async () => {
    stage = await openStage();
    const { clock, memory, ports } = stage;
    const keyPorts = {
      apiKeys: memory.apiKeys,
      apiKeySecrets: new NodeApiKeySecrets(),
      clock,
      ids: ports.ids,
    };
    keys = createKeys(keyPorts);
    pairings = over(memory.pairings);
  });
  afterEach(() => stage.dispose());

  function over(store: PairingStore): Pairings {
    return createPairings({ pairings: store, sessionSecrets: secrets, clock: stage.clock }, keys);
  }

  /** The key that was made, if one was. */
  async function redeemed(secret: string, origin?: Origin): Promise<MintedKey | undefined> {
    const made = await pairings.redeem(secret, origin);
    if (made !== undefined && 'code' in made) throw new Error(made.code);
    return made;
  }

  const wish = (secretHash: string) =>
    ({ secretHash, account: OWNER, scopes: ['pins:write'], label: 'Laptop', cause: CAUSE }) as const;

  it('makes none before somebody agrees, then one, as it was agreed to, and none again', async () => {
    const { text: secret, hash } = secrets.mint();
    expect(await pairings.redeem(secret)).to.equal(undefined);
    expect(await pairings.agree(wish(hash))).to.deep.equal({ kind: 'agreed' });
    expect(await keys.list(OWNER)).to.deep.equal([]);
    const made = await redeemed(secret, { request: 'polled' });
    expect(made?.key).to.deep.include({ account: OWNER, scopes: ['pins:write'], label: 'Laptop' });
    expect((await keys.authenticate(made?.text ?? ''))?.id).to.equal(made?.key.id);
    expect(await pairings.redeem(secret)).to.equal(undefined);
    expect(await keys.list(OWNER)).to.have.lengthOf(1);
    const history = createHistory({ ...stage.ports, history: stage.memory.history });
    const page = await history.list({ by: OPERATOR });
    const [event, ...others] = page.kind === 'page' ? page.events : [];
    expect(event).to.deep.include({ type: 'key.created', actor: CAUSE.actor, request: 'polled' });
    expect(others).to.deep.equal([]);
  });

  it('makes none after ten minutes, nor for another secret', async () => {
    const [one, other, late] = [secrets.mint(), secrets.mint(), secrets.mint()];
    await pairings.agree(wish(one.hash));
    await pairings.agree(wish(late.hash));
    stage.clock.advance(minutes(9.99));
    expect((await redeemed(one.text))?.key.account).to.equal(OWNER);
    expect(await pairings.redeem(other.text)).to.equal(undefined);
    stage.clock.advance(minutes(0.01));
    expect(await pairings.redeem(late.text)).to.equal(undefined);
    await pairings.agree(wish(secrets.mint().hash));
    expect(await stage.memory.pairings.purge(stage.clock.now(), 10), 'dropped before').to.equal(0);
  });

  it('means the first of two agreements', async () => {
    const { text, hash } = secrets.mint();
    await pairings.agree(wish(hash));
    await pairings.agree({ ...wish(hash), account: 'other', label: 'Second' });
    expect((await redeemed(text))?.key.label).to.equal('Laptop');
  });

  it('makes none while the account may change nothing, and then the one that was agreed to', async () => {
    const { text: secret, hash } = secrets.mint();
    await pairings.agree(wish(hash));
    const administration = createAdministration(stage.ports);
    const cause = { actor: { kind: 'operator', id: null } } as const;
    await administration.blockAccount(OWNER, { reason: 'a test', sites: 'keep' }, cause);
    for (let n = 0; n < 2; n += 1) {
      expect(await pairings.redeem(secret)).to.deep.include({ kind: 'refused', code: 'account_blocked' });
    }
    expect(await keys.list(OWNER)).to.deep.equal([]);
    await administration.unblockAccount(OWNER, cause);
    expect((await redeemed(secret))?.key.label).to.equal('Laptop');
    expect(await pairings.redeem(secret)).to.equal(undefined);
  });

  it('gives no key that administers, or that does nothing, and none for what is no hash', async () => {
    const { hash } = secrets.mint();
    for (const scopes of [[], ['admin'], ['pins:read', 'admin']] as const) {
      await pairings.agree({ ...wish(hash), scopes }).then(
        () => expect.fail('agreed'),
        (error) => expect(error).to.be.instanceOf(TypeError),
      );
    }
    for (const text of ['', hash.toUpperCase(), hash.slice(1), `${hash}0`, `${hash.slice(1)}g`]) {
      expect(await pairings.agree(wish(text)), text).to.deep.equal({ kind: 'unknown' });
    }
  });

  it('asks the store for nothing that is no secret, and takes nothing while it waits', async () => {
    const asked: string[] = [];
    const pairings = over(
      replacing(stage.memory.pairings, {
        find: async () => {
          asked.push('find');
          return undefined;
        },
        take: async () => {
          asked.push('take');
          return undefined;
        },
      }),
    );
    for (const text of ['', 'x', 'a'.repeat(44)]) expect(await pairings.redeem(text)).to.equal(undefined);
    expect(asked).to.deep.equal([]);
    await pairings.redeem(secrets.mint().text);
    expect(asked).to.deep.equal(['find']);
  });

  it('shows eight characters of the hash, which tell two secrets apart', () => {
    expect(pairingCode(`${'0'.repeat(10)}${'f'.repeat(54)}`)).to.equal('0000-0000');
    expect(pairingCode('f'.repeat(64))).to.equal('ZZZZ-ZZZZ');
    const codes = Array.from({ length: 500 }, () => pairingCode(secrets.mint().hash) ?? '');
    expect(new Set(codes).size).to.equal(500);
    for (const code of codes) expect(code).to.match(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/);
    expect(pairingCode('0')).to.equal(undefined);
  });
});
