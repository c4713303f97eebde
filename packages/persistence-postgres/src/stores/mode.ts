import type { Account, Credential, Mode, Refusal, SaveAuthority, Unchangeable } from '@pinfold/core';
import { NORMAL, refuseChange, type StoredRow, UNAUTHORIZED } from '@pinfold/core/adapter';
import type { PostgresConnection, Run } from '../engine/postgres-connection.ts';
import { prepared, type Statement } from '../engine/statement.ts';
import { ACCOUNTS } from '../schema/columns.ts';
import type { Tables } from '../schema/tables.ts';

/**
 * The SQL condition that the service is not read-only, which then holds until the transaction ends. The table lock
 * precedes the statement's snapshot, and a change of the mode waits for it. With an older snapshot, the row lock rolls
 * back a transaction that has not seen the change; `OFFSET 0` ensures that the row is locked.
 */
export function takesChanges({ serviceMode }: Pick<Tables, 'serviceMode'>): string {
  return `NOT EXISTS (
    SELECT 1 FROM (SELECT kind FROM ${serviceMode} OFFSET 0 FOR SHARE) AS service WHERE kind = 'read_only'
  )`;
}

/** Checks the mode as {@link takesChanges} does (READ COMMITTED): null if normal, unlocked; else the message or ''. */
export function readOnlyMessage({ serviceMode }: Pick<Tables, 'serviceMode'>): string {
  return `(SELECT coalesce(message, '') FROM ${serviceMode} WHERE kind = 'read_only' FOR SHARE)`;
}

/** Returns the mode for a value of {@link readOnlyMessage}. */
export function modeOf(message: string | null): Mode {
  return message === null ? NORMAL : { kind: 'read_only', message: message === '' ? null : message };
}

/** The SQL condition that an account is not blocked. */
export function mayChange({ accounts }: Pick<Tables, 'accounts'>, name: string): string {
  return `NOT EXISTS (SELECT 1 FROM ${accounts} WHERE name = ${name} AND blocked <> 'null')`;
}

/**
 * Whether the key of the parameter `place` was revoked, or the session of the next parameter has ended. Both rows are
 * locked until the transaction ends, so that a revocation is acknowledged after the change or prevents it. `OFFSET 0`
 * keeps the condition out of the locking query, which otherwise skips a row that no longer meets it.
 */
export function hasEnded({ apiKeys, sessions }: Pick<Tables, 'apiKeys' | 'sessions'>, place: number): string {
  const [key, session] = [`$${place}::text`, `$${place + 1}::text`];
  return `(
    EXISTS (
      SELECT 1 FROM (SELECT revoked_at FROM ${apiKeys} WHERE id = ${key} OFFSET 0 FOR SHARE) AS credential
      WHERE revoked_at IS NOT NULL
    ) OR (${session} IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM (SELECT 1 FROM ${sessions} WHERE token_hash = ${session} OFFSET 0 FOR SHARE) AS credential
    ))
  )`;
}

/** The values of the parameters of {@link hasEnded}. */
export function credentialValues({ key = null, session = null }: Credential): readonly [unknown, unknown] {
  return [key, session];
}

export type AccountInMode = StoredRow<Account> & {
  readonly modeKind: Mode['kind'];
  readonly modeMessage: string | null;
  readonly forbidden: boolean;
};

/** The account of the first parameter, if it is known, the mode, and whether the archive of the second is forbidden. */
export function accountInMode(tables: Tables): Statement {
  return prepared(`
    SELECT mode_kind AS "modeKind", mode_message AS "modeMessage", forbidden, ${ACCOUNTS.select}
    FROM (
      SELECT kind AS mode_kind, message AS mode_message, ${isForbidden(tables, 2)} AS forbidden FROM ${tables.serviceMode}
    ) AS service LEFT JOIN ${tables.accounts} ON name = $1`);
}

export function readAccountInMode(row: AccountInMode | undefined): {
  readonly account: Account | undefined;
  readonly mode: Mode;
} {
  if (row === undefined) return { account: undefined, mode: NORMAL };
  const mode = { kind: row.modeKind, message: row.modeMessage };
  return { account: row.name === null ? undefined : ACCOUNTS.read(row), mode };
}

/** Returns a function that finds why a change was not stored. */
export function refusals(
  tables: Tables,
): (run: Run, name: string, authority: SaveAuthority) => Promise<Unchangeable | undefined> {
  const statement = accountInMode(tables);
  return async (run, name, authority) => {
    const { account, mode } = readAccountInMode((await run<AccountInMode>(statement, [name, null])).rows[0]);
    return refuseChange(account, mode, authority);
  };
}

/** Returns a function that finds whether a change was refused because its credential has ended. */
export function credentialRefusals(
  connection: PostgresConnection,
  tables: Tables,
): (credential: Credential) => Promise<Refusal<'unauthorized'> | undefined> {
  const statement = prepared(`SELECT ${hasEnded(tables, 1)} AS ended`);
  return async (credential) => {
    const [row] = await connection.read<{ ended: boolean }>(statement, credentialValues(credential));
    return row?.ended === true ? UNAUTHORIZED : undefined;
  };
}

/** The SQL condition that the archive whose SHA-256 is the parameter `place` is forbidden. */
export function isForbidden({ takedowns }: Pick<Tables, 'takedowns'>, place: number): string {
  return `EXISTS (SELECT 1 FROM ${takedowns} WHERE sha256 = $${place} AND lifted_at IS NULL)`;
}
