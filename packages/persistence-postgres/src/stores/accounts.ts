import type { Account, AccountId, AccountUse, Credential, Instant, Mode, Sha256 } from '@pinfold/core';
import { before, days } from '@pinfold/core';
import { FIRST_GENERATION, NO_LIMITS, type StoredRow } from '@pinfold/core/adapter';
import type { Run } from '../engine/postgres-connection.ts';
import { prepared, type Statement } from '../engine/statement.ts';
import { ACCOUNTS } from '../schema/columns.ts';
import type { Tables } from '../schema/tables.ts';
import { lockingArchive } from './locks.ts';
import { credentialValues, hasEnded, isForbidden, modeOf, readOnlyMessage } from './mode.ts';

type PublisherRow = StoredRow<Account> & {
  readonly forbidden: boolean;
  readonly ended: boolean;
  readonly readOnly: string | null;
};

type InService = Pick<AccountUse, 'sites' | 'bytes'>;

/** The part of a statement that creates missing rows of accounts. */
export function makingAccounts({ accounts }: Pick<Tables, 'accounts'>, names: string): string {
  return `
    INSERT INTO ${accounts} (name, version, limits, blocked, generation)
    SELECT name, 1, '${JSON.stringify(NO_LIMITS)}', 'null', ${FIRST_GENERATION} FROM (${names}) AS made
    ON CONFLICT (name) DO NOTHING`;
}

/** An account, the mode of the service, whether the archive was forbidden, and whether the credential had ended. */
export interface Publisher {
  readonly account: Account;
  readonly mode: Mode;
  readonly isForbidden: boolean;
  readonly hasEnded: boolean;
}

/** Statements about the account of a publication. */
export interface AccountRows {
  /**
   * Locks the row until the transaction ends, and creates it if it is missing. Until then no other transaction can
   * change the mode, forbid the archive or end the credential; later statements see what changed while this waited.
   * Changes that concern no archive pass null.
   */
  lock(run: Run, name: AccountId, sha256: Sha256 | null, credential: Credential): Promise<Publisher>;
  countInService(run: Run, name: AccountId, now: Instant): Promise<InService>;
  countPublished(run: Run, name: AccountId, now: Instant): Promise<number>;
}

export function accountRows(tables: Tables): AccountRows {
  const { accounts, roles } = tables;
  const statements = {
    // The selected values come before the row lock, so that waiting for the archive's lock holds no other.
    lock: prepared(`
      SELECT ${ACCOUNTS.select}, ${readOnlyMessage(tables)} AS "readOnly", ${isForbidden(tables, 2)} AS forbidden,
        ${hasEnded(tables, 3)} AS ended, ${lockingArchive('_shared', 2)}
      FROM ${accounts} WHERE name = $1 FOR NO KEY UPDATE`),
    make: prepared(makingAccounts(tables, 'SELECT $1 AS name')),
    // Roles without an end and roles that end later are two ranges of the index.
    inService: prepared(`
      SELECT count(*) AS sites, coalesce(sum(archive_bytes), 0)::bigint AS bytes FROM (
        SELECT archive_bytes FROM ${roles}
        WHERE account = $1 AND deleted_at IS NULL AND expires_at IS NULL
        UNION ALL
        SELECT archive_bytes FROM ${roles}
        WHERE account = $1 AND deleted_at IS NULL AND expires_at > $2
      ) AS in_service`),
    publishedSince: prepared(`
      SELECT (
        SELECT count(*) FROM ${roles} WHERE account = $1 AND deleted_at IS NULL AND published_at > $2
      ) + (
        SELECT count(*) FROM ${roles} WHERE account = $1 AND deleted_at IS NOT NULL AND published_at > $2
      ) AS publications`),
  };
  const one = async <Row>(run: Run, statement: Statement, values: readonly unknown[]): Promise<Row> =>
    (await run<Row>(statement, values)).rows[0] as Row;
  return {
    lock: async (run, name, sha256, credential) => {
      for (;;) {
        const { rows } = await run<PublisherRow>(statements.lock, [
          name,
          sha256,
          ...credentialValues(credential),
        ]);
        const [row] = rows;
        if (row !== undefined) {
          const mode = modeOf(row.readOnly);
          return { account: ACCOUNTS.read(row), mode, isForbidden: row.forbidden, hasEnded: row.ended };
        }
        await run(statements.make, [name]);
      }
    },
    countInService: (run, name, now) => one(run, statements.inService, [name, now]),
    countPublished: async (run, name, now) => {
      const since = before(now, days(1));
      return (await one<{ publications: number }>(run, statements.publishedSince, [name, since]))
        .publications;
    },
  };
}
