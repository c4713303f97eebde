import type { AccountId, ApiKeyStore } from '@pinfold/core';
import { refuseKey } from '@pinfold/core/adapter';
import type { Run } from '../engine/postgres-connection.ts';
import { prepared, type Statement } from '../engine/statement.ts';
import { API_KEYS } from '../schema/columns.ts';
import type { Tables } from '../schema/tables.ts';
import { makingAccounts } from './accounts.ts';
import { keepingFor, rowsOf } from './events.ts';
import { lockingName } from './locks.ts';
import { mayChange, refusals, takesChanges } from './mode.ts';

/** Creates a key in a transaction, as {@link ApiKeyStore.create} promises. */
export type CreateKey = (
  run: Run,
  ...created: Required<Parameters<ApiKeyStore['create']>>
) => ReturnType<ApiKeyStore['create']>;

/** The place of the parameter for events in {@link keyInsertion}; further ones follow it. */
export const KEY_EVENTS: number = API_KEYS.members.length + 1;

/** The statement that inserts a key with its account and events. It counts one row if it did. */
export function keyInsertion(tables: Tables, insert: string): Statement {
  return prepared(`
    WITH created AS (${insert} RETURNING account),
      made AS (${makingAccounts(tables, 'SELECT account AS name FROM created')}),
      kept AS (${keepingFor(tables, 'created', KEY_EVENTS)})
    SELECT 1 FROM created`);
}

/** The number of an account's keys that are not revoked. */
export function countingLive({ apiKeys }: Tables, place: string): string {
  return `SELECT count(*) AS live FROM ${apiKeys} WHERE account = ${place} AND revoked_at IS NULL`;
}

export function creatingKeys(tables: Tables): CreateKey {
  const { apiKeys } = tables;
  const account = `$${API_KEYS.members.indexOf('account') + 1}`;
  const [isOperator, limitPlace] = [`$${KEY_EVENTS + 1}::boolean`, `$${KEY_EVENTS + 2}::bigint`];
  const statements = {
    lock: lockingName('keysOf'),
    insert: keyInsertion(
      tables,
      `INSERT INTO ${apiKeys} (${API_KEYS.insert}) SELECT ${API_KEYS.parameters(1)}
      WHERE (${isOperator} OR (${takesChanges(tables)} AND ${mayChange(tables, account)}))
        AND (${limitPlace} IS NULL OR (${countingLive(tables, account)}) < ${limitPlace})
      ON CONFLICT (id) DO NOTHING`,
    ),
    find: prepared(`SELECT 1 FROM ${apiKeys} WHERE id = $1`),
    ensure: prepared(`UPDATE ${apiKeys} SET ensured = true WHERE id = $1`),
    countLive: prepared(countingLive(tables, '$1')),
  };
  const refused = refusals(tables);
  const countLive = async (run: Run, name: AccountId): Promise<number> =>
    (await run<{ live: number }>(statements.countLive, [name])).rows[0]?.live ?? 0;
  return async (run, key, events, authority, limit) => {
    const bound = authority === 'operator' ? null : limit;
    if (bound !== null) await run(statements.lock, [key.account]);
    const values = [...API_KEYS.values(key), rowsOf(events), authority === 'operator', bound];
    // The cause of the refusal may be gone by the time it is read: then this tries again.
    for (;;) {
      if ((await run(statements.insert, values)).count === 1) return { kind: 'created' };
      const refusal = await refused(run, key.account, authority);
      if (refusal !== undefined) return refusal;
      if ((await run(statements.find, [key.id])).count === 1) {
        if (key.isEnsured) await run(statements.ensure, [key.id]);
        return { kind: 'exists' };
      }
      const past = refuseKey(await countLive(run, key.account), bound);
      if (past !== undefined) return past;
    }
  };
}
