import {
  type AccountId,
  type ApiKeyId,
  after,
  before,
  duration,
  type Instant,
  type Redemption,
  type Session,
  type SessionStore,
  type Sha256,
  type SignInLink,
} from '@pinfold/core';
import type { Spoiling } from '../saboteurs/memory-saboteurs.ts';
import { type Sabotages, turns, waysOf } from './ways.ts';

const {
  answers,
  asks,
  coversUp,
  does,
  hurries,
  isCurtIn,
  isDeafIn,
  isRawIn,
  keeps,
  listensIn,
  misnames,
  wrapsAbortsIn,
} = waysOf<SessionStore>();

const MOMENT = duration(1);
const UNKNOWN = { kind: 'unknown' } as const;

/** The session that a link begins. */
function begunWith({ account, actor, scope }: SignInLink, session: Redemption['session']): Session {
  return { ...session, account, actor, scope };
}

/** Begins a session that is another in some of its members. */
function begins(change: (session: Session) => Partial<Session>): Spoiling<SessionStore> {
  return asks('begin', (session, events) => [{ ...session, ...change(session) }, events]);
}

/** Finds a session that is another in some of its members. */
function finds(change: (session: Session) => Partial<Session>): Spoiling<SessionStore> {
  return answers('find', (session) => session && { ...session, ...change(session) });
}

/** Offers a link that is another in some of its members. */
function offers(change: (link: SignInLink) => Partial<SignInLink>): Spoiling<SessionStore> {
  return asks('offer', (link, events) => [{ ...link, ...change(link) }, events]);
}

/** Redeems into a session that is answered, or kept, in another way. */
function redeems(change: (session: Session) => Partial<Session>): Spoiling<SessionStore> {
  return answers('redeem', (outcome) =>
    outcome.kind === 'unknown'
      ? outcome
      : { ...outcome, session: { ...outcome.session, ...change(outcome.session) } },
  );
}

/** Knows every link that was offered, over all handles. */
function withLinks(
  spoiling: (links: Map<Sha256, SignInLink>) => (store: SessionStore) => Partial<SessionStore>,
): Spoiling<SessionStore> {
  return () => {
    const links = new Map<Sha256, SignInLink>();
    const spoiled = spoiling(links);
    return (store) => ({
      offer: async (link, events) => {
        await store.offer(link, events);
        links.set(link.tokenHash, link);
      },
      ...spoiled(store),
    });
  };
}

/** Knows every session that began, over all handles. */
function withSessions(
  spoiling: (sessions: Map<Sha256, Session>) => (store: SessionStore) => Partial<SessionStore>,
): Spoiling<SessionStore> {
  return () => {
    const sessions = new Map<Sha256, Session>();
    const spoiled = spoiling(sessions);
    return (store) => ({
      begin: async (session, events) => {
        await store.begin(session, events);
        sessions.set(session.tokenHash, session);
      },
      ...spoiled(store),
    });
  };
}

export const linkSabotages: Sabotages<SessionStore> = {
  'an offer is forgotten': does('offer', async () => undefined),
  'an offer answers before it is kept': hurries('offer', undefined),
  'accounts of links are trimmed': offers(({ account }) => ({ account: account.trim() as AccountId })),
  'accounts of links are in lower case': offers(({ account }) => ({
    account: account.toLowerCase() as AccountId,
  })),
  'links last a millisecond more': offers(({ endsAt }) => ({ endsAt: after(endsAt, MOMENT) })),
  'links last a millisecond less': offers(({ endsAt }) => ({ endsAt: before(endsAt, MOMENT) })),
  'links last a minute at most': offers(({ endsAt }) => ({
    endsAt: Math.min(endsAt, endsAt - 3_540_000) as Instant,
  })),
  'who made a link is forgotten': offers(() => ({ actor: { kind: 'system', id: null } })),
  'a new link takes the place of the last': withLinks((links) => (store) => ({
    redeem: async (request, events) =>
      [...links.keys()].at(-1) === request.link ? await store.redeem(request, events) : UNKNOWN,
  })),
  'a link of one account ends those of others': withLinks((links) => (store) => ({
    redeem: async (request, events) => {
      const outcome = await store.redeem(request, events);
      if (outcome.kind === 'redeemed') {
        for (const link of links.keys()) await store.redeem({ ...request, link }, []);
      }
      return outcome;
    },
  })),
  'a link can be redeemed again': withLinks((links) => (store) => ({
    redeem: async (request, events) => {
      const outcome = await store.redeem(request, events);
      const link = links.get(request.link);
      if (link !== undefined) await store.offer(link, []);
      return outcome;
    },
  })),
  'a link that ended is redeemed': asks('redeem', (request, events) => [
    { ...request, now: 0 as Instant },
    events,
  ]),
  'a link is judged a millisecond early': asks('redeem', (request, events) => [
    { ...request, now: before(request.now, MOMENT) },
    events,
  ]),
  'a link is judged a millisecond late': asks('redeem', (request, events) => [
    { ...request, now: after(request.now, MOMENT) },
    events,
  ]),
  'a link is judged by the clock of the host': asks('redeem', (request, events) => [
    { ...request, now: Date.now() as Instant },
    events,
  ]),
  'a link that nobody offered is redeemed': does('redeem', async (store, request, events) => {
    const outcome = await store.redeem(request, events);
    if (outcome.kind === 'redeemed') return outcome;
    const session = {
      ...request.session,
      account: 'acme' as AccountId,
      actor: { kind: 'system', id: null } as const,
      scope: 'manage' as const,
    };
    return { kind: 'redeemed' as const, session };
  }),
  'redeeming begins no session': withLinks((links) => () => ({
    redeem: async ({ link, now, session }) => {
      const offered = links.get(link);
      links.delete(link);
      if (offered === undefined || offered.endsAt <= now) return UNKNOWN;
      return { kind: 'redeemed', session: begunWith(offered, session) };
    },
  })),
  'redeeming looks first and takes later': withLinks((links) => (store) => ({
    redeem: async ({ link, now, session }) => {
      const offered = links.get(link);
      if (offered === undefined || offered.endsAt <= now) return UNKNOWN;
      await turns(1);
      links.delete(link);
      const begun = begunWith(offered, session);
      await store.begin(begun, []);
      return { kind: 'redeemed', session: begun };
    },
  })),
  'a redeemed session is for another account': redeems(() => ({ account: 'other' as AccountId })),
  'a redeemed session is told without its doer': redeems(() => ({ actor: { kind: 'system', id: null } })),
  'a redeemed session is told with another end': redeems(({ endsAt }) => ({ endsAt: after(endsAt, MOMENT) })),
  'who redeems too late loses the link of others': does('redeem', async (store, request, events) => {
    const outcome = await store.redeem(request, events);
    if (outcome.kind === 'unknown') await store.purge(after(request.now, duration(3_600_000)), 100);
    return outcome;
  }),
  'redeeming is answered before the session is there': hurries('redeem', UNKNOWN),
  'a store that does not answer knows no link': coversUp('redeem', UNKNOWN),
  'what fails in redeeming comes out raw': isRawIn('redeem'),
  'a fault of an offer has no cause': isCurtIn('offer'),
  'a fault of an offer has another name': misnames('offer', 'storage_unavailable'),
  'an offer that fails says nothing': coversUp('offer', undefined),
};

export const sessionSabotages: Sabotages<SessionStore> = {
  ...linkSabotages,
  'a session is forgotten': does('begin', async () => undefined),
  'beginning answers before it is done': hurries('begin', undefined),
  'names have single spaces': begins(({ displayName }) => ({
    displayName: displayName?.replaceAll(/\s+/g, ' ') ?? null,
  })),
  'a key that acts is the one that began the session': begins(({ actor, apiKey }) => ({
    actor: actor.kind === 'key' ? { ...actor, id: apiKey } : actor,
  })),
  'the key of a session is forgotten': begins(() => ({ apiKey: null })),
  'keys of sessions are in lower case': begins(({ apiKey }) => ({
    apiKey: (apiKey?.toLowerCase() ?? null) as ApiKeyId | null,
  })),
  'accounts of sessions are cut at 100 characters': begins(({ account }) => ({
    account: account.slice(0, 100) as AccountId,
  })),
  'accounts of sessions are trimmed of what is no letter': begins(({ account }) => ({
    account: account.replaceAll(/[^\w ]/g, '') as AccountId,
  })),
  'sessions begin when they are found': finds(({ endsAt }) => ({ startedAt: endsAt })),
  'beginnings are rounded to seconds': begins(({ startedAt }) => ({
    startedAt: (startedAt - (startedAt % 1_000)) as Instant,
  })),
  'ends are kept in 32 bits': begins(({ endsAt }) => ({ endsAt: (endsAt % 4_294_967_296_000) as Instant })),
  'who began a session is forgotten': begins(() => ({ actor: { kind: 'system', id: null } })),
  'operators are taken for persons': finds(({ actor }) => ({ actor: { ...actor, kind: 'person' } })),
  'a new session of an account ends the last': withSessions((sessions) => (store) => ({
    begin: async (session, events) => {
      for (const { tokenHash, account } of sessions.values())
        if (account === session.account) await store.end(tokenHash, []);
      sessions.set(session.tokenHash, session);
      await store.begin(session, events);
    },
  })),
  'a session is found at its end': asks('find', (hash, now, signal) => [hash, before(now, MOMENT), signal]),
  'a session is lost a millisecond early': asks('find', (hash, now, signal) => [
    hash,
    after(now, MOMENT),
    signal,
  ]),
  'a session never ends': asks('find', (hash, _, signal) => [hash, 0 as Instant, signal]),
  'a session is judged by the clock of the host': asks('find', (hash, _, signal) => [
    hash,
    Date.now() as Instant,
    signal,
  ]),
  'finding a session makes it longer': withSessions((sessions) => (store) => ({
    find: async (hash, now, signal) => {
      const known = sessions.get(hash);
      return (await store.find(hash, now, signal)) ?? (known && known.endsAt + 1 > now ? known : undefined);
    },
  })),
  'hashes are compared without case': withSessions((sessions) => (store) => ({
    find: async (hash, now, signal) => {
      const same = [...sessions.keys()].find((known) => known.toLowerCase() === hash.toLowerCase());
      return await store.find(same ?? hash, now, signal);
    },
  })),
  'hashes are compared by their beginning': withSessions((sessions) => (store) => ({
    find: async (hash, now, signal) => {
      const same = [...sessions.keys()].find((known) => hash !== '' && known.startsWith(hash));
      return await store.find(same ?? hash, now, signal);
    },
  })),
  'hashes are compared as numbers': withSessions((sessions) => (store) => ({
    find: async (hash, now, signal) => {
      const same = [...sessions.keys()].find((known) => Number(known) === Number(hash));
      return await store.find(same ?? hash, now, signal);
    },
  })),
  'what was found is kept': keeps('find'),
  'finding does not look at its signal': isDeafIn('find'),
  'an abort of finding is a fault': wrapsAbortsIn('find', 'store_unavailable'),
  'finding goes on listening': listensIn('find'),
  'a store that does not answer has no session': coversUp('find', undefined),
  'a fault of finding has no cause': isCurtIn('find'),
  'an end does nothing': does('end', async () => undefined),
  'an end answers before it is done': hurries('end', undefined),
  'an end ends all of its account': withSessions((sessions) => (store) => ({
    end: async (hash) => {
      const account = sessions.get(hash)?.account;
      for (const { tokenHash, account: other } of sessions.values())
        if (other === account) await store.end(tokenHash, []);
    },
  })),
  'ending what is not there fails': does('end', async (store, hash, events) => {
    if ((await store.find(hash, 0 as Instant)) === undefined) throw new Error('unknown');
    await store.end(hash, events);
  }),
  'an end that fails says nothing': coversUp('end', undefined),
  'what fails in an end comes out raw': isRawIn('end'),
  'a refusal that cannot be kept is forgotten': coversUp('refuse', undefined),
  'what ended stays': does('purge', async () => 0),
  'purging takes what ends a millisecond later': asks('purge', (endedBy, limit) => [
    after(endedBy, MOMENT),
    limit,
  ]),
  'purging leaves what ends at the instant': asks('purge', (endedBy, limit) => [
    before(endedBy, MOMENT),
    limit,
  ]),
  'purging does not look at its limit': asks('purge', (endedBy) => [endedBy, 100_000]),
  'purging takes no more than a hundred': asks('purge', (endedBy, limit) => [endedBy, Math.min(limit, 100)]),
  'purging says the limit': answers('purge', (count, _, limit) => (count > 0 ? limit : 0)),
  'purging leaves links': withLinks((links) => (store) => ({
    purge: async (endedBy, limit) => {
      const count = await store.purge(endedBy, limit);
      for (const link of links.values()) await store.offer(link, []);
      return count;
    },
  })),
  'purging takes everything of an account': withSessions((sessions) => (store) => ({
    purge: async (endedBy, limit) => {
      for (const { tokenHash } of sessions.values()) await store.end(tokenHash, []);
      return await store.purge(endedBy, limit);
    },
  })),
  'a store that does not answer has nothing to purge': coversUp('purge', 0),
};
