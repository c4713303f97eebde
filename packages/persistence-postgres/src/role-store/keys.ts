import type { Reservation, ReserveOutcome, RoleStore } from '@pinfold/core';
import { judgeCommit, judgeHolder, type KeyRow, titleFolded } from '@pinfold/core/adapter';
import { keepingFor, rowsOf } from '../events.ts';
import type { PostgresConnection } from '../postgres-connection.ts';
import { ROLES } from '../schema.ts';
import { planned, prepared } from '../statement.ts';
import type { Tables } from '../tables.ts';

/** Idempotency-Keys: who holds them, and the publications that complete them. */
export function keys(
  connection: PostgresConnection,
  tables: Tables,
): Pick<RoleStore, 'reserve' | 'renew' | 'release' | 'commit' | 'purge'> {
  const { idempotencyKeys, roles, manifests } = tables;
  const statements = {
    holder: prepared(`
      SELECT fingerprint, token, held_until AS "heldUntil", role, warnings
      FROM ${idempotencyKeys} WHERE account = $1 AND key = $2`),
    reserve: prepared(`
      INSERT INTO ${idempotencyKeys} AS held (account, key, fingerprint, token, begun_at, held_until)
      VALUES ($1, $2, $3, $4, $5, $6)
      ON CONFLICT (account, key) DO UPDATE
      SET fingerprint = $3, token = $4, begun_at = $5, held_until = $6
      WHERE held.role IS NULL AND held.held_until <= $5`),
    renew: prepared(`
      UPDATE ${idempotencyKeys} SET held_until = $1
      WHERE account = $2 AND key = $3 AND token = $4 AND role IS NULL`),
    release: prepared(`
      DELETE FROM ${idempotencyKeys} WHERE account = $1 AND key = $2 AND token = $3 AND role IS NULL`),
    // One statement is all or nothing without a transaction of several round trips.
    commit: prepared(`
      WITH held AS (
        UPDATE ${idempotencyKeys} SET role = $4, warnings = $5
        WHERE account = $1 AND key = $2 AND token = $3 AND role IS NULL RETURNING 1
      ), stored AS (
        INSERT INTO ${manifests} (archive, manifest) SELECT $6, $7 FROM held
      ), kept AS (${keepingFor(tables, 'held', 9)})
      INSERT INTO ${roles} (version, title_folded, last_event_at, ${ROLES.insert})
      SELECT 1, $8, coalesce(($9::json -> -1 ->> 'at')::bigint, 0), ${ROLES.parameters(10)} FROM held`),
    // It waits for whoever changes a reservation: one that is passed over could still commit.
    // Planned for any limit, it would read the whole table.
    purge: planned(`
      DELETE FROM ${idempotencyKeys} WHERE (account, key) IN (
        SELECT account, key FROM ${idempotencyKeys}
        WHERE role IS NULL AND begun_at < $1 ORDER BY begun_at LIMIT $2 FOR UPDATE
      )`),
  };
  const holder = async (account: string, key: string): Promise<KeyRow | undefined> =>
    (await connection.read<KeyRow>(statements.holder, [account, key]))[0];

  async function reserve(request: Reservation): Promise<ReserveOutcome> {
    const { account, key, fingerprint, token, now, until } = request;
    const values = [account, key, fingerprint, token, now, until];
    for (;;) {
      const held = judgeHolder(await holder(account, key), request);
      if (held !== undefined) return held;
      const { count } = await connection.write(statements.reserve, values);
      if (count === 1) return { kind: 'reserved', lease: { account, key, token } };
      // Another one was quicker between the two statements: who holds it now?
    }
  }

  return {
    reserve,
    renew: async ({ account, key, token }, until) => {
      const { count } = await connection.write(statements.renew, [until, account, key, token]);
      return { kind: count === 1 ? 'held' : 'lost' };
    },
    release: async ({ account, key, token }) => {
      await connection.write(statements.release, [account, key, token]);
    },
    commit: async ({ role, manifest, warnings }, lease, events) => {
      const { account, key, token } = lease;
      const completed = [account, key, token, role.id, JSON.stringify(warnings), role.archive, manifest];
      const values = [...completed, titleFolded(role), rowsOf(events), ...ROLES.values(role)];
      const { count } = await connection.write(statements.commit, values);
      if (count === 1) return { kind: 'committed' };
      const again = judgeCommit(await holder(account, key), lease, role.id) === 'committed';
      return { kind: again ? 'committed' : 'lease_lost' };
    },
    purge: async (begunBefore, limit) =>
      (await connection.write(statements.purge, [begunBefore, limit])).count,
  };
}
