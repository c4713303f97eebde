import type { Pairing, PairingStore } from '@pinfold/core';
import type { Kept } from '@pinfold/core/adapter';
import type { PostgresConnection } from './postgres-connection.ts';
import { PAIRINGS } from './schema.ts';
import { planned, prepared } from './statement.ts';
import type { Tables } from './tables.ts';

/** Keeps what people agreed to in PostgreSQL, which all nodes share. */
export function postgresPairingStore(connection: PostgresConnection, { pairings }: Tables): PairingStore {
  const statements = {
    agree: prepared(`
      INSERT INTO ${pairings} (${PAIRINGS.insert}) VALUES (${PAIRINGS.parameters(1)})
      ON CONFLICT (secret_hash) DO NOTHING`),
    find: prepared(`SELECT ${PAIRINGS.select} FROM ${pairings} WHERE secret_hash = $1 AND ends_at > $2`),
    take: prepared(`
      DELETE FROM ${pairings} WHERE secret_hash = $1 AND ends_at > $2 RETURNING ${PAIRINGS.select}`),
    // Planned for any limit, it would read the whole table.
    purge: planned(`
      DELETE FROM ${pairings} WHERE secret_hash IN (
        SELECT secret_hash FROM ${pairings} WHERE ends_at <= $1 ORDER BY ends_at LIMIT $2 FOR UPDATE SKIP LOCKED
      )`),
  };
  return {
    agree: async (pairing) => {
      const { count } = await connection.write(statements.agree, PAIRINGS.values(pairing));
      return { kind: count === 1 ? 'agreed' : 'exists' };
    },
    find: async (secretHash, now) => {
      const [row] = await connection.read<Kept<Pairing>>(statements.find, [secretHash, now]);
      return row && PAIRINGS.read(row);
    },
    take: async (secretHash, now) => {
      const { rows } = await connection.write<Kept<Pairing>>(statements.take, [secretHash, now]);
      return rows[0] && PAIRINGS.read(rows[0]);
    },
    purge: async (endedBy, limit) => (await connection.write(statements.purge, [endedBy, limit])).count,
  };
}
