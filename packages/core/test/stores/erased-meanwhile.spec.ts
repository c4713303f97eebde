import {
  ACCOUNT,
  anApiKey,
  anApiKeyId,
  anEvent,
  aPublication,
  aRoleId,
  aSession,
  aTakedown,
  publishTo,
  START,
} from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { after, type Day, hours, minutes } from '../../src/index.ts';
import { type Advance, forgetPersons } from '../../src/stores/erasing/erasure-steps.ts';
import { type Stores, storesOver } from './memory-stores.ts';
import { begin, ERASED_AT, erase, OTHER } from './rules/erasure-store/erase.ts';

/** An instant before the erasure. */
const EXPIRED_AT = after(START, hours(1));

/** Writes with the name of an account that was erased since it was read. */
const LATE: Readonly<Record<string, (stores: Stores, eraseNow: () => Promise<unknown>) => Promise<unknown>>> =
  {
    'an expiration': async ({ history }, eraseNow) => {
      const [expired] = await history.expired(EXPIRED_AT, 10);
      expect(expired?.account).to.equal(ACCOUNT);
      await eraseNow();
      const { role: pin = null, expiresAt: at = START } = expired ?? {};
      await history.recordExpired([anEvent({ type: 'pin.expired', pin, at })]);
    },
    'a refused sign-in': async ({ sessions }, eraseNow) => {
      await eraseNow();
      await sessions.refuse({ ...anEvent({ type: 'session.refused' }), account: ACCOUNT }, START);
    },
    'the end of a ban': async ({ takedowns }, eraseNow) => {
      const [takedown] = await takedowns.of([aRoleId(1)]);
      expect(takedown?.account).to.equal(ACCOUNT);
      await eraseNow();
      const event = anEvent({ type: 'takedown.lifted', pin: aRoleId(1) });
      expect(await takedowns.lift(aTakedown(1), ERASED_AT, [event])).to.deep.equal({ kind: 'conflict' });
    },
  };

describe('a change that begins before an erasure and is stored after it', () => {
  for (const [change, store] of Object.entries(LATE)) {
    it(`does not store the name of the account again: ${change}`, async () => {
      const stores = storesOver();
      await publishTo(stores.roles, aPublication(1, { expiresAt: EXPIRED_AT }));
      await stores.sessions.begin(aSession(1), [anEvent()]);
      await stores.sessions.refuse({ ...anEvent({ type: 'session.refused' }), account: ACCOUNT }, START);
      await stores.takedowns.takeDown(aTakedown(1), undefined, []);
      await store(stores, () => erase(stores));
      expect(await begin(stores)).to.equal('unknown');
    });
  }

  it('stores no counts of views for its publications, and no password tries with addresses of viewers', async () => {
    const { roles, views, attempts, erasures } = storesOver();
    await publishTo(roles, aPublication(1));
    await publishTo(roles, aPublication(2, { account: OTHER }));
    await erase({ erasures, roles });
    const limits = { window: minutes(5), perAddress: 10, perRole: 300 };
    const listed: unknown[] = [];
    for (const role of [aRoleId(1), aRoleId(2)]) {
      await views.add([{ role, day: 1 as Day, views: 1, refusedPasswords: 0 }]);
      listed.push((await views.list(role, 0 as Day)).length);
      const outcome = await attempts.begin({ role, address: '192.0.2.1', now: ERASED_AT, ...limits });
      if (outcome.kind !== 'admitted') throw new Error(outcome.kind);
      listed.push(await attempts.countEnded(after(ERASED_AT, hours(1))));
      await attempts.forgive(outcome.ticket);
    }
    expect(listed).to.deep.equal([0, 0, 1, 3]);
  });

  it('does not record the use of a key that stays as the first one', async () => {
    const { apiKeys, erasures, roles } = storesOver();
    await apiKeys.create(anApiKey(1), []);
    await erase({ erasures, roles });
    await apiKeys.touch(anApiKeyId(1), ERASED_AT, START);
    expect(await apiKeys.find(anApiKeyId(1))).to.include({ account: 'erased:0001', lastUsedAt: null });
  });
});

describe('the search for the persons of an erased account', () => {
  it('reads the list of thousands of persons once for all events of a step', () => {
    let readings = 0;
    const persons = new Proxy(
      Array.from({ length: 2_000 }, (_, n) => `person-${n}`),
      {
        get: (target, member) => {
          readings += 1;
          return Reflect.get(target, member);
        },
      },
    );
    const place = { account: ACCOUNT, replacement: OTHER, searchedTo: null, isSearched: false };
    const erasure = { ...place, persons, actor: { kind: 'system', id: null } } as const;
    const steps = forgetPersons(erasure, { more: [] as readonly string[] } as Advance);
    steps.next();
    const page = Array.from({ length: 500 }, (_, n) =>
      anEvent({ actor: { kind: 'person', id: `someone-${n}` } }),
    );
    steps.next(page);
    expect(readings).to.be.within(1, 10_000);
  });
});
