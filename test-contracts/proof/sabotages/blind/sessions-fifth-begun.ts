import { type AccountId, Fault, type Instant, type Session, type SessionStore } from '@pinfold/core';
import { type Sabotages, turns, waysOf } from '../ways.ts';

const { asks, does } = waysOf<SessionStore>();

const begins = (change: (session: Session) => Partial<Session>) =>
  asks('begin', (session, events) => [{ ...session, ...change(session) }, events]);

/** All that are kept, ended or not. */
export const everySession = (store: SessionStore): Promise<readonly Session[]> =>
  store.list({
    account: undefined,
    now: Number.NEGATIVE_INFINITY as Instant,
    after: undefined,
    limit: Number.MAX_SAFE_INTEGER,
  });

/** Of what begins. */
export const begunFifth: Sabotages<SessionStore> = {
  'an account of digits loses the zeros it begins with': begins(({ account }) => ({
    account: account.replace(/^0+(?=\d+$)/, '') as AccountId,
  })),
  'an account has 255 units of UTF-16 at most': begins(({ account }) => ({
    account: account.slice(0, 255) as AccountId,
  })),
  'two dollars in a displayed name are one': begins(({ displayName }) => ({
    displayName: displayName?.replaceAll('$$', '$') ?? null,
  })),
  'an empty displayed name is none': begins(({ displayName }) => ({ displayName: displayName || null })),
  'the id of a doer ends at its first colon': begins(({ actor: { kind, id } }) => ({
    actor: { kind, id: id?.split(':')[0] ?? null },
  })),
  'a start is kept as seconds and a fraction that is cut off': begins(({ startedAt }) => {
    const whole = Math.trunc(startedAt / 1_000);
    return { startedAt: (whole * 1_000 + Math.trunc((startedAt / 1_000 - whole) * 1_000)) as Instant };
  }),
  'a displayed name is kept with its account': () => {
    const names = new Map<AccountId, string | null>();
    const named = (session: Session): Session => ({
      ...session,
      displayName: names.get(session.account) ?? null,
    });
    return (store) => ({
      begin: async (session, events) => {
        await store.begin(session, events);
        names.set(session.account, session.displayName);
      },
      redeem: async (request, events) => {
        const outcome = await store.redeem(request, events);
        if (outcome.kind === 'redeemed') names.set(outcome.session.account, outcome.session.displayName);
        return outcome;
      },
      find: async (...asked) => {
        const session = await store.find(...asked);
        return session && named(session);
      },
      list: async (query) => (await store.list(query)).map(named),
    });
  },
  'of an account one session begins at an instant': does('begin', async (store, session, events) => {
    for (const { account, startedAt, tokenHash } of await everySession(store)) {
      if (account === session.account && startedAt === session.startedAt) await store.end(tokenHash, []);
    }
    await store.begin(session, events);
  }),
  'two events of one instant are too many for a beginning': does('begin', async (store, session, events) => {
    if (new Set(events.map(({ at }) => at)).size < events.length) throw new Fault('store_corrupt', 'unique');
    await store.begin(session, events);
  }),
  'what begins in one turn is of one account': () => (store) => {
    let account: AccountId;
    return {
      begin: async (session, events) => {
        account = session.account;
        await turns(1);
        await store.begin({ ...session, account }, events);
      },
    };
  },
};
