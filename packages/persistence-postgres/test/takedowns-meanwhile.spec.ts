import { setTimeout as pause } from 'node:timers/promises';
import { anEvent, aPublication, aReservation, aTakedown, leaseOf } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import pg from 'pg';
import { postgresPlace } from 'pinfold-test-servers/mocha';
import { lockNumber } from '../src/engine/statement.ts';
import { openPostgres } from '../src/index.ts';

describe('A takedown on PostgreSQL', () => {
  it('is seen by a commit that waited for it', async () => {
    const place = await postgresPlace();
    const { roles, takedowns, migrate } = await openPostgres({ pool: place.pool(), schema: place.schema });
    await migrate();
    const other = await place.pool().connect();
    try {
      const { role, ...publication } = aPublication(1);
      await roles.reserve(aReservation(1));
      // Another node takes the publication down, and has not committed yet.
      await other.query('BEGIN');
      await other.query('SELECT pg_advisory_xact_lock($1)', [
        lockNumber(place.schema, `archive ${role.sha256}`),
      ]);
      const lease = leaseOf(aReservation(1));
      const commit = roles.commit({ ...publication, role }, lease, [anEvent()]);
      while (!(await isWaitedFor(other))) await pause(5);
      const { id, account, sha256, reason, at } = aTakedown(9, { sha256: role.sha256 });
      await other.query(
        `INSERT INTO ${pg.escapeIdentifier(place.schema)}.takedowns (id, account, sha256, reason, at, lifted_at)
        VALUES ($1, $2, $3, $4, $5, NULL)`,
        [id, account, sha256, reason, at],
      );
      await other.query('COMMIT');
      const problems = [{ rule: 'forbidden_content' }];
      expect(await commit).to.deep.equal({ kind: 'refused', code: 'invalid_archive', problems });
      expect(await roles.load(role.id)).to.equal(undefined);
      expect(await takedowns.isForbidden(role.sha256)).to.equal(true);
      const again = await roles.reserve(aReservation(1));
      expect(again.kind, 'its lease holds').to.equal('in_progress');
    } finally {
      other.release();
      await place.dispose();
    }
  });
});

/** Whether another connection waits for a lock of this one. */
async function isWaitedFor(client: pg.PoolClient): Promise<boolean> {
  const { rows } = await client.query(
    'SELECT 1 FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))',
  );
  return rows.length > 0;
}
