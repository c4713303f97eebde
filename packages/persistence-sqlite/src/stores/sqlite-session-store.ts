import type { BegunSession, Session, SessionLimits, SessionStore, SignInLink } from '@pinfold/core';
import type { StoredRow } from '@pinfold/core/adapter';
import type { Statements } from '../engine/sqlite-connection.ts';
import { type Prepare, recordsOf } from '../engine/sqlite-file.ts';
import { LINKS, SESSIONS } from '../schema/columns.ts';
import { makeAccount } from './accounts.ts';
import { keep } from './events.ts';

const OFFER = `INSERT INTO sign_in_links (${LINKS.insert}) VALUES (${LINKS.parameters(1)})`;
const REDEEM = `
  DELETE FROM sign_in_links WHERE token_hash = ? AND ends_at > ? RETURNING ${LINKS.select}`;
const BEGIN = `INSERT INTO sessions (${SESSIONS.insert}) VALUES (${SESSIONS.parameters(1)})`;
/** Ends the sessions that are not among the newest. */
const makeRoom = (filter: string) => `
  DELETE FROM sessions WHERE token_hash IN (
    SELECT token_hash FROM sessions
    WHERE account = @account AND ends_at > @now AND token_hash <> @tokenHash ${filter}
    ORDER BY started_at DESC, token_hash DESC LIMIT -1 OFFSET @others
  )`;
const MAKE_ROOM_OF_ACTOR = makeRoom('AND actor = @actor');
const MAKE_ROOM_OF_ACCOUNT = makeRoom('');
const FIND = `SELECT ${SESSIONS.select} FROM sessions WHERE token_hash = ? AND ends_at > ?`;
const LISTED = `SELECT ${SESSIONS.select} FROM sessions WHERE token_hash > ? AND ends_at > ?`;
const LIST = `${LISTED} ORDER BY token_hash LIMIT ?`;
// In order of hashes: a plus keeps the account from choosing an index of its own.
const LIST_OF_ACCOUNT = `${LISTED} AND +account = ? ORDER BY token_hash LIMIT ?`;
const END = 'DELETE FROM sessions WHERE token_hash = ?';
const REFUSE = `
  INSERT INTO session_refusals (account, told_at) VALUES (@account, @at)
  ON CONFLICT (account) DO UPDATE SET told_at = @at WHERE told_at <= @unlessSince`;
const purge = (table: string) => `
  DELETE FROM ${table} WHERE token_hash IN (
    SELECT token_hash FROM ${table} WHERE ends_at <= ? ORDER BY ends_at LIMIT ?
  )`;
const PURGE_SESSIONS = purge('sessions');
const PURGE_LINKS = purge('sign_in_links');

export function sqliteSessionStore(connection: Statements): SessionStore {
  return {
    offer: (link, events) =>
      connection.write((prepare) => {
        prepare(OFFER).run(...LINKS.values(link));
        keep(prepare, events);
      }),
    redeem: ({ link, now, session, limits }, events) =>
      connection.write((prepare) => {
        const taken = prepare<StoredRow<SignInLink>>(REDEEM).get(link, now);
        if (taken === undefined) return { kind: 'unknown' };
        const { account, actor, scope } = LINKS.read(taken);
        const begun: Session = { ...session, account, actor, scope };
        const { ended } = begin(prepare, begun, limits);
        keep(
          prepare,
          events.map((event) => ({ ...event, account, actor })),
        );
        return { kind: 'redeemed', session: begun, ended };
      }),
    begin: (session, events, limits) =>
      connection.write((prepare) => {
        const begun = begin(prepare, session, limits);
        keep(prepare, events);
        return begun;
      }),
    find: (tokenHash, now, signal) =>
      connection.read((prepare) => recordsOf(prepare, SESSIONS, FIND, tokenHash, now)[0], signal),
    list: ({ account, now, after = '', limit }) =>
      connection.read((prepare) =>
        account === undefined
          ? recordsOf(prepare, SESSIONS, LIST, after, now, limit)
          : recordsOf(prepare, SESSIONS, LIST_OF_ACCOUNT, after, now, account, limit),
      ),
    end: (tokenHash, events) =>
      connection.writeFromReserve((prepare) => {
        if (prepare(END).run(tokenHash).changes === 1) keep(prepare, events);
      }),
    refuse: (event, unlessSince) =>
      connection.write((prepare) => {
        const { account, at } = event;
        if (prepare(REFUSE).run({ account, at, unlessSince }).changes === 1) keep(prepare, [event]);
      }),
    purge: (endedBy, limit) =>
      connection.write((prepare) => {
        const sessions = prepare(PURGE_SESSIONS).run(endedBy, limit).changes;
        return sessions + prepare(PURGE_LINKS).run(endedBy, limit - sessions).changes;
      }),
  };
}

function begin(prepare: Prepare, session: Session, limits: SessionLimits | undefined): BegunSession {
  prepare(BEGIN).run(...SESSIONS.values(session));
  makeAccount(prepare, session.account);
  if (limits === undefined) return { ended: 0 };
  const { account, startedAt: now, tokenHash } = session;
  const [actor] = SESSIONS.values(session, ['actor']);
  const begun = { account, now, tokenHash };
  const ofActor = prepare(MAKE_ROOM_OF_ACTOR).run({ ...begun, actor, others: limits.ofActor - 1 });
  const ofAccount = prepare(MAKE_ROOM_OF_ACCOUNT).run({ ...begun, others: limits.ofAccount - 1 });
  return { ended: ofActor.changes + ofAccount.changes };
}
