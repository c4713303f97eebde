import { type Instant, instant, type Session, type SessionStore, type Sha256 } from '@pinfold/core';
import { type Sabotages, turns, waysOf } from '../ways.ts';
import { everySession } from './sessions-fifth-begun.ts';

const { answers, does } = waysOf<SessionStore>();

const EVER = Number.NEGATIVE_INFINITY as Instant;
const DAY = 86_400_000;

/** Of what is found, and when. */
export const foundFifth: Sabotages<SessionStore> = {
  'a session that starts in more than a day is not found': answers('find', (session, _, now) =>
    session && session.startedAt - now > DAY ? undefined : session,
  ),
  'a session nobody looked at for a day is gone': () => {
    const seen = new Map<Sha256, number>();
    return (store) => ({
      find: async (hash, now, signal) => {
        const session = await store.find(hash, now, signal);
        if (session === undefined || now - (seen.get(hash) ?? session.startedAt) > DAY) return undefined;
        seen.set(hash, now);
        return session;
      },
    });
  },
  'hashes that look like numbers are compared as numbers': does('find', async (store, hash, now, signal) => {
    const exact = await store.find(hash, now, signal);
    const alike = ({ tokenHash, endsAt }: Session) => Number(tokenHash) === Number(hash) && endsAt > now;
    return exact ?? (await everySession(store)).find(alike);
  }),
  'an abort for a reason that is falsy goes unseen': does('find', (store, hash, now, signal) =>
    store.find(hash, now, signal?.reason ? signal : undefined),
  ),
  'an abort is thrown before there is a promise': () => (store) => ({
    find: (hash, now, signal) => {
      signal?.throwIfAborted();
      return store.find(hash, now, signal);
    },
  }),
  'all that are sought in one turn are sought at the instant of the first': () => (store) => {
    let first: Instant | undefined;
    return {
      find: async (hash, now, signal) => {
        first ??= now;
        const at = first;
        await Promise.resolve();
        first = undefined;
        return store.find(hash, at, signal);
      },
    };
  },
  'an abort ends all that is sought in its turn': () => (store) => {
    let sought: (AbortSignal | undefined)[] = [];
    return {
      find: async (hash, now, signal) => {
        const mine = sought;
        mine.push(signal);
        await Promise.resolve();
        sought = [];
        for (const other of mine) other?.throwIfAborted();
        return store.find(hash, now, signal);
      },
    };
  },
  'of what is sought in one turn a hundred are found': () => (store) => {
    let sought = 0;
    return {
      find: async (hash, now, signal) => {
        sought += 1;
        const isLate = sought > 100;
        await turns(1);
        sought = 0;
        return isLate ? undefined : store.find(hash, now, signal);
      },
    };
  },
  'a hash that was unknown stays so when a link begins it': () => {
    const missed = new Set<Sha256>();
    return (store) => ({
      begin: async (session, events) => {
        await store.begin(session, events);
        missed.delete(session.tokenHash);
      },
      find: async (hash, now, signal) => {
        const session = await store.find(hash, now, signal);
        if ((await store.find(hash, EVER)) === undefined) missed.add(hash);
        return missed.has(hash) ? undefined : session;
      },
    });
  },
  'a handle with an aborted question sees what was there then': () => (store) => {
    let then: readonly Session[] | undefined;
    return {
      find: async (hash, now, signal) => {
        if (signal?.aborted) then ??= await everySession(store).catch(() => undefined);
        const session = await store.find(hash, now, signal);
        return then ? then.find(({ tokenHash, endsAt }) => tokenHash === hash && endsAt > now) : session;
      },
    };
  },
  'who asked for an unknown hash is listened to for ever': does('find', async (store, hash, now, signal) => {
    const session = await store.find(hash, now, signal);
    if (session === undefined) signal?.addEventListener('abort', () => undefined);
    return session;
  }),
  'a session that was found changes when it is ended': () => (store) => {
    const given: { tokenHash: Sha256; endsAt: Instant }[] = [];
    return {
      find: async (...asked) => {
        const session = await store.find(...asked);
        if (session === undefined) return undefined;
        const own = { ...session };
        given.push(own);
        return own;
      },
      end: async (hash, events) => {
        await store.end(hash, events);
        for (const own of given) if (own.tokenHash === hash) own.endsAt = instant(0);
      },
    };
  },
};
