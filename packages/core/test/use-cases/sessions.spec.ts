import {
  type ApiKeyStore,
  after,
  days,
  Fault,
  hours,
  type Keys,
  type Measurement,
  minutes,
  OPERATOR,
  type SessionId,
  type SessionStore,
  type Sessions,
  seconds,
} from '@pinfold/core';
import { createKeys, createSessions } from '@pinfold/core/accounts';
import { sessionIdOf } from '@pinfold/core/internal';
import { rejectionOf, replacing } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { OWNER, stageOfEachTest, startedOf } from './stage.ts';

describe('signing in to the management screen', () => {
  const stage = stageOfEachTest();
  let keys: Keys;
  let sessions: Sessions;
  beforeEach(() => {
    keys = createKeys(stage.ports);
    sessions = sessionsOver(stage.memory.sessions);
  });

  function sessionsOver(store: SessionStore, apiKeys: ApiKeyStore = stage.memory.apiKeys): Sessions {
    return createSessions({ ...stage.ports, sessions: store, apiKeys }, keys);
  }

  async function byLink() {
    const { token } = await sessions.offerLink(OWNER);
    const started = await sessions.redeem(token);
    if (started === undefined) throw new Error('the link was not redeemed');
    return started;
  }

  it('begins a session of a person from a provider for twelve hours, and of an administrator for one', async () => {
    const ada = { account: OWNER, id: 'u1', displayName: 'Ada', scope: 'manage' } as const;
    const { session, token } = startedOf(await sessions.signInPerson(ada));
    expect(session).to.deep.include({
      account: OWNER,
      apiKey: null,
      actor: { kind: 'person', id: 'u1' },
      displayName: 'Ada',
      scope: 'manage',
    });
    const admin = startedOf(await sessions.signInPerson({ ...ada, scope: 'admin' }));
    expect(admin.session.scope).to.equal('admin');
    stage.clock.advance(hours(0.99));
    expect(await sessions.find(admin.token)).to.deep.equal(admin.session);
    stage.clock.advance(hours(0.01));
    expect(await sessions.find(admin.token)).to.equal(undefined);
    stage.clock.advance(hours(10.99));
    expect(await sessions.find(token)).to.deep.equal(session);
    stage.clock.advance(hours(0.01));
    expect(await sessions.find(token)).to.equal(undefined);
  });

  it('gives the scope admin to keys and links with it, and manage to others', async () => {
    for (const [scopes, scope] of [
      [['manage'], 'manage'],
      [['pins:read', 'admin'], 'admin'],
    ] as const) {
      const { text } = await keys.create({ by: OPERATOR, account: OWNER, scopes });
      const started = await sessions.signInWithKey(text);
      expect(started).to.have.nested.property('session.scope', scope);
    }
    expect((await byLink()).session.scope).to.equal('manage');
    const { token } = await sessions.offerLink(OWNER, undefined, 'admin');
    expect((await sessions.redeem(token))?.session.scope).to.equal('admin');
  });

  it('redeems a link once, for its account and for twelve hours', async () => {
    const actor = { kind: 'person', id: 'eve' } as const;
    const { token } = await sessions.offerLink(OWNER, { actor });
    const started = await sessions.redeem(token);
    expect(started?.kind).to.equal('started');
    expect(started?.session.actor, 'the creator of the link').to.deep.equal({ kind: 'operator', id: 'eve' });
    expect(await sessions.redeem(token)).to.equal(undefined);
    stage.clock.advance(hours(11.99));
    expect(await sessions.find(started?.token ?? '')).to.include({ account: OWNER, apiKey: null });
    stage.clock.advance(hours(0.01));
    expect(await sessions.find(started?.token ?? '')).to.equal(undefined);
  });

  it('redeems no link after an hour, and no malformed token', async () => {
    const { token } = await sessions.offerLink(OWNER);
    stage.clock.advance(minutes(60));
    expect(await sessions.redeem(token)).to.equal(undefined);
    expect(await sessions.redeem('hello')).to.equal(undefined);
  });

  it('accepts no session or link of a clock that was days ahead: either would be valid for days', async () => {
    const wrong = replacing(stage.clock, { now: () => after(stage.clock.now(), days(9)) });
    const ahead = createSessions({ ...stage.ports, clock: wrong }, keys);
    const started = startedOf(
      await ahead.signInPerson({ account: OWNER, id: 'u1', displayName: 'Ada', scope: 'manage' }),
    );
    expect(await ahead.find(started.token)).to.deep.equal(started.session);
    expect(await sessions.find(started.token)).to.equal(undefined);
    expect((await sessions.list({ by: OWNER })).sessions).to.deep.equal([]);
    const { token } = await ahead.offerLink(OWNER);
    expect(await sessions.redeem(token)).to.equal(undefined);
    expect((await ahead.redeem(token))?.kind).to.equal('started');
  });

  it('does not ask the store for a malformed token', async () => {
    const fails = () => Promise.reject(new TypeError('the store was asked'));
    const all = { redeem: fails, find: fails, end: fails, list: fails };
    const storeless = sessionsOver(replacing(stage.memory.sessions, all));
    expect(await storeless.redeem('hello')).to.equal(undefined);
    expect(await storeless.find('hello')).to.equal(undefined);
    await storeless.end('hello');
    expect(await storeless.endById({ by: OWNER, id: 'hello' })).to.deep.equal({ kind: 'unknown' });
    await sessions.end((await stage.ports.sessionSecrets.mint()).text);
  });

  it('does not accept the token of a link as that of a session, or vice versa', async () => {
    const { token } = await sessions.offerLink(OWNER);
    expect(await sessions.find(token)).to.equal(undefined);
    const started = await byLink();
    expect(await sessions.redeem(started.token)).to.equal(undefined);
  });

  it('lists to each account its own sessions, in pages', async () => {
    const mine = [await byLink(), await byLink(), await byLink()];
    const { token } = await sessions.offerLink('stranger');
    const otherSession = await sessions.redeem(token);
    const walk = async (by: typeof OPERATOR | string, account?: string): Promise<readonly string[]> => {
      const ids: string[] = [];
      const owner = account === undefined ? { by } : { by, account };
      let after: SessionId | undefined;
      do {
        const page = await sessions.list({ ...owner, limit: 1, ...(after === undefined ? {} : { after }) });
        ids.push(...page.sessions.map(sessionIdOf));
        after = page.next;
      } while (after !== undefined);
      return ids.toSorted();
    };
    const own = mine.map(({ session }) => sessionIdOf(session)).toSorted();
    const others = otherSession === undefined ? [] : [sessionIdOf(otherSession.session)];
    expect(await walk(OPERATOR)).to.deep.equal([...own, ...others].toSorted());
    expect(await walk(OPERATOR, OWNER)).to.deep.equal(own);
    expect(await walk(OWNER)).to.deep.equal(own);
    expect(await walk(OWNER, 'stranger'), 'of another account').to.deep.equal(own);
    stage.clock.advance(hours(12));
    expect(await walk(OPERATOR)).to.deep.equal([]);
    for (const limit of [0, 101, 1.5]) {
      expect(await rejectionOf(sessions.list({ by: OWNER, limit }))).to.be.instanceOf(TypeError);
    }
  });

  it('lists no session of a revoked key', async () => {
    const { key, text } = await keys.create({ by: OPERATOR, account: OWNER, scopes: ['manage'] });
    await sessions.signInWithKey(text);
    expect((await sessions.list({ by: OWNER })).sessions).to.have.length(1);
    await keys.revoke({ by: OWNER, id: key.id });
    expect(await sessions.list({ by: OWNER })).to.deep.equal({ sessions: [], next: undefined });
  });

  it('ends a session by its id, for its account and for the operator', async () => {
    const [one, other] = [await byLink(), await byLink()];
    const id = sessionIdOf(one.session);
    const unknown = { kind: 'unknown' };
    for (const wrong of [id.slice(1), `${id}0`, 'nobody', '']) {
      expect(await sessions.endById({ by: OPERATOR, id: wrong }), wrong).to.deep.equal(unknown);
    }
    expect(await sessions.endById({ by: 'stranger', id }), 'of another account').to.deep.equal(unknown);
    expect(await sessions.find(one.token)).to.deep.equal(one.session);
    expect(await sessions.endById({ by: OPERATOR, id })).to.deep.equal({ kind: 'ended' });
    expect(await sessions.find(one.token)).to.equal(undefined);
    expect(await sessions.endById({ by: OPERATOR, id }), 'again').to.deep.equal(unknown);
    expect(await sessions.find(other.token)).to.deep.equal(other.session);
    expect(await sessions.endById({ by: OWNER, id: sessionIdOf(other.session) })).to.deep.equal({
      kind: 'ended',
    });
    expect(await sessions.endById({ by: OWNER, id }), 'of a session that has ended').to.deep.equal(unknown);
  });

  it('signs in with a key of the scope manage, which is not a default scope', async () => {
    const usual = await keys.create({ by: OPERATOR, account: OWNER });
    const manager = await keys.create({ by: OPERATOR, account: OWNER, scopes: ['manage'] });
    expect(await sessions.signInWithKey(usual.text)).to.deep.include({ kind: 'refused', code: 'forbidden' });
    expect(await sessions.signInWithKey(`${manager.text}x`)).to.equal(undefined);
    const started = await sessions.signInWithKey(manager.text);
    expect(started).to.deep.include({ kind: 'started' });
    const stored = await stage.memory.apiKeys.find(manager.key.id);
    expect(stored?.lastUsedAt).to.equal(stage.clock.now());
  });

  it('ends the sessions of a key when the key is revoked', async () => {
    const manager = await keys.create({ by: OPERATOR, account: OWNER, scopes: ['manage'] });
    const started = await sessions.signInWithKey(manager.text);
    if (started?.kind !== 'started') throw new Error('not signed in');
    expect(await sessions.find(started.token)).to.deep.equal(started.session);
    const find: ApiKeyStore['find'] = () => Promise.resolve(undefined);
    const without = sessionsOver(stage.memory.sessions, replacing(stage.memory.apiKeys, { find }));
    expect(await without.find(started.token), 'a key that is not there at all').to.equal(undefined);
    await keys.revoke({ id: manager.key.id, by: OPERATOR });
    expect(await sessions.find(started.token)).to.equal(undefined);
    expect(await sessions.signInWithKey(manager.text)).to.equal(undefined);
  });
});

describe('the limit of sessions', () => {
  const stage = stageOfEachTest();
  let keys: Keys;
  beforeEach(() => {
    keys = createKeys(stage.ports);
  });

  it('begins a session even if the cleanup after it fails', async () => {
    const fail = async () => {
      throw new Fault('store_unavailable', 'a test');
    };
    const { text } = await keys.create({ by: OPERATOR, account: OWNER, scopes: ['manage'] });
    const store = replacing(stage.memory.sessions, { purge: fail });
    const sessions = createSessions({ ...stage.ports, sessions: store }, { ...keys, noteUse: fail });
    const person = { account: OWNER, id: 'u1', displayName: 'Ada', scope: 'manage' } as const;
    for (const started of [
      await sessions.redeem((await sessions.offerLink(OWNER)).token),
      await sessions.signInWithKey(text),
      await sessions.signInPerson(person),
    ]) {
      if (started?.kind !== 'started') throw new Error('no session began');
      expect((await sessions.find(started.token))?.account).to.equal(OWNER);
    }
  });

  it('ends and reports the oldest session if a key, a person or a creator of links has more than a hundred', async () => {
    const measurements: Measurement[] = [];
    const bounded = createSessions(stage.ports, keys, {
      observe: (measurement) => measurements.push(measurement),
    });
    const { text } = await keys.create({ by: OPERATOR, account: OWNER, scopes: ['manage'] });
    const person = { account: OWNER, id: 'u1', displayName: 'Ada', scope: 'manage' } as const;
    const unobserved = createSessions(stage.ports, keys);
    for (let n = 0; n <= 100; n += 1) await unobserved.signInPerson({ ...person, id: 'u2' });
    const ways: readonly (() => Promise<unknown>)[] = [
      () => bounded.signInWithKey(text),
      () => bounded.signInPerson(person),
      async () => await bounded.redeem((await bounded.offerLink(OWNER)).token),
    ];
    for (const way of ways) {
      measurements.length = 0;
      const first = (await way()) as { readonly token: string };
      for (let n = 1; n < 100; n += 1) {
        stage.clock.advance(seconds(1));
        await way();
      }
      expect(await bounded.find(first.token), 'of a hundred').not.to.equal(undefined);
      expect(measurements).to.deep.equal([]);
      stage.clock.advance(seconds(1));
      const last = (await way()) as { readonly token: string };
      expect(await bounded.find(first.token)).to.equal(undefined);
      expect(await bounded.find(last.token)).not.to.equal(undefined);
      expect(measurements).to.deep.equal([{ kind: 'sessions_ended', reason: 'limit', count: 1 }]);
    }
  });
});
