import type {
  AccountId,
  Instant,
  Redemption,
  Session,
  SessionStore,
  Sha256,
  SignInLink,
} from '@pinfold/core';
import type { Statements } from './sqlite-connection.ts';
import type { Prepare } from './sqlite-file.ts';

const OFFER =
  'INSERT INTO sign_in_links (token_hash, account, ends_at) VALUES (@tokenHash, @account, @endsAt)';
const REDEEM = 'DELETE FROM sign_in_links WHERE token_hash = ? AND ends_at > ? RETURNING account';
const BEGIN = `
  INSERT INTO sessions (token_hash, account, api_key, started_at, ends_at)
  VALUES (@tokenHash, @account, @apiKey, @startedAt, @endsAt)`;
const FIND = `
  SELECT token_hash AS tokenHash, account, api_key AS apiKey, started_at AS startedAt, ends_at AS endsAt
  FROM sessions WHERE token_hash = ? AND ends_at > ?`;
const END = 'DELETE FROM sessions WHERE token_hash = ?';
const PURGE_SESSIONS = `
  DELETE FROM sessions WHERE token_hash IN (
    SELECT token_hash FROM sessions WHERE ends_at <= ? ORDER BY ends_at LIMIT ?
  )`;
const PURGE_LINKS = `
  DELETE FROM sign_in_links WHERE token_hash IN (
    SELECT token_hash FROM sign_in_links WHERE ends_at <= ? ORDER BY ends_at LIMIT ?
  )`;

/** Keeps sessions and sign-in links in a SQLite file, which all processes share. */
export class SqliteSessionStore implements SessionStore {
  readonly #connection: Statements;

  constructor(connection: Statements) {
    this.#connection = connection;
  }

  async offer(link: SignInLink): Promise<void> {
    await this.#connection.write((prepare) => prepare(OFFER).run({ ...link }));
  }

  redeem({
    link,
    now,
    session,
  }: Redemption): Promise<
    { readonly kind: 'redeemed'; readonly session: Session } | { readonly kind: 'unknown' }
  > {
    return this.#connection.write((prepare) => {
      const taken = prepare<{ readonly account: AccountId }>(REDEEM).get(link, now);
      if (taken === undefined) return { kind: 'unknown' };
      const begun: Session = { ...session, account: taken.account };
      begin(prepare, begun);
      return { kind: 'redeemed', session: begun };
    });
  }

  async begin(session: Session): Promise<void> {
    await this.#connection.write((prepare) => begin(prepare, session));
  }

  find(tokenHash: Sha256, now: Instant, signal?: AbortSignal): Promise<Session | undefined> {
    return this.#connection.read((prepare) => prepare<Session>(FIND).get(tokenHash, now), signal);
  }

  async end(tokenHash: Sha256): Promise<void> {
    await this.#connection.write((prepare) => prepare(END).run(tokenHash));
  }

  purge(endedBy: Instant, limit: number): Promise<number> {
    return this.#connection.write((prepare) => {
      const sessions = prepare(PURGE_SESSIONS).run(endedBy, limit).changes;
      return sessions + prepare(PURGE_LINKS).run(endedBy, limit - sessions).changes;
    });
  }
}

function begin(prepare: Prepare, session: Session): void {
  prepare(BEGIN).run({ ...session });
}
