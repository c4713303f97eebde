import type { AccountId, ApiKeyId, Instant, Session, SessionStore, Sha256, SignInLink } from '@pinfold/core';
import type { Spoiling } from '../../saboteurs/memory-saboteurs.ts';
import { type Sabotages, turns, waysOf } from '../ways.ts';

const { answers, asks, does, coversUp, isRawIn } = waysOf<SessionStore>();

const HALF_A_DAY = 12 * 60 * 60 * 1000;
const UNKNOWN = { kind: 'unknown' } as const;

const offers = (change: (link: SignInLink) => Partial<SignInLink>): Spoiling<SessionStore> =>
  asks('offer', (link, events) => [{ ...link, ...change(link) }, events]);

const begins = (change: (session: Session) => Partial<Session>): Spoiling<SessionStore> =>
  asks('begin', (session, events) => [{ ...session, ...change(session) }, events]);

const redeems = (
  change: (session: Omit<Session, 'account' | 'actor' | 'scope'>, now: Instant) => Partial<Session>,
): Spoiling<SessionStore> =>
  asks('redeem', (request, events) => [
    { ...request, session: { ...request.session, ...change(request.session, request.now) } },
    events,
  ]);

/** Knows of links what was offered, and lets one go when another one comes. */
const supersedes = (alike: (one: SignInLink, other: SignInLink) => boolean): Spoiling<SessionStore> => {
  return () => {
    const offered: SignInLink[] = [];
    const gone = new Set<Sha256>();
    return (store) => ({
      offer: async (link, events) => {
        for (const other of offered) if (alike(other, link)) gone.add(other.tokenHash);
        offered.push(link);
        await store.offer(link, events);
      },
      redeem: async (request, events) => (gone.has(request.link) ? UNKNOWN : store.redeem(request, events)),
    });
  };
};

/** Ends a session that is there when another one begins. */
const replaces = (alike: (one: Session, other: Session) => boolean): Spoiling<SessionStore> => {
  return () => {
    const begun: Session[] = [];
    return (store) => ({
      begin: async (session, events) => {
        for (const other of begun) if (alike(other, session)) await store.end(other.tokenHash, []);
        begun.push(session);
        await store.begin(session, events);
      },
    });
  };
};

export const sabotagesOfSessionStarts: Sabotages<SessionStore> = {
  'offer keeps the end of a link in seconds': offers(({ endsAt }) => ({
    endsAt: (endsAt - (endsAt % 1000)) as Instant,
  })),
  'offer lets the link before of an account go': supersedes((one, other) => one.account === other.account),
  'offer lets the link before of its maker go': supersedes(
    ({ actor }, other) => actor.kind === other.actor.kind && actor.id === other.actor.id,
  ),
  'offer names who made a link and has no name by the account': offers(({ actor, account }) => ({
    actor: { ...actor, id: actor.id ?? account },
  })),
  'offer takes every link for one of an operator': offers(({ actor }) => ({
    actor: { ...actor, kind: 'operator' },
  })),
  'offer keeps an account in small letters': offers(({ account }) => ({
    account: account.toLowerCase() as AccountId,
  })),
  'offer covers up that nothing answers': coversUp('offer', undefined),

  'redeem looks first and takes later': () => {
    const kept = new Map<Sha256, SignInLink>();
    return (store) => ({
      offer: async (link, events) => {
        kept.set(link.tokenHash, link);
        await store.offer(link, events);
      },
      redeem: async (request, events) => {
        const link = kept.get(request.link);
        await turns(2);
        const answer = await store.redeem(request, events);
        kept.delete(request.link);
        if (answer.kind === 'redeemed' || link === undefined || link.endsAt <= request.now) return answer;
        const { account, actor, scope } = link;
        const session: Session = { ...request.session, account, actor, scope };
        await store.begin(session, []);
        return { kind: 'redeemed', session };
      },
    });
  },
  'redeem judges by the start of the session': asks('redeem', (request, events) => [
    { ...request, now: request.session.startedAt },
    events,
  ]),
  'redeem lasts to the instant itself': asks('redeem', (request, events) => [
    { ...request, now: (request.now - 1) as Instant },
    events,
  ]),
  'redeem starts the session at its own instant': redeems((_, now) => ({ startedAt: now })),
  'redeem keeps no key': redeems(() => ({ apiKey: null })),
  'redeem keeps no name': redeems(() => ({ displayName: null })),
  'redeem ends a session after half a day': redeems(({ endsAt }, now) => ({
    endsAt: Math.min(endsAt, now + HALF_A_DAY) as Instant,
  })),
  'redeem answers with what it was asked, and not with the scope of the link': answers('redeem', (answer) =>
    answer.kind === 'redeemed'
      ? { ...answer, session: { ...answer.session, scope: 'manage' as const } }
      : answer,
  ),
  'redeem of an ended link begins a session all the same': does('redeem', async (store, request, events) => {
    const answer = await store.redeem(request, events);
    if (answer.kind === 'unknown') {
      const early = await store.redeem({ ...request, now: 0 as Instant }, events);
      if (early.kind === 'redeemed') return UNKNOWN;
    }
    return answer;
  }),
  'redeem is answered again to who asks for the same session': () => {
    const redeemed = new Map<string, Session>();
    return (store) => ({
      redeem: async (request, events) => {
        const asked = `${request.link} ${request.session.tokenHash}`;
        const before = redeemed.get(asked);
        if (before !== undefined) return { kind: 'redeemed', session: before };
        const answer = await store.redeem(request, events);
        if (answer.kind === 'redeemed') redeemed.set(asked, answer.session);
        return answer;
      },
    });
  },
  'redeem does not know letter case in a link': asks('redeem', (request, events) => [
    { ...request, link: request.link.toLowerCase() },
    events,
  ]),
  'redeem lets a fault out as it is': isRawIn('redeem'),

  'begin keeps an empty name as none': begins(({ displayName }) => ({ displayName: displayName || null })),
  'begin composes the letters of a name': begins(({ displayName }) => ({
    displayName: displayName?.normalize('NFC') ?? null,
  })),
  'begin keeps a name in 64 characters': begins(({ displayName }) => ({
    displayName: displayName?.slice(0, 64) ?? null,
  })),
  'begin keeps a key in small letters': begins(({ apiKey }) => ({
    apiKey: (apiKey?.toLowerCase() ?? null) as ApiKeyId | null,
  })),
  'begin tells who acts from the key': begins(({ apiKey, actor }) => ({
    actor: apiKey === null ? actor : { kind: 'key', id: apiKey },
  })),
  'begin keeps who has no name as an empty one': begins(({ actor }) => ({
    actor: { ...actor, id: actor.id ?? '' },
  })),
  'begin ends a session after half a day': begins(({ startedAt, endsAt }) => ({
    endsAt: Math.min(endsAt, startedAt + HALF_A_DAY) as Instant,
  })),
  'begin keeps the start in seconds': begins(({ startedAt }) => ({
    startedAt: (startedAt - (startedAt % 1000)) as Instant,
  })),
  'begin lets a person without a key administer nothing': begins(({ apiKey, scope }) => ({
    scope: apiKey === null ? 'manage' : scope,
  })),
  'begin ends the session before of the same key': replaces(
    (one, other) => one.apiKey !== null && one.apiKey === other.apiKey,
  ),
  'begin ends the session before of the same person': replaces(
    (one, other) => one.account === other.account && one.actor.id === other.actor.id,
  ),
};
