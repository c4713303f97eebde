import type {
  AccountId,
  Instant,
  Redemption,
  Session,
  SessionStore,
  Sha256,
  SignInLink,
} from '@pinfold/core';
import type { Spoiling } from '../../saboteurs/memory-saboteurs.ts';
import { type Sabotages, turns, waysOf } from '../ways.ts';
import { fourthSessionsEnded } from './sessions-fourth-ended.ts';
import { fourthSessionsFound } from './sessions-fourth-found.ts';

const { answers, asks, does } = waysOf<SessionStore>();

const UNKNOWN = { kind: 'unknown' } as const;
const REDEEMED = { kind: 'redeemed' } as const;
const EVER = Number.MAX_SAFE_INTEGER as Instant;

/** A link is offered as another than was given. */
const offers = (change: (link: SignInLink) => Partial<SignInLink>) =>
  asks('offer', (link, events) => [{ ...link, ...change(link) }, events]);

/** A session begins as another than was given. */
const begins = (change: (session: Session) => Partial<Session>) =>
  asks('begin', (session, events) => [{ ...session, ...change(session) }, events]);

/** A session begins with a link as another than was given. */
const redeems = (change: (session: Omit<Session, 'account' | 'actor' | 'scope'>, now: number) => object) =>
  asks('redeem', (request, events) => [
    { ...request, session: { ...request.session, ...change(request.session, request.now) } },
    events,
  ]);

type Redeem = SessionStore['redeem'];

/** Redeems a link, which one of the peers may have offered, unless this says otherwise. */
const knowing =
  (redeem: (store: SessionStore, links: Map<Sha256, SignInLink>) => Redeem): Spoiling<SessionStore> =>
  () => {
    const links = new Map<Sha256, SignInLink>();
    return (store) => ({
      offer: async (link, events) => {
        await store.offer(link, events);
        links.set(link.tokenHash, link);
      },
      redeem: redeem(store, links),
    });
  };

/** Redeems a link as if nobody had offered it. */
const inVain = async (store: SessionStore, request: Redemption): ReturnType<Redeem> =>
  store.redeem({ ...request, link: '' as Sha256 }, []);

const offered: Sabotages<SessionStore> = {
  'an account has one link, the last': knowing((store, links) => async (request, events) => {
    const account = links.get(request.link)?.account;
    const last = [...links.values()].findLast((link) => link.account === account);
    return (last?.tokenHash ?? request.link) === request.link
      ? store.redeem(request, events)
      : inVain(store, request);
  }),
  'a link is known to the handle that offered it alone': () => (store) => {
    const own = new Set<Sha256>();
    return {
      offer: async (link, events) => {
        own.add(link.tokenHash);
        await store.offer(link, events);
      },
      redeem: async (request, events) =>
        own.has(request.link) ? store.redeem(request, events) : inVain(store, request),
    };
  },
  'links are kept by half of their hashes': () => {
    const kept = new Map<string, Sha256>();
    return (store) => ({
      offer: async (link, events) => {
        kept.set(link.tokenHash.slice(0, 32), link.tokenHash);
        await store.offer(link, events);
      },
      redeem: async (request, events) =>
        store.redeem({ ...request, link: kept.get(request.link.slice(0, 32)) ?? request.link }, events),
    });
  },
  'a link ends with the second before': offers(({ endsAt }) => ({
    endsAt: (Math.floor(endsAt / 1_000) * 1_000) as typeof endsAt,
  })),
  'a doer of no id has an empty one': offers(({ actor }) => ({ actor: { ...actor, id: actor.id ?? '' } })),
  'the account of a link is kept in its composed form': offers(({ account }) => ({
    account: account.normalize('NFC') as AccountId,
  })),
  'whoever is signed in redeems no further link': does('redeem', async (store, request, events) => {
    const answer = await store.redeem(request, events);
    if (answer.kind === 'unknown') return answer;
    const { account, tokenHash } = answer.session;
    const all = await store.list({ account, now: request.now, after: undefined, limit: 2 });
    if (all.length < 2) return answer;
    await store.end(tokenHash, []);
    return UNKNOWN;
  }),
};

const redeemed: Sabotages<SessionStore> = {
  'a link is redeemed at its very end': asks('redeem', (request, events) => [
    { ...request, now: request.now - 1 },
    events,
  ]),
  'a link has ended or not by the start of its session': asks('redeem', (request, events) => [
    { ...request, now: request.session.startedAt },
    events,
  ]),
  'a session of a link is of no key, whatever was given': redeems(() => ({ apiKey: null })),
  'a session of a link starts at the instant of its redemption': redeems((_, now) => ({ startedAt: now })),
  'a session of a link is kept without its name': does('redeem', async (store, request, events) => {
    const answer = await store.redeem(request, events);
    if (answer.kind === 'redeemed') await store.begin({ ...answer.session, displayName: null }, []);
    return answer;
  }),
  'a session of a link is answered without its name': answers('redeem', (answer) =>
    answer.kind === 'redeemed' ? { ...answer, session: { ...answer.session, displayName: null } } : answer,
  ),
  'a session ends no later than its link': knowing((store, links) => async (request, events) => {
    const ends = [request.session.endsAt, links.get(request.link)?.endsAt ?? request.session.endsAt];
    const endsAt = Math.min(...ends) as Session['endsAt'];
    return store.redeem({ ...request, session: { ...request.session, endsAt } }, events);
  }),
  'a link is looked for, and then taken from whoever took it': knowing(
    (store, links) => async (request, events) => {
      const link = links.get(request.link);
      await turns(1);
      links.delete(request.link);
      const answer = await store.redeem(request, events);
      if (answer.kind === 'redeemed' || link === undefined) return answer;
      await store.offer(link, []);
      return store.redeem(request, events);
    },
  ),
  'a link is free again when its session has ended': () => {
    const used = new Map<Sha256, Session>();
    return (store) => ({
      redeem: async (request, events) => {
        const before = used.get(request.link);
        const isOver = before && (await store.find(before.tokenHash, request.now)) === undefined;
        if (isOver) await store.offer({ ...before, ...request, tokenHash: request.link, endsAt: EVER }, []);
        const answer = await store.redeem(request, events);
        if (answer.kind === 'redeemed') used.set(request.link, answer.session);
        return answer;
      },
    });
  },
  'a link is redeemed again for the same session': does('redeem', async (store, request, events) => {
    const session = await store.find(request.session.tokenHash, request.now);
    const answer = await store.redeem(request, events);
    return answer.kind === 'unknown' && session !== undefined ? { ...REDEEMED, session } : answer;
  }),
  'a link that is redeemed takes the others of its account along': () => {
    const offers: SignInLink[] = [];
    const gone = new Set<Sha256>();
    return (store) => ({
      offer: async (link, events) => {
        await store.offer(link, events);
        offers.push(link);
      },
      redeem: async (request, events) => {
        if (gone.has(request.link)) return inVain(store, request);
        const answer = await store.redeem(request, events);
        for (const { tokenHash, account } of offers) {
          if (answer.kind === 'redeemed' && account === answer.session.account) gone.add(tokenHash);
        }
        return answer;
      },
    });
  },
  'links redeemed at once through a handle are bound to one statement': () => (store) => {
    let bound: Redemption['session'];
    return {
      redeem: async (request, events) => {
        bound = request.session;
        await turns(1);
        return store.redeem({ ...request, session: bound }, events);
      },
    };
  },
  'a link that has ended begins its session, and is unknown then': knowing(
    (store, links) => async (request, events) => {
      const [link, answer] = [links.get(request.link), await store.redeem(request, events)];
      if (answer.kind === 'unknown' && link !== undefined && link.endsAt <= request.now) {
        await store.begin({ ...link, ...request.session }, []);
      }
      return answer;
    },
  ),
};

const began: Sabotages<SessionStore> = {
  'a key has one session, the last': () => {
    const last = new Map<string, Sha256>();
    return (store) => ({
      begin: async (session, events) => {
        const before = session.apiKey === null ? undefined : last.get(session.apiKey);
        if (session.apiKey !== null) last.set(session.apiKey, session.tokenHash);
        if (before !== undefined) await store.end(before, []);
        await store.begin(session, events);
      },
    });
  },
  'a name that is the account is none': begins(({ displayName, account }) => ({
    displayName: displayName === (account as string) ? null : displayName,
  })),
  'the doer of a session is its key': begins(({ apiKey, actor }) => ({
    actor: apiKey === null ? actor : { kind: 'key', id: apiKey },
  })),
  'a session ends in 2038 at the latest': begins(({ endsAt }) => ({
    endsAt: Math.min(endsAt, 0x7fff_ffff * 1_000) as typeof endsAt,
  })),
  'a name is cut at sixty-four code units': begins(({ displayName }) => ({
    displayName: displayName?.slice(0, 64) ?? null,
  })),
};

export const fourthSessionSabotages: Sabotages<SessionStore> = {
  ...offered,
  ...redeemed,
  ...began,
  ...fourthSessionsFound,
  ...fourthSessionsEnded,
};
