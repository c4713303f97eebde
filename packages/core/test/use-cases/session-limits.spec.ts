import { Fault, type Keys, type Measurement, OPERATOR, seconds } from '@pinfold/core';
import { createKeys, createSessions } from '@pinfold/core/accounts';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { OWNER, stageOfEachTest } from './stage.ts';

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
