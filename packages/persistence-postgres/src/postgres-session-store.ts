import type {
  AccountId,
  Instant,
  Redemption,
  Session,
  SessionStore,
  Sha256,
  SignInLink,
} from '@pinfold/core';
import type { PostgresConnection } from './postgres-connection.ts';
import { planned, prepared, type Statement } from './statement.ts';
import type { Tables } from './tables.ts';

interface Statements {
  readonly offer: Statement;
  readonly redeem: Statement;
  readonly begin: Statement;
  readonly find: Statement;
  readonly end: Statement;
  readonly purgeSessions: Statement;
  readonly purgeLinks: Statement;
}

function statementsOf({ sessions, signInLinks }: Tables): Statements {
  const columns = '(token_hash, account, api_key, started_at, ends_at)';
  // Planned for any limit, it would read the whole table.
  const purge = (table: string): Statement =>
    planned(`
      DELETE FROM ${table} WHERE token_hash IN (
        SELECT token_hash FROM ${table} WHERE ends_at <= $1 ORDER BY ends_at LIMIT $2 FOR UPDATE SKIP LOCKED
      )`);
  return {
    offer: prepared(`INSERT INTO ${signInLinks} (token_hash, account, ends_at) VALUES ($1, $2, $3)`),
    redeem: prepared(`
      WITH taken AS (
        DELETE FROM ${signInLinks} WHERE token_hash = $1 AND ends_at > $2 RETURNING account
      )
      INSERT INTO ${sessions} ${columns} SELECT $3, account, $4, $5::bigint, $6::bigint FROM taken
      RETURNING account`),
    begin: prepared(`INSERT INTO ${sessions} ${columns} VALUES ($1, $2, $3, $4, $5)`),
    find: prepared(`
      SELECT token_hash AS "tokenHash", account, api_key AS "apiKey", started_at AS "startedAt", ends_at AS "endsAt"
      FROM ${sessions} WHERE token_hash = $1 AND ends_at > $2`),
    end: prepared(`DELETE FROM ${sessions} WHERE token_hash = $1`),
    purgeSessions: purge(sessions),
    purgeLinks: purge(signInLinks),
  };
}

/** Keeps sessions and sign-in links in PostgreSQL, which all nodes share. */
export class PostgresSessionStore implements SessionStore {
  readonly #connection: PostgresConnection;
  readonly #statements: Statements;

  constructor(connection: PostgresConnection, tables: Tables) {
    this.#connection = connection;
    this.#statements = statementsOf(tables);
  }

  async offer({ tokenHash, account, endsAt }: SignInLink): Promise<void> {
    await this.#connection.write(this.#statements.offer, [tokenHash, account, endsAt]);
  }

  async redeem({
    link,
    now,
    session,
  }: Redemption): Promise<
    { readonly kind: 'redeemed'; readonly session: Session } | { readonly kind: 'unknown' }
  > {
    const { tokenHash, apiKey, startedAt, endsAt } = session;
    const values = [link, now, tokenHash, apiKey, startedAt, endsAt];
    const { rows } = await this.#connection.write<{ account: AccountId }>(this.#statements.redeem, values);
    const [taken] = rows;
    if (taken === undefined) return { kind: 'unknown' };
    return { kind: 'redeemed', session: { ...session, account: taken.account } };
  }

  async begin({ tokenHash, account, apiKey, startedAt, endsAt }: Session): Promise<void> {
    await this.#connection.write(this.#statements.begin, [tokenHash, account, apiKey, startedAt, endsAt]);
  }

  async find(tokenHash: Sha256, now: Instant, signal?: AbortSignal): Promise<Session | undefined> {
    const [session] = await this.#connection.read<Session>(this.#statements.find, [tokenHash, now], signal);
    return session;
  }

  async end(tokenHash: Sha256): Promise<void> {
    await this.#connection.write(this.#statements.end, [tokenHash]);
  }

  async purge(endedBy: Instant, limit: number): Promise<number> {
    const { purgeSessions, purgeLinks } = this.#statements;
    const { count } = await this.#connection.write(purgeSessions, [endedBy, limit]);
    return count + (await this.#connection.write(purgeLinks, [endedBy, limit - count])).count;
  }
}
