import type { Session, SessionStore, Sha256 } from '@pinfold/core';
import { madeAccount } from './accounts.ts';
import type { Connection } from './connection.ts';

export function memorySessionStore(connection: Connection): SessionStore {
  return {
    offer: async (link) => {
      connection.open().signInLinks.set(link.tokenHash, link);
    },
    redeem: async ({ link, now, session }) => {
      const data = connection.open();
      const { signInLinks, sessions } = data;
      const offered = signInLinks.get(link);
      if (offered === undefined || offered.endsAt <= now) return { kind: 'unknown' };
      signInLinks.delete(link);
      const begun: Session = { ...session, account: offered.account };
      sessions.set(begun.tokenHash, begun);
      madeAccount(data, begun.account);
      return { kind: 'redeemed', session: begun };
    },
    begin: async (session) => {
      const data = connection.open();
      data.sessions.set(session.tokenHash, session);
      madeAccount(data, session.account);
    },
    find: async (tokenHash, now, signal) => {
      signal?.throwIfAborted();
      const session = connection.open().sessions.get(tokenHash);
      return session === undefined || session.endsAt <= now ? undefined : session;
    },
    end: async (tokenHash) => {
      connection.open().sessions.delete(tokenHash);
    },
    purge: async (endedBy, limit) => {
      const { signInLinks, sessions } = connection.open();
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
