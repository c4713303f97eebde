import type { AccountId, Session, SessionStore } from '@pinfold/core';
import { makeAccount } from './accounts.ts';
import { LINKS, SESSIONS } from './schema.ts';
import type { Statements } from './sqlite-connection.ts';
import type { Prepare } from './sqlite-file.ts';

const OFFER = `INSERT INTO sign_in_links (${LINKS.insert}) VALUES (${LINKS.parameters(1)})`;
const REDEEM = 'DELETE FROM sign_in_links WHERE token_hash = ? AND ends_at > ? RETURNING account';
const BEGIN = `INSERT INTO sessions (${SESSIONS.insert}) VALUES (${SESSIONS.parameters(1)})`;
const FIND = `SELECT ${SESSIONS.select} FROM sessions WHERE token_hash = ? AND ends_at > ?`;
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
export function sqliteSessionStore(connection: Statements): SessionStore {
  return {
    offer: async (link) => {
      await connection.write((prepare) => prepare(OFFER).run(...LINKS.values(link)));
    },
    redeem: ({ link, now, session }) =>
      connection.write((prepare) => {
        const taken = prepare<{ readonly account: AccountId }>(REDEEM).get(link, now);
        if (taken === undefined) return { kind: 'unknown' };
        const begun: Session = { ...session, account: taken.account };
        begin(prepare, begun);
        return { kind: 'redeemed', session: begun };
      }),
    begin: (session) => connection.write((prepare) => begin(prepare, session)),
    find: (tokenHash, now, signal) =>
      connection.read((prepare) => prepare<Session>(FIND).get(tokenHash, now), signal),
    end: async (tokenHash) => {
      await connection.write((prepare) => prepare(END).run(tokenHash));
    },
    purge: (endedBy, limit) =>
      connection.write((prepare) => {
        const sessions = prepare(PURGE_SESSIONS).run(endedBy, limit).changes;
        return sessions + prepare(PURGE_LINKS).run(endedBy, limit - sessions).changes;
      }),
  };
}

function begin(prepare: Prepare, session: Session): void {
  prepare(BEGIN).run(...SESSIONS.values(session));
  makeAccount(prepare, session.account);
}
