import type { Instant, Session, SessionStore, Sha256, SignInLink } from '@pinfold/core';
import type { Spoiling } from '../../saboteurs/memory-saboteurs.ts';
import { type Sabotages, turns, waysOf } from '../ways.ts';

const { does, answers, asks, hurries, isRawIn } = waysOf<SessionStore>();

/** Another session is begun than was given. */
const beginning = (change: (session: Session) => Partial<Session>): Spoiling<SessionStore> =>
  asks('begin', (session, events) => [{ ...session, ...change(session) }, events]);

/** Another link is offered than was given. */
const offering = (change: (link: SignInLink) => Partial<SignInLink>): Spoiling<SessionStore> =>
  asks('offer', (link, events) => [{ ...link, ...change(link) }, events]);

/** What comes of a link is kept otherwise than it is answered. */
const keeping = (change: (session: Session, asked: Session) => Partial<Session>): Spoiling<SessionStore> =>
  does('redeem', async (store, request, events) => {
    const answer = await store.redeem(request, events);
    if (answer.kind === 'redeemed') {
      await store.begin({ ...answer.session, ...change(answer.session, request.session as Session) }, []);
    }
    return answer;
  });

/** What comes of a link is another session than was given. */
const redeeming = (change: (session: Session) => Partial<Session>): Spoiling<SessionStore> =>
  asks('redeem', (request, events) => [
    { ...request, session: { ...request.session, ...change(request.session as Session) } },
    events,
  ]);

export const UNKNOWN = { kind: 'unknown' } as const;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const whole = (at: Instant): Instant => (Math.floor(at / SECOND) * SECOND) as Instant;

/** Ways to be wrong in links and in beginning sessions, written from the sentences of the port alone. */
export const begunSessionSabotages: Sabotages<SessionStore> = {
  'a link begins a session for managing only': offering(() => ({ scope: 'manage' })),
  'a link does not say which operator made it': offering(({ actor }) => ({ actor: { ...actor, id: null } })),
  'whoever made a link is an operator': offering(({ actor }) => ({ actor: { ...actor, kind: 'operator' } })),
  'a maker of a link without a name is called so': offering(({ actor }) => ({
    actor: { ...actor, id: actor.id ?? '' },
  })),
  'the account of a link is in lower case': offering(({ account }) => ({
    account: account.toLowerCase() as Session['account'],
  })),
  'a link ends at a whole second': offering(({ endsAt }) => ({ endsAt: whole(endsAt) })),
  'a link holds a second longer': offering(({ endsAt }) => ({ endsAt: (endsAt + SECOND) as Instant })),
  'an account has the last of its links alone': () => {
    const links = new Map<string, Sha256>();
    return (store) => ({
      offer: async (link, events) => {
        links.set(link.account, link.tokenHash);
        await store.offer(link, events);
      },
      redeem: async (request, events) => {
        if (![...links.values()].includes(request.link)) return UNKNOWN;
        return store.redeem(request, events);
      },
    });
  },
  'a link is there for whoever offered it': () => (store) => {
    const own = new Set<string>();
    return {
      offer: async (link, events) => {
        own.add(link.tokenHash);
        await store.offer(link, events);
      },
      redeem: async (request, events) => (own.has(request.link) ? store.redeem(request, events) : UNKNOWN),
    };
  },
  'a link is offered a little after that was answered': hurries('offer', undefined),
  'a link is there again once a session ends': () => {
    const links: SignInLink[] = [];
    return (store) => ({
      offer: async (link, events) => {
        links.push(link);
        await store.offer(link, events);
      },
      end: async (hash, events) => {
        await store.end(hash, events);
        for (const link of links) await store.offer(link, []);
      },
    });
  },
  'of many at once several redeem a link': () => {
    const links = new Map<string, SignInLink>();
    return (store) => ({
      offer: async (link, events) => {
        links.set(link.tokenHash, link);
        await store.offer(link, events);
      },
      redeem: async (request, events) => {
        const link = links.get(request.link);
        await turns(2);
        const answer = await store.redeem(request, events);
        links.delete(request.link);
        if (answer.kind === 'redeemed' || link === undefined || link.endsAt <= request.now) return answer;
        const { account, actor, scope } = link;
        const session = { ...request.session, account, actor, scope };
        await store.begin(session, []);
        return { kind: 'redeemed', session };
      },
    });
  },
  'a link is redeemed at the very instant of its end': asks('redeem', (request, events) => [
    { ...request, now: request.now - 1 },
    events,
  ]),
  'whether a link has ended is asked at the start of the session': asks('redeem', (request, events) => [
    { ...request, now: request.session.startedAt },
    events,
  ]),
  'whether a link has ended is asked of the clock of this machine': asks('redeem', (request, events) => [
    { ...request, now: Date.now() },
    events,
  ]),
  'a session of a link begins though the link is unknown': does('redeem', async (store, request, events) => {
    const answer = await store.redeem(request, events);
    if (answer.kind === 'unknown') {
      const account = 'unknown' as Session['account'];
      await store.begin(
        { ...request.session, account, actor: { kind: 'system', id: null }, scope: 'manage' },
        [],
      );
    }
    return answer;
  }),
  'a session ends with the link it came of': () => {
    const ends = new Map<string, Instant>();
    return (store) => ({
      offer: async (link, events) => {
        ends.set(link.tokenHash, link.endsAt);
        await store.offer(link, events);
      },
      redeem: async (request, events) => {
        const { endsAt } = request.session;
        const latest = Math.min(endsAt, ends.get(request.link) ?? endsAt) as Instant;
        return store.redeem({ ...request, session: { ...request.session, endsAt: latest } }, events);
      },
    });
  },
  'redeeming a link ends the other sessions of its account': does(
    'redeem',
    async (store, request, events) => {
      const answer = await store.redeem(request, events);
      if (answer.kind === 'unknown') return answer;
      const { account, tokenHash } = answer.session;
      const all = await store.list({ account, now: request.now, after: undefined, limit: 1_000 });
      for (const other of all) if (other.tokenHash !== tokenHash) await store.end(other.tokenHash, []);
      return answer;
    },
  ),
  'a session of a link starts when it is redeemed': asks('redeem', (request, events) => [
    { ...request, session: { ...request.session, startedAt: request.now } },
    events,
  ]),
  'a session of a link has no name': redeeming(() => ({ displayName: null })),
  'a session of a link has no key': redeeming(() => ({ apiKey: null })),
  'the scope of a link is answered and not kept': keeping(() => ({ scope: 'manage' })),
  'who made a link is answered and not kept': keeping(() => ({ actor: { kind: 'person', id: null } })),
  'the answer to a link bears the hash of the link': answers('redeem', (answer, { link }) =>
    answer.kind === 'redeemed' ? { ...answer, session: { ...answer.session, tokenHash: link } } : answer,
  ),
  'the session of a link is begun a little after it was answered': () => (store) => ({
    redeem: async (request, events) => {
      const answer = await store.redeem(request, events);
      if (answer.kind === 'unknown') return answer;
      await store.end(answer.session.tokenHash, []);
      void turns(30).then(() => store.begin(answer.session, []).catch(() => undefined));
      return answer;
    },
  }),
  'links are told apart by 16 digits': () => {
    const links = new Map<string, Sha256>();
    return (store) => ({
      offer: async (link, events) => {
        links.set(link.tokenHash.slice(0, 16), link.tokenHash);
        await store.offer(link, events);
      },
      redeem: async (request, events) =>
        store.redeem({ ...request, link: links.get(request.link.slice(0, 16)) ?? request.link }, events),
    });
  },
  'an account has one session': does('begin', async (store, session, events) => {
    const { account, startedAt } = session;
    const all = await store.list({ account, now: startedAt, after: undefined, limit: 1_000 });
    for (const other of all) await store.end(other.tokenHash, []);
    await store.begin(session, events);
  }),
  'a key has one session': does('begin', async (store, session, events) => {
    const { apiKey, startedAt } = session;
    const all = await store.list({ account: undefined, now: startedAt, after: undefined, limit: 1_000 });
    const others = all.filter((other) => apiKey !== null && other.apiKey === apiKey);
    for (const other of others) await store.end(other.tokenHash, []);
    await store.begin(session, events);
  }),
  'an empty name is none': beginning(({ displayName }) => ({ displayName: displayName || null })),
  'a name that is none is empty': beginning(({ displayName }) => ({ displayName: displayName ?? '' })),
  'a name is cut to 40 characters': beginning(({ displayName }) => ({
    displayName: displayName?.slice(0, 40) ?? null,
  })),
  'a name is composed (NFC)': beginning(({ displayName }) => ({
    displayName: displayName?.normalize('NFC') ?? null,
  })),
  'a session of a key is in the name of the key': beginning(({ apiKey, actor }) => ({
    actor: apiKey === null ? actor : { kind: 'key', id: apiKey },
  })),
  'who acts has the name of the account where there is none': beginning(({ account, actor }) => ({
    actor: { ...actor, id: actor.id ?? account },
  })),
  'whoever began a session without a key is a person': beginning(({ apiKey, actor }) => ({
    actor: apiKey === null ? { ...actor, kind: 'person' } : actor,
  })),
  'a session starts at a whole second': beginning(({ startedAt }) => ({ startedAt: whole(startedAt) })),
  'a session ends at a whole second': beginning(({ endsAt }) => ({ endsAt: whole(endsAt) })),
  'a session lasts twelve hours at most': beginning(({ startedAt, endsAt }) => ({
    endsAt: Math.min(endsAt, startedAt + 720 * MINUTE) as Instant,
  })),
  'every session may do what a person may': beginning(() => ({ scope: 'manage' })),
  'the key of a session is in lower case': beginning(({ apiKey }) => ({
    apiKey: (apiKey?.toLowerCase() ?? null) as Session['apiKey'],
  })),
  'beginning lets out what the database said': isRawIn('begin'),
};
