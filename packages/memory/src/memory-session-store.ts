import type { Session, SessionLimits, SessionStore, Sha256 } from '@pinfold/core';
import type { Connection } from './connection.ts';
import { storeEvents } from './events.ts';
import { madeAccount } from './memory-account-store.ts';
import type { MemoryData } from './memory-data.ts';

/** Copies values in and out, so that callers cannot change stored ones. */
function copyOf<Kept extends Pick<Session, 'actor'>>(kept: Kept): Kept {
  return { ...kept, actor: { ...kept.actor } };
}

export function memorySessionStore(connection: Connection): SessionStore {
  return {
    offer: async (link, events) => {
      const data = connection.change();
      data.signInLinks.set(link.tokenHash, copyOf(link));
      storeEvents(data, events);
    },
    redeem: async ({ link, now, session, limits }, events) => {
      const data = connection.change();
      const { signInLinks, sessions } = data;
      const offered = signInLinks.get(link);
      if (offered === undefined || offered.endsAt <= now) return { kind: 'unknown' };
      signInLinks.delete(link);
      const { account, actor, scope } = offered;
      const begun: Session = { ...session, account, actor, scope };
      const ended = makeRoom(data, begun, limits);
      sessions.set(begun.tokenHash, begun);
      madeAccount(data, account);
      storeEvents(
        data,
        events.map((event) => ({ ...event, account, actor })),
      );
      return { kind: 'redeemed', session: copyOf(begun), ended };
    },
    begin: async (session, events, limits) => {
      const data = connection.change();
      const ended = makeRoom(data, session, limits);
      data.sessions.set(session.tokenHash, copyOf(session));
      madeAccount(data, session.account);
      storeEvents(data, events);
      return { ended };
    },
    find: async (tokenHash, now, signal) => {
      signal?.throwIfAborted();
      const session = connection.open().sessions.get(tokenHash);
      return session === undefined || session.endsAt <= now ? undefined : copyOf(session);
    },
    list: async ({ account, now, after = '', limit }) =>
      [...connection.open().sessions.values()]
        .filter((session) => session.endsAt > now && session.tokenHash > after)
        .filter((session) => account === undefined || session.account === account)
        .sort((one, other) => (one.tokenHash < other.tokenHash ? -1 : 1))
        .slice(0, limit)
        .map(copyOf),
    end: async (tokenHash, events) => {
      const data = connection.change();
      if (data.sessions.delete(tokenHash)) storeEvents(data, events);
    },
    refuse: async (event, unlessSince) => {
      const data = connection.change();
      const last = data.refusals.get(event.account);
      if (last !== undefined && last > unlessSince) return;
      data.refusals.set(event.account, event.at);
      storeEvents(data, [event]);
    },
    purge: async (endedBy, limit) => {
      const { signInLinks, sessions } = connection.change();
      const ended = [sessions, signInLinks].flatMap(
        (kept: Map<Sha256, { readonly endsAt: Session['endsAt'] }>) =>
          [...kept].filter(([, { endsAt }]) => endsAt <= endedBy).map(([hash]) => ({ kept, hash })),
      );
      const dropped = ended.slice(0, limit);
      for (const { kept, hash } of dropped) kept.delete(hash);
      return dropped.length;
    },
  };
}

/** Ends the oldest sessions that a further one would push past the limits; answers how many. */
function makeRoom({ sessions }: MemoryData, begun: Session, limits: SessionLimits | undefined): number {
  if (limits === undefined) return 0;
  const others = [...sessions.values()]
    .filter(({ account, endsAt }) => account === begun.account && endsAt > begun.startedAt)
    .filter(({ tokenHash }) => tokenHash !== begun.tokenHash)
    .sort((one, other) => other.startedAt - one.startedAt || (one.tokenHash > other.tokenHash ? -1 : 1));
  const { kind, id } = begun.actor;
  const byActor = others.filter(({ actor }) => actor.kind === kind && actor.id === id);
  const ofActor = new Set(byActor.slice(limits.ofActor - 1));
  const left = others.filter((session) => !ofActor.has(session));
  const past = [...ofActor, ...left.slice(limits.ofAccount - 1)];
  for (const { tokenHash } of past) sessions.delete(tokenHash);
  return past.length;
}
