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
export class AccountRows {
  readonly #lock: Statement;
  readonly #make: Statement;
  readonly #inService: Statement;
  readonly #publishedSince: Statement;

  constructor(tables: Tables) {
    const { accounts, roles } = tables;
    // The selected values come before the row lock, so that waiting for the archive's lock holds no other.
    this.#lock = prepared(`
      SELECT ${ACCOUNTS.select}, ${readOnlyMessage(tables)} AS "readOnly", ${isForbidden(tables, 2)} AS forbidden,
        ${hasEnded(tables, 3)} AS ended, ${lockingArchive('_shared', 2)}
      FROM ${accounts} WHERE name = $1 FOR NO KEY UPDATE`);
    this.#make = prepared(makingAccounts(tables, 'SELECT $1 AS name'));
    // Roles without an end and roles that end later are two ranges of the index.
    this.#inService = prepared(`
      SELECT count(*) AS sites, coalesce(sum(archive_bytes), 0)::bigint AS bytes FROM (
        SELECT archive_bytes FROM ${roles}
        WHERE account = $1 AND deleted_at IS NULL AND expires_at IS NULL
        UNION ALL
        SELECT archive_bytes FROM ${roles}
        WHERE account = $1 AND deleted_at IS NULL AND expires_at > $2
      ) AS in_service`);
    this.#publishedSince = prepared(`
      SELECT (
        SELECT count(*) FROM ${roles} WHERE account = $1 AND deleted_at IS NULL AND published_at > $2
      ) + (
        SELECT count(*) FROM ${roles} WHERE account = $1 AND deleted_at IS NOT NULL AND published_at > $2
      ) AS publications`);
  }

  /**
   * Locks the row until the transaction ends, and creates it if it is missing. Until then no other transaction can
   * change the mode, forbid the archive or end the credential; later statements see what changed while this waited.
   * Changes that concern no archive pass null.
   */
  async lock(run: Run, name: AccountId, sha256: Sha256 | null, credential: Credential): Promise<Publisher> {
    const values = [name, sha256, ...credentialValues(credential)];
    for (;;) {
      const [row] = (await run<PublisherRow>(this.#lock, values)).rows;
      if (row !== undefined) {
        const mode = modeOf(row.readOnly);
        return { account: ACCOUNTS.read(row), mode, isForbidden: row.forbidden, hasEnded: row.ended };
      }
      await run(this.#make, [name]);
    }
  }

  async countInService(run: Run, name: AccountId, now: Instant): Promise<InService> {
    return (await run<InService>(this.#inService, [name, now])).rows[0] as InService;
  }

  async countPublished(run: Run, name: AccountId, now: Instant): Promise<number> {
    const values = [name, before(now, days(1))];
    return (await run<{ publications: number }>(this.#publishedSince, values)).rows[0]?.publications ?? 0;
  }
}
