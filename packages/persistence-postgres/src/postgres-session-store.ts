import type { AccountId, Session, SessionStore } from '@pinfold/core';
import { makingAccounts } from './accounts.ts';
import type { PostgresConnection } from './postgres-connection.ts';
import { LINKS, SESSIONS } from './schema.ts';
import { planned, prepared, type Statement } from './statement.ts';
import type { Tables } from './tables.ts';

/** Keeps sessions and sign-in links in PostgreSQL, which all nodes share. */
export function postgresSessionStore(connection: PostgresConnection, tables: Tables): SessionStore {
  const { sessions, signInLinks } = tables;
  // Planned for any limit, it would read the whole table.
  const purge = (table: string): Statement =>
    planned(`
      DELETE FROM ${table} WHERE token_hash IN (
        SELECT token_hash FROM ${table} WHERE ends_at <= $1 ORDER BY ends_at LIMIT $2 FOR UPDATE SKIP LOCKED
      )`);
  const statements = {
    offer: prepared(`INSERT INTO ${signInLinks} (${LINKS.insert}) VALUES (${LINKS.parameters(1)})`),
    redeem: prepared(`
      WITH taken AS (
        DELETE FROM ${signInLinks} WHERE token_hash = $1 AND ends_at > $2 RETURNING account
      ), made AS (${makingAccounts(tables, 'SELECT account AS name FROM taken')})
      INSERT INTO ${sessions} (account, token_hash, api_key, started_at, ends_at)
      SELECT account, $3, $4, $5::bigint, $6::bigint FROM taken
      RETURNING account`),
    begin: prepared(`
      WITH begun AS (
        INSERT INTO ${sessions} (${SESSIONS.insert}) VALUES (${SESSIONS.parameters(1)}) RETURNING account
      )
      ${makingAccounts(tables, 'SELECT account AS name FROM begun')}`),
    find: prepared(`SELECT ${SESSIONS.select} FROM ${sessions} WHERE token_hash = $1 AND ends_at > $2`),
    end: prepared(`DELETE FROM ${sessions} WHERE token_hash = $1`),
    purgeSessions: purge(sessions),
    purgeLinks: purge(signInLinks),
  };
  return {
    offer: async (link) => {
      await connection.write(statements.offer, LINKS.values(link));
    },
    redeem: async ({ link, now, session }) => {
      const { tokenHash, apiKey, startedAt, endsAt } = session;
      const values = [link, now, tokenHash, apiKey, startedAt, endsAt];
      const { rows } = await connection.write<{ account: AccountId }>(statements.redeem, values);
      const [taken] = rows;
      if (taken === undefined) return { kind: 'unknown' };
      return { kind: 'redeemed', session: { ...session, account: taken.account } };
    },
    begin: async (session) => {
      await connection.write(statements.begin, SESSIONS.values(session));
    },
    find: async (tokenHash, now, signal) =>
      (await connection.read<Session>(statements.find, [tokenHash, now], signal))[0],
    end: async (tokenHash) => {
      await connection.write(statements.end, [tokenHash]);
    },
    purge: async (endedBy, limit) => {
      const { count } = await connection.write(statements.purgeSessions, [endedBy, limit]);
      return count + (await connection.write(statements.purgeLinks, [endedBy, limit - count])).count;
    },
  };
}
