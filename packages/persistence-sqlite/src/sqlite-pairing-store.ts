import type { Pairing, PairingStore } from '@pinfold/core';
import type { Kept } from '@pinfold/core/adapter';
import { PAIRINGS } from './schema.ts';
import type { Statements } from './sqlite-connection.ts';

const AGREE = `
  INSERT INTO pairings (${PAIRINGS.insert}) VALUES (${PAIRINGS.parameters(1)})
  ON CONFLICT (secret_hash) DO NOTHING`;
const FIND = `SELECT ${PAIRINGS.select} FROM pairings WHERE secret_hash = ? AND ends_at > ?`;
const TAKE = `DELETE FROM pairings WHERE secret_hash = ? AND ends_at > ? RETURNING ${PAIRINGS.select}`;
const PURGE = `
  DELETE FROM pairings WHERE secret_hash IN (
    SELECT secret_hash FROM pairings WHERE ends_at <= ? ORDER BY ends_at LIMIT ?
  )`;

/** Keeps what people agreed to in a SQLite file. */
export function sqlitePairingStore(connection: Statements): PairingStore {
  return {
    agree: (pairing) =>
      connection.write((prepare) => ({
        kind: prepare(AGREE).run(...PAIRINGS.values(pairing)).changes === 1 ? 'agreed' : 'exists',
      })),
    find: (secretHash, now) =>
      connection.read((prepare) => {
        const row = prepare<Kept<Pairing>>(FIND).get(secretHash, now);
        return row && PAIRINGS.read(row);
      }),
    take: (secretHash, now) =>
      connection.write((prepare) => {
        const row = prepare<Kept<Pairing>>(TAKE).get(secretHash, now);
        return row && PAIRINGS.read(row);
      }),
    purge: (endedBy, limit) => connection.write((prepare) => prepare(PURGE).run(endedBy, limit).changes),
  };
}
