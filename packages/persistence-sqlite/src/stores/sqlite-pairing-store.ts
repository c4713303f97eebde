import type { ApiKey, Consent, Instant, Pairing, PairingStore, Sha256 } from '@pinfold/core';
import type { StoredRow } from '@pinfold/core/adapter';
import type { Statements } from '../engine/sqlite-connection.ts';
import type { Prepare } from '../engine/sqlite-file.ts';
import { CONSENTS } from '../schema/columns.ts';
import { keep } from './events.ts';
import { createKey } from './sqlite-api-key-store.ts';

/** The columns of a pairing, null without a consent. */
type PairingRow = Pick<Pairing, 'secretHash' | 'endsAt'> & StoredRow<Consent>;

const NO_CONSENT = CONSENTS.insert
  .split(', ')
  .map((column) => `${column} = NULL`)
  .join(', ');
const REGISTER = `
  INSERT INTO pairings (secret_hash, ends_at)
  SELECT @secretHash, @endsAt WHERE (SELECT count(*) FROM pairings WHERE ends_at > @now) < @limit
  ON CONFLICT (secret_hash) DO UPDATE SET ends_at = @endsAt, ${NO_CONSENT} WHERE ends_at <= @now`;
const FIND = `
  SELECT secret_hash AS secretHash, ends_at AS endsAt, ${CONSENTS.select} FROM pairings
  WHERE secret_hash = ? AND ends_at > ?`;
const REPLACE = `
  UPDATE pairings SET ${NO_CONSENT} WHERE account = @account AND actor = @actor AND session IS @session`;
const AGREE = `UPDATE pairings SET ${CONSENTS.set(CONSENTS.members, 1)} WHERE secret_hash = ?`;
const LIVE_SESSION = `
  SELECT 1 FROM sessions WHERE token_hash = ? AND ends_at > ? AND (
    api_key IS NULL OR EXISTS (SELECT 1 FROM api_keys WHERE id = sessions.api_key AND revoked_at IS NULL)
  )`;
const REVOKED_KEY = 'SELECT 1 FROM api_keys WHERE id = ? AND revoked_at IS NOT NULL';
const TAKE = 'DELETE FROM pairings WHERE secret_hash = ?';
const PURGE = `
  DELETE FROM pairings WHERE secret_hash IN (
    SELECT secret_hash FROM pairings WHERE ends_at <= ? ORDER BY ends_at LIMIT ?
  )`;

export function sqlitePairingStore(connection: Statements): PairingStore {
  return {
    register: (request) =>
      connection.write((prepare) => {
        const isKept =
          prepare(REGISTER).run(request).changes === 1 ||
          find(prepare, request.secretHash, request.now) !== undefined;
        return { kind: isKept ? 'registered' : 'full' };
      }),
    agree: (secretHash, consent, now, events) =>
      connection.write((prepare) => {
        const pairing = find(prepare, secretHash, now);
        if (pairing === undefined) return { kind: 'unknown' };
        if (pairing.consent !== null && isAlive(prepare, pairing.consent, now)) return { kind: 'exists' };
        const [account, actor, session] = CONSENTS.values(consent, ['account', 'actor', 'session']);
        prepare(REPLACE).run({ account, actor, session });
        prepare(AGREE).run(...CONSENTS.values(consent), secretHash);
        keep(prepare, events);
        return { kind: 'agreed' };
      }),
    find: (secretHash, now) => connection.read((prepare) => find(prepare, secretHash, now)),
    take: ({ secretHash, now, key: wanted, limit }, events) =>
      connection.write((prepare) => {
        const pairing = find(prepare, secretHash, now);
        if (pairing === undefined) return { kind: 'unknown' };
        const { consent } = pairing;
        if (consent === null || !isAlive(prepare, consent, now)) return { kind: 'waiting' };
        const { account, scopes, label, actor } = consent;
        const key: ApiKey = { ...wanted, account, scopes, label };
        const told = events.map((event) => ({ ...event, account, actor }));
        const outcome = createKey(prepare, key, told, 'account', limit);
        if (outcome.kind !== 'created') return outcome;
        prepare(TAKE).run(secretHash);
        return { kind: 'created', key };
      }),
    purge: (endedBy, limit) => connection.write((prepare) => prepare(PURGE).run(endedBy, limit).changes),
  };
}

function find(prepare: Prepare, secretHash: Sha256, now: Instant): Pairing | undefined {
  const row = prepare<PairingRow>(FIND).get(secretHash, now);
  if (row === undefined) return undefined;
  const { endsAt } = row;
  return { secretHash: row.secretHash, endsAt, consent: row.account === null ? null : CONSENTS.read(row) };
}

/** Whether the session and the key that gave a consent still exist. */
function isAlive(prepare: Prepare, { session, apiKey }: Consent, now: Instant): boolean {
  if (session !== null && prepare(LIVE_SESSION).get(session, now) === undefined) return false;
  // A key that an embedding application manages has no row here.
  return apiKey === null || prepare(REVOKED_KEY).get(apiKey) === undefined;
}
