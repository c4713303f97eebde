import type { BegunSession, HistoryEvent, Session, SessionLimits, SessionStore, Sha256 } from '@pinfold/core';
import type { Connection } from './connection.ts';
import { storeEvents } from './events.ts';
import { madeAccount } from './memory-account-store.ts';
import type { MemoryData } from './memory-data.ts';
import { ascending, dropFrom, pageOf } from './order.ts';

const byHash = ascending<Pick<Session, 'tokenHash'>>('tokenHash');

export function memorySessionStore(connection: Connection): SessionStore {
  return {
    offer: async (link, events) => {
      const data = connection.change();
      data.signInLinks.set(link.tokenHash, structuredClone(link));
      storeEvents(data, events);
    },
    redeem: async ({ link, now, session, limits }, events) => {
      const data = connection.change();
      const { signInLinks } = data;
      const offered = signInLinks.get(link);
      if (offered === undefined || offered.endsAt <= now) return { kind: 'unknown' };
      signInLinks.delete(link);
      const { account, actor, scope } = offered;
      const begun: Session = { ...session, account, actor, scope };
      const attributed = events.map((event) => ({ ...event, account, actor }));
      return { kind: 'redeemed', session: structuredClone(begun), ...begin(data, begun, attributed, limits) };
    },
    begin: async (session, events, limits) => begin(connection.change(), session, events, limits),
    find: async (tokenHash, now, signal) => {
      const session = connection.open(signal).sessions.get(tokenHash);
      return session === undefined || session.endsAt <= now ? undefined : structuredClone(session);
    },
    list: async ({ account, now, after, limit }) => {
      const sessions = [...connection.open().sessions.values()].filter(
        (session) => session.endsAt > now && (account === undefined || session.account === account),
      );
      return pageOf(
        sessions,
        byHash,
        after === undefined ? undefined : { tokenHash: after as Sha256 },
        limit,
      );
    },
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
      const isOver = ({ endsAt }: Pick<Session, 'endsAt'>): boolean => endsAt <= endedBy;
      const dropped = dropFrom(sessions, limit, isOver);
      return dropped + dropFrom(signInLinks, limit - dropped, isOver);
    },
  };
}

function begin(
  data: MemoryData,
  session: Session,
  events: readonly HistoryEvent[],
  limits: SessionLimits | undefined,
): BegunSession {
  const ended = makeRoom(data, session, limits);
  data.sessions.set(session.tokenHash, structuredClone(session));
  madeAccount(data, session.account);
  storeEvents(data, events);
  return { ended };
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
