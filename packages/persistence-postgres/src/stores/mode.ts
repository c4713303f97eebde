import type { Account, Authority, Credential, Mode, Refusal, Unchangeable } from '@pinfold/core';
import { NORMAL, refuseChange, type StoredRow, UNAUTHORIZED } from '@pinfold/core/adapter';
import type { PostgresConnection, Run } from '../engine/postgres-connection.ts';
import { prepared, type Statement } from '../engine/statement.ts';
import { ACCOUNTS } from '../schema/columns.ts';
import type { Tables } from '../schema/tables.ts';

/**
 * The condition of a statement that the service is not read-only, which then stays so until its transaction ends. The
 * table is locked before a statement takes its snapshot, and whoever changes the mode waits for that; where snapshots are
 * older, locking the row rolls back whoever has not seen its change: `OFFSET 0` keeps it from being passed over unlocked.
 */
export function takesChanges({ serviceMode }: Pick<Tables, 'serviceMode'>): string {
  return `NOT EXISTS (
    SELECT 1 FROM (SELECT kind FROM ${serviceMode} OFFSET 0 FOR SHARE) AS service WHERE kind = 'read_only'
  )`;
}

/**
 * What a statement of a transaction that reads what is committed selects to look at the mode as {@link takesChanges}
 * does: null in the normal one, where no row is locked, else its message or nothing.
 */
export function readOnlyMessage({ serviceMode }: Pick<Tables, 'serviceMode'>): string {
  return `(SELECT coalesce(message, '') FROM ${serviceMode} WHERE kind = 'read_only' FOR SHARE)`;
}

/** Reads what {@link readOnlyMessage} selects. */
export function modeOf(message: string | null): Mode {
  return message === null ? NORMAL : { kind: 'read_only', message: message === '' ? null : message };
}

/** The condition of a statement that the account of a name may change something. */
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

/** A row of {@link accountInMode}. */
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

/** Reads what {@link accountInMode} gives. */
export function readAccountInMode(row: AccountInMode | undefined): {
  readonly account: Account | undefined;
  readonly mode: Mode;
} {
  if (row === undefined) return { account: undefined, mode: NORMAL };
  const mode = { kind: row.modeKind, message: row.modeMessage };
  return { account: row.name === null ? undefined : ACCOUNTS.read(row), mode };
}

/** Says why a change that was not stored was refused, if it was. */
export function refusals(
  connection: PostgresConnection,
  tables: Tables,
): (name: string, authority: Authority) => Promise<Unchangeable | undefined> {
  const refused = refusalsWithin(tables);
  return (name, authority) =>
    refused(
      async (statement, values = []) => ({ rows: await connection.read(statement, values), count: 0 }),
      name,
      authority,
    );
}

/** As {@link refusals}, within a transaction. */
export function refusalsWithin(
  tables: Tables,
): (run: Run, name: string, authority: Authority) => Promise<Unchangeable | undefined> {
  const statement = accountInMode(tables);
  return async (run, name, authority) => {
    if (authority === 'operator') return undefined;
    const { account, mode } = readAccountInMode((await run<AccountInMode>(statement, [name, null])).rows[0]);
    return refuseChange(account, mode);
  };
}

/** Answers the refusal of a change that was not stored because its credential no longer counts. */
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

/** Whether nobody may publish the archive whose SHA-256 is the parameter of that place. */
export function isForbidden({ takedowns }: Pick<Tables, 'takedowns'>, place: number): string {
  return `EXISTS (SELECT 1 FROM ${takedowns} WHERE sha256 = $${place} AND lifted_at IS NULL)`;
}
