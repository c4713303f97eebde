import {
  after,
  days,
  Fault,
  type Keys,
  type MintedKey,
  minutes,
  OPERATOR,
  type Origin,
  type PairingStore,
  type Pairings,
  type Sha256,
} from '@pinfold/core';
import { createKeys, createPairings, createSessions } from '@pinfold/core/accounts';
import { pairingCode, sessionIdOf } from '@pinfold/core/internal';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { listedKeys } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { codeOf, eventsOf, OWNER, stageOfEachTest } from './stage.ts';

const WAITING = { kind: 'waiting' };
const UNKNOWN = { kind: 'unknown' };
const CAUSE = { actor: { kind: 'person', id: 'u1' }, request: 'agreed' } as const;

describe('pairing a program with an account', () => {
  const stage = stageOfEachTest();
  let keys: Keys;
  let pairings: Pairings;
  beforeEach(() => {
    keys = createKeys(stage.ports);
    pairings = pairingsOver(stage.memory.pairings);
  });

  function pairingsOver(store: PairingStore): Pairings {
    return createPairings({ ...stage.ports, pairings: store }, keys);
  }

  /** The created key, if any. */
  async function redeemed(secret: string, origin?: Origin): Promise<MintedKey | undefined> {
    const outcome = await pairings.redeem(secret, origin);
    if (outcome.kind === 'refused') throw new Error(outcome.code);
    return outcome.kind === 'made' ? outcome : undefined;
  }

  /** Lists the history, newest first. */
  async function events(): Promise<unknown> {
    // Events of one instant are in order of their random ids.
    const latestFirst = (await eventsOf(stage)).toSorted((one, two) => two.type.localeCompare(one.type));
    return latestFirst.map(({ type, actor, account, request }) => ({ type, actor, account, request }));
  }

  const agreement = (secretHash: string) =>
    ({ secretHash, account: OWNER, scopes: ['pins:write'], label: 'Laptop', cause: CAUSE }) as const;

  /** A program that registered. */
  async function program(): Promise<{ readonly text: string; readonly hash: Sha256 }> {
    const minted = await stage.ports.sessionSecrets.mint();
    expect(await pairings.register(minted.hash)).to.deep.equal({ kind: 'registered' });
    return minted;
  }

  const listed = () => listedKeys(keys, OWNER);

  it('creates no key before the consent, then one key as in the consent, and no second one', async () => {
    const { text: secret, hash } = await program();
    expect(await pairings.redeem(secret)).to.deep.equal(WAITING);
    expect(await pairings.agree(agreement(hash))).to.deep.equal({ kind: 'agreed' });
    expect(await listed()).to.deep.equal([]);
    const made = await redeemed(secret, { request: 'polled' });
    expect(made?.key).to.deep.include({
      account: OWNER,
      scopes: ['pins:write'],
      label: 'Laptop',
      isEnsured: false,
    });
    expect((await keys.authenticate(made?.text ?? ''))?.id).to.equal(made?.key.id);
    expect(await pairings.redeem(secret)).to.deep.equal(UNKNOWN);
    expect(await listed()).to.have.lengthOf(1);
    expect(await events()).to.deep.equal([
      { type: 'key.created', actor: CAUSE.actor, account: OWNER, request: 'polled' },
      { type: 'key.agreed', actor: CAUSE.actor, account: OWNER, request: 'agreed' },
    ]);
  });

  it('stores no consent for an unregistered program', async () => {
    const { text, hash } = await stage.ports.sessionSecrets.mint();
    expect(await pairings.isRegistered(hash)).to.equal(false);
    expect(await pairings.agree(agreement(hash))).to.deep.equal(UNKNOWN);
    expect(await pairings.redeem(text)).to.deep.equal(UNKNOWN);
    expect(await events()).to.deep.equal([]);
    await pairings.register(hash);
    expect(await pairings.isRegistered(hash)).to.equal(true);
  });

  it('creates no key ten minutes after the registration, or for another secret', async () => {
    const [one, late, other] = [await program(), await program(), await stage.ports.sessionSecrets.mint()];
    await pairings.agree(agreement(one.hash));
    await pairings.agree({ ...agreement(late.hash), cause: { actor: { kind: 'person', id: 'u2' } } });
    stage.clock.advance(minutes(9.99));
    expect((await redeemed(one.text))?.key.account).to.equal(OWNER);
    expect(await pairings.redeem(other.text)).to.deep.equal(UNKNOWN);
    stage.clock.advance(minutes(0.01));
    expect(await pairings.redeem(late.text)).to.deep.equal(UNKNOWN);
    expect(await pairings.isRegistered(late.hash)).to.equal(false);
  });

  it('forgets programs that registered by a clock that was days ahead: each would wait for days', async () => {
    const wrong = replacing(stage.clock, { now: () => after(stage.clock.now(), days(9)) });
    const ahead = createPairings({ ...stage.ports, clock: wrong }, keys);
    const { mint } = stage.ports.sessionSecrets;
    const [late, agreed] = [await mint(), await mint()];
    for (const { hash } of [late, agreed]) await ahead.register(hash);
    await ahead.agree(agreement(agreed.hash));
    expect(await ahead.isRegistered(late.hash)).to.equal(true);
    expect(await pairings.isRegistered(late.hash)).to.equal(false);
    expect(await pairings.agree(agreement(late.hash))).to.deep.equal(UNKNOWN);
    expect(await pairings.redeem(agreed.text)).to.deep.equal(UNKNOWN);
    const { hash } = await program();
    const registration = { now: stage.clock.now(), endsAt: after(stage.clock.now(), minutes(10)), limit: 2 };
    expect((await stage.memory.pairings.register({ ...registration, secretHash: late.hash })).kind).to.equal(
      'registered',
    );
    expect(await pairings.isRegistered(late.hash)).to.equal(true);
    expect(await pairings.isRegistered(hash)).to.equal(true);
  });

  it('creates no key once the session of the consent has ended, or its key was revoked', async () => {
    const sessions = createSessions(stage.ports, keys);
    const begin = async () => {
      const { key, text } = await keys.create({ by: OPERATOR, account: OWNER, scopes: ['manage'] });
      const started = await sessions.signInWithKey(text);
      if (started?.kind !== 'started') throw new Error('not signed in');
      return { key, ...started };
    };
    const ends: Readonly<Record<string, (one: Awaited<ReturnType<typeof begin>>) => Promise<unknown>>> = {
      'a sign-out': ({ token }) => sessions.end(token),
      'the end by an operator': ({ session }) => sessions.endById({ by: OPERATOR, id: sessionIdOf(session) }),
      'the revocation of its key': ({ key }) => keys.revoke({ by: OPERATOR, id: key.id }),
    };
    for (const [what, end] of Object.entries(ends)) {
      const one = await begin();
      const { text, hash } = await program();
      const { tokenHash: session, apiKey: key } = one.session;
      await pairings.agree({ ...agreement(hash), scopes: ['manage'], credential: { session, key } });
      const before = await listed();
      await end(one);
      expect(await pairings.redeem(text), what).to.deep.equal(WAITING);
      expect(await listed()).to.have.lengthOf(before.length);
    }
  });

  it('is refused if the account has too many keys, before and after the consent', async () => {
    keys = createKeys(stage.ports, { limit: 1 });
    pairings = pairingsOver(stage.memory.pairings);
    const { text, hash } = await program();
    await pairings.agree(agreement(hash));
    const { key } = await keys.create({ by: OPERATOR, account: OWNER });
    const full = { kind: 'refused', code: 'quota_exceeded', rule: 'keys', limit: 1, actual: 2 };
    expect(await pairings.redeem(text)).to.deep.equal(full);
    expect(await pairings.agree(agreement((await program()).hash))).to.deep.equal(full);
    await keys.revoke({ by: OPERATOR, id: key.id });
    expect((await redeemed(text))?.key.label).to.equal('Laptop');
  });

  it('creates the key of the consent after a fault of the store', async () => {
    const { text, hash } = await program();
    await pairings.agree(agreement(hash));
    const failing = pairingsOver(
      replacing(stage.memory.pairings, {
        take: async () => {
          throw new Fault('store_unavailable', 'a test');
        },
      }),
    );
    expect(await codeOf(failing.redeem(text))).to.equal('store_unavailable');
    expect((await redeemed(text))?.key.label).to.equal('Laptop');
  });

  it('tries another id if one is taken', async () => {
    const { text, hash } = await program();
    await pairings.agree(agreement(hash));
    let tries = 0;
    const unlucky = pairingsOver(
      replacing(stage.memory.pairings, {
        take: async (request, events) => {
          tries += 1;
          return tries === 1 ? { kind: 'exists' } : await stage.memory.pairings.take(request, events);
        },
      }),
    );
    expect((await unlucky.redeem(text)).kind).to.equal('made');
    expect(tries).to.equal(2);
  });

  it('stores no consent to the scope admin, or without a scope', async () => {
    const { hash } = await stage.ports.sessionSecrets.mint();
    for (const scopes of [[], ['admin'], ['pins:read', 'admin']] as const) {
      await pairings.agree({ ...agreement(hash), scopes }).then(
        () => expect.fail('agreed'),
        (error) => expect(error).to.be.instanceOf(TypeError),
      );
    }
  });

  it('does not ask the store for a malformed secret or hash, and writes nothing while it waits', async () => {
    const calls: string[] = [];
    const { find } = stage.memory.pairings;
    const pairings = pairingsOver(
      replacing(stage.memory.pairings, {
        find: async (hash, now) => {
          calls.push('find');
          return await find(hash, now);
        },
        agree: async () => expect.fail('agreed'),
        take: async () => {
          calls.push('take');
          return { kind: 'unknown' };
        },
      }),
    );
    const { hash } = await stage.ports.sessionSecrets.mint();
    const malformed = ['', 'x', 'a'.repeat(44), hash.slice(1), `${hash.slice(1)}g`, hash.toUpperCase()];
    for (const text of [...malformed, `${hash}0`]) {
      expect(await pairings.redeem(text), text).to.deep.equal(UNKNOWN);
      expect(await pairings.register(text), text).to.deep.equal(UNKNOWN);
      expect(await pairings.isRegistered(text), text).to.equal(false);
      expect(await pairings.agree(agreement(text)), text).to.deep.equal(UNKNOWN);
    }
    expect(calls).to.deep.equal([]);
    await pairings.redeem((await stage.ports.sessionSecrets.mint()).text);
    await pairings.redeem((await program()).text);
    expect(calls).to.deep.equal(['find', 'find']);
  });

  it('shows eight characters of the hash, by which two secrets differ', async () => {
    expect(pairingCode(`${'0'.repeat(10)}${'f'.repeat(54)}`)).to.equal('0000-0000');
    expect(pairingCode('f'.repeat(64))).to.equal('ZZZZ-ZZZZ');
    const minted = await Promise.all(Array.from({ length: 500 }, () => stage.ports.sessionSecrets.mint()));
    const codes = minted.map(({ hash }) => pairingCode(hash) ?? '');
    expect(new Set(codes).size).to.equal(500);
    for (const code of codes) expect(code).to.match(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/);
    expect(pairingCode('0')).to.equal(undefined);
  });
});
