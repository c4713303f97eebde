import type { Session, SessionLimits, SessionStore, SignInLink } from '@pinfold/core';
import type { StoredRow, Table } from '@pinfold/core/adapter';
import type { PostgresConnection, Run } from '../engine/postgres-connection.ts';
import { deletingEnded, prepared, type Statement } from '../engine/statement.ts';
import { EVENTS, LINKS, SESSIONS } from '../schema/columns.ts';
import type { Tables } from '../schema/tables.ts';
import { makingAccounts } from './accounts.ts';
import { changing, eventColumns, eventsIn, keepingFor, rowsOf } from './events.ts';
import { lockingName } from './locks.ts';

export function postgresSessionStore(connection: PostgresConnection, tables: Tables): SessionStore {
  const { events, sessions, signInLinks, sessionRefusals } = tables;
  const inserting = <Row>(table: string, { insert, members, parameters }: Table<Row>): Statement =>
    changing(tables, `INSERT INTO ${table} (${insert}) VALUES (${parameters(1)})`, members.length + 1);
  const others = (filter = '') => `
    SELECT token_hash FROM ${sessions} WHERE account = $1 AND ends_at > $3 AND token_hash <> $4${filter}
    ORDER BY started_at DESC, token_hash DESC`;
  const listed = `SELECT ${SESSIONS.select} FROM ${sessions} WHERE token_hash > $1 AND ends_at > $2`;
  const statements = {
    offer: inserting(signInLinks, LINKS),
    redeem: prepared(`
      WITH taken AS (
        DELETE FROM ${signInLinks} WHERE token_hash = $1 AND ends_at > $2 RETURNING *
      ), made AS (${makingAccounts(tables, 'SELECT account AS name FROM taken')}), begun AS (
        INSERT INTO ${sessions} (account, actor, scope, token_hash, api_key, display_name, started_at, ends_at)
        SELECT account, actor, scope, $3, $4, $5, $6::bigint, $7::bigint FROM taken
      ), kept AS (
        INSERT INTO ${events} (${EVENTS.insert})
        SELECT ${eventColumns({ account: 'taken.account', actor: 'taken.actor' })} FROM taken, ${eventsIn(8)}
      )
      SELECT ${LINKS.select} FROM taken`),
    begin: prepared(`
      WITH begun AS (
        INSERT INTO ${sessions} (${SESSIONS.insert}) VALUES (${SESSIONS.parameters(1)}) RETURNING account
      ), made AS (${makingAccounts(tables, 'SELECT account AS name FROM begun')})
      ${keepingFor(tables, 'begun', SESSIONS.members.length + 1)}`),
    find: prepared(`SELECT ${SESSIONS.select} FROM ${sessions} WHERE token_hash = $1 AND ends_at > $2`),
    list: prepared(`${listed} ORDER BY token_hash LIMIT $3`),
    listOfAccount: prepared(`${listed} AND account = $4 ORDER BY token_hash LIMIT $3`),
    end: changing(tables, `DELETE FROM ${sessions} WHERE token_hash = $1`, 2),
    lockAccount: lockingName('sessionsOf'),
    // Ends the sessions that are not among the newest of the actor, then of what is left of the account.
    makeRoom: prepared(`
      WITH of_actor AS (${others(' AND actor = $2')} OFFSET $5::bigint)
      DELETE FROM ${sessions}
      WHERE token_hash = ANY (ARRAY(
        TABLE of_actor UNION ALL
        (${others(' AND token_hash NOT IN (TABLE of_actor)')} OFFSET $6::bigint)
      ))`),
    refuse: changing(
      tables,
      `INSERT INTO ${sessionRefusals} AS told (account, told_at) VALUES ($1, $2)
       ON CONFLICT (account) DO UPDATE SET told_at = $2 WHERE told.told_at <= $3`,
      4,
    ),
    purgeSessions: deletingEnded(sessions, 'token_hash'),
    purgeLinks: deletingEnded(signInLinks, 'token_hash'),
  };
  /** Both rows of two concurrent sign-ins exist by now, and one of them is the newer. */
  const makeRoom = async (run: Run, begun: Session, limits: SessionLimits | undefined): Promise<number> => {
    if (limits === undefined) return 0;
    const { account, startedAt, tokenHash } = begun;
    await run(statements.lockAccount, [account]);
    const values = [account, ...SESSIONS.values(begun, ['actor']), startedAt, tokenHash];
    return (await run(statements.makeRoom, [...values, limits.ofActor - 1, limits.ofAccount - 1])).count;
  };
  return {
    offer: async (link, told) => {
      await connection.write(statements.offer, [...LINKS.values(link), rowsOf(told)]);
    },
    redeem: ({ link, now, session, limits }, told) =>
      connection.transaction(async (run) => {
        const { tokenHash, apiKey, displayName, startedAt, endsAt } = session;
        const values = [link, now, tokenHash, apiKey, displayName, startedAt, endsAt, rowsOf(told)];
        const { rows } = await run<StoredRow<SignInLink>>(statements.redeem, values);
        const [taken] = rows;
        if (taken === undefined) return { kind: 'unknown' };
        const { account, actor, scope } = LINKS.read(taken);
        const begun: Session = { ...session, account, actor, scope };
        return { kind: 'redeemed', session: begun, ended: await makeRoom(run, begun, limits) };
      }),
    begin: (session, told, limits) =>
      connection.transaction(async (run) => {
        await run(statements.begin, [...SESSIONS.values(session), rowsOf(told)]);
        return { ended: await makeRoom(run, session, limits) };
      }),
    find: async (tokenHash, now, signal) => {
      const [session] = await connection.records(SESSIONS, statements.find, [tokenHash, now], signal);
      return session;
    },
    list: ({ account, now, after = '', limit }) =>
      account === undefined
        ? connection.records(SESSIONS, statements.list, [after, now, limit])
        : connection.records(SESSIONS, statements.listOfAccount, [after, now, limit, account]),
    end: async (tokenHash, told) => {
      await connection.write(statements.end, [tokenHash, rowsOf(told)]);
    },
    refuse: async (event, unlessSince) => {
      const { account, at } = event;
      await connection.write(statements.refuse, [account, at, unlessSince, rowsOf([event])]);
    },
    purge: async (endedBy, limit) => {
      const { count } = await connection.write(statements.purgeSessions, [endedBy, limit]);
      return count + (await connection.write(statements.purgeLinks, [endedBy, limit - count])).count;
    },
  };
}
