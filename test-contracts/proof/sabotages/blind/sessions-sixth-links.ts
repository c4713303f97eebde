import type { Instant, Session, SessionStore, Sha256, SignInLink } from '@pinfold/core';
import type { Spoiling } from '../../saboteurs/memory-saboteurs.ts';

/** What all handles know of links. */
export interface KnownLinks {
  readonly offered: Map<Sha256, SignInLink>;
  /** The link that began each session. */
  readonly begun: Map<Sha256, SignInLink>;
  /** Links that are held to be unknown. */
  readonly gone: Set<Sha256>;
}

export function knowingLinks(
  spoil: (store: SessionStore, known: KnownLinks) => Partial<SessionStore>,
): Spoiling<SessionStore> {
  return () => {
    const known: KnownLinks = { offered: new Map(), begun: new Map(), gone: new Set() };
    return (store) => ({
      offer: async (link, events) => {
        await store.offer(link, events);
        known.offered.set(link.tokenHash, link);
      },
      redeem: async (request, events) => {
        if (known.gone.has(request.link)) return { kind: 'unknown' };
        const answer = await store.redeem(request, events);
        const link = known.offered.get(request.link);
        if (answer.kind === 'redeemed' && link) known.begun.set(answer.session.tokenHash, link);
        return answer;
      },
      ...spoil(store, known),
    });
  };
}

/** The newest link of the account of a link. */
export function newestBeside({ offered }: KnownLinks, hash: Sha256): SignInLink | undefined {
  const account = offered.get(hash)?.account;
  return [...offered.values()].findLast((link) => link.account === account);
}

export const ALL = Number.MAX_SAFE_INTEGER;

/** Every session that is kept, ended or not. */
export function everySession(store: SessionStore): Promise<readonly Session[]> {
  const now = Number.MIN_SAFE_INTEGER as Instant;
  return store.list({ account: undefined, now, after: undefined, limit: ALL });
}

export function sessionBy(
  session: Omit<Session, 'account' | 'actor' | 'scope'>,
  { account, actor, scope }: SignInLink,
): Session {
  return { ...session, account, actor, scope };
}
