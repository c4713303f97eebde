import type { Instant, Redemption, Session, SessionStore, Sha256, SignInLink } from '@pinfold/core';
import type { Connection } from './connection.ts';

export class MemorySessionStore implements SessionStore {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async offer(link: SignInLink): Promise<void> {
    this.#connection.open().signInLinks.set(link.tokenHash, link);
  }

  async redeem({
    link,
    now,
    session,
  }: Redemption): Promise<
    { readonly kind: 'redeemed'; readonly session: Session } | { readonly kind: 'unknown' }
  > {
    const { signInLinks, sessions } = this.#connection.open();
    const offered = signInLinks.get(link);
    if (offered === undefined || offered.endsAt <= now) return { kind: 'unknown' };
    signInLinks.delete(link);
    const begun: Session = { ...session, account: offered.account };
    sessions.set(begun.tokenHash, begun);
    return { kind: 'redeemed', session: begun };
  }

  async begin(session: Session): Promise<void> {
    this.#connection.open().sessions.set(session.tokenHash, session);
  }

  async find(tokenHash: Sha256, now: Instant, signal?: AbortSignal): Promise<Session | undefined> {
    signal?.throwIfAborted();
    const session = this.#connection.open().sessions.get(tokenHash);
    return session === undefined || session.endsAt <= now ? undefined : session;
  }

  async end(tokenHash: Sha256): Promise<void> {
    this.#connection.open().sessions.delete(tokenHash);
  }

  async purge(endedBy: Instant, limit: number): Promise<number> {
    const { signInLinks, sessions } = this.#connection.open();
    const ended = [sessions, signInLinks].flatMap((kept: Map<Sha256, { readonly endsAt: Instant }>) =>
      [...kept].filter(([, { endsAt }]) => endsAt <= endedBy).map(([hash]) => ({ kept, hash })),
    );
    const dropped = ended.slice(0, limit);
    for (const { kept, hash } of dropped) kept.delete(hash);
    return dropped.length;
  }
}
