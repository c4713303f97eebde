import type { ApiKey, Consent, Instant, Pairing, PairingStore, Sha256 } from '@pinfold/core';
import type { StoredRow } from '@pinfold/core/adapter';
import type { PostgresConnection, Run } from '../engine/postgres-connection.ts';
import { deletingEnded, prepared } from '../engine/statement.ts';
import { CONSENTS } from '../schema/columns.ts';
import type { Tables } from '../schema/tables.ts';
import { keepingFor, rowsOf } from './events.ts';
import { creatingKeys } from './key-creation.ts';
import { lockingName } from './locks.ts';

/** The columns of a pairing, null without a consent. */
type PairingRow = Pick<Pairing, 'secretHash' | 'endsAt'> & StoredRow<Consent>;

/** The name of the lock under which programs register. */
const ALL_PAIRINGS = 'pairings';

export function postgresPairingStore(connection: PostgresConnection, tables: Tables): PairingStore {
  const { apiKeys, pairings, sessions } = tables;
  const columns = CONSENTS.insert.split(', ');
  const noConsent = columns.map((column) => `${column} = NULL`).join(', ');
  const selected = `secret_hash AS "secretHash", ends_at AS "endsAt", ${CONSENTS.select}`;
  const isOpen = 'secret_hash = $1 AND ends_at > $2';
  const events = CONSENTS.members.length + 2;
  const statements = {
    lockAll: lockingName('pairings'),
    lockConsents: lockingName('consentsOf'),
    register: prepared(`
      INSERT INTO ${pairings} AS known (secret_hash, ends_at)
      SELECT $1, $2::bigint WHERE (SELECT count(*) FROM ${pairings} WHERE ends_at > $3) < $4
      ON CONFLICT (secret_hash) DO UPDATE SET ends_at = $2, ${noConsent} WHERE known.ends_at <= $3`),
    find: prepared(`SELECT ${selected} FROM ${pairings} WHERE ${isOpen}`),
    // Updates a row instead of only locking it, because an unfinished import refuses updates only.
    lock: prepared(`UPDATE ${pairings} SET ends_at = ends_at WHERE ${isOpen} RETURNING ${selected}`),
    replace: prepared(`
      UPDATE ${pairings} SET ${noConsent}
      WHERE account = $1 AND actor = $2 AND session IS NOT DISTINCT FROM $3`),
    agree: prepared(`
      WITH agreed AS (
        UPDATE ${pairings} SET ${CONSENTS.set(CONSENTS.members, 2)} WHERE secret_hash = $1 RETURNING 1
      ) ${keepingFor(tables, 'agreed', events)}`),
    // Locks both, so that neither ends before the key exists.
    lockKey: prepared(`
      SELECT revoked_at IS NOT NULL AS "isRevoked" FROM ${apiKeys} WHERE id = $1 FOR SHARE`),
    liveSession: prepared(`
      SELECT api_key AS "apiKey" FROM ${sessions} WHERE token_hash = $1 AND ends_at > $2 FOR SHARE`),
    take: prepared(`DELETE FROM ${pairings} WHERE secret_hash = $1`),
    purge: deletingEnded(pairings, 'secret_hash'),
  };
  const createKey = creatingKeys(tables);

  /** Reads the pairing and locks it until the transaction ends. */
  const lock = async (run: Run, secretHash: Sha256, now: Instant): Promise<Pairing | undefined> =>
    (await run<PairingRow>(statements.lock, [secretHash, now])).rows.map(pairingOf)[0];

  /** Undefined if the key has no row here. */
  const isRevoked = async (run: Run, id: Consent['apiKey']): Promise<boolean | undefined> =>
    (await run<{ isRevoked: boolean }>(statements.lockKey, [id])).rows[0]?.isRevoked;

  /** Whether the session and the key that gave a consent still exist. */
  const isAlive = async (run: Run, { session, apiKey }: Consent, now: Instant): Promise<boolean> => {
    if (session !== null) {
      const { rows } = await run<Pick<Consent, 'apiKey'>>(statements.liveSession, [session, now]);
      const [given] = rows;
      if (given === undefined) return false;
      if (given.apiKey !== null && (await isRevoked(run, given.apiKey)) !== false) return false;
    }
    // A key that an embedding application manages has no row here.
    return apiKey === null || (await isRevoked(run, apiKey)) !== true;
  };

  return {
    register: ({ secretHash, endsAt, now, limit }) =>
      connection.transaction(async (run) => {
        await run(statements.lockAll, [ALL_PAIRINGS]);
        const { count } = await run(statements.register, [secretHash, endsAt, now, limit]);
        const isKept = count === 1 || (await run(statements.find, [secretHash, now])).count === 1;
        return { kind: isKept ? 'registered' : 'full' };
      }),
    agree: (secretHash, consent, now, told) =>
      connection.transaction(async (run) => {
        // The later of two concurrent consents of a session replaces the earlier one.
        await run(statements.lockConsents, [consent.account]);
        const pairing = await lock(run, secretHash, now);
        if (pairing === undefined) return { kind: 'unknown' };
        if (pairing.consent !== null && (await isAlive(run, pairing.consent, now))) return { kind: 'exists' };
        await run(statements.replace, CONSENTS.values(consent, ['account', 'actor', 'session']));
        await run(statements.agree, [secretHash, ...CONSENTS.values(consent), rowsOf(told)]);
        return { kind: 'agreed' };
      }),
    find: async (secretHash, now) => {
      const [row] = await connection.read<PairingRow>(statements.find, [secretHash, now]);
      return row && pairingOf(row);
    },
    take: ({ secretHash, now, key: wanted, limit }, told) =>
      connection.transaction(async (run) => {
        const pairing = await lock(run, secretHash, now);
        if (pairing === undefined) return { kind: 'unknown' };
        const { consent } = pairing;
        if (consent === null || !(await isAlive(run, consent, now))) return { kind: 'waiting' };
        const { account, scopes, label, actor } = consent;
        const key: ApiKey = { ...wanted, account, scopes, label };
        const attributed = told.map((event) => ({ ...event, account, actor }));
        const outcome = await createKey(run, key, attributed, 'account', limit);
        if (outcome.kind !== 'created') return outcome;
        await run(statements.take, [secretHash]);
        return { kind: 'created', key };
      }),
    purge: async (endedBy, limit) => (await connection.write(statements.purge, [endedBy, limit])).count,
  };
}

function pairingOf(row: PairingRow): Pairing {
  const { secretHash, endsAt } = row;
  return { secretHash, endsAt, consent: row.account === null ? null : CONSENTS.read(row) };
}
