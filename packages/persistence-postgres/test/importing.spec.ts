import { anAccount, anEvent, aToken, rejectionOf } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { postgresPlace } from 'pinfold-test-servers/mocha';
import { openPostgres } from '../src/index.ts';

describe('An unfinished import into PostgreSQL', () => {
  it('refuses changes of nodes that know of no imports, in a schema of any name, and leaves no trigger behind', async () => {
    const place = await postgresPlace();
    const pool = place.pool();
    const schema = `O'Hara "$do$" ${'%I'}`;
    const handle = await openPostgres({ pool, schema });
    await handle.migrate();
    const quoted = `"${schema.replaceAll('"', '""')}"`;
    const older = () => pool.query(`DELETE FROM ${quoted}.roles WHERE id = 'none'`);
    const triggers = async () =>
      (await pool.query("SELECT 1 FROM pg_trigger WHERE tgname = 'refuse_while_importing'")).rowCount;
    await older();
    await handle.imports.begin(aToken(1));
    expect(await rejectionOf(older())).to.include({ code: 'PF001' });
    expect(await triggers()).to.be.at.least(8);
    await handle.imports.end(aToken(1));
    expect(await triggers()).to.equal(0);
    await older();
    await handle.accounts.save(anAccount(1), undefined, [anEvent()]);
    expect(await handle.imports.begin(aToken(2))).to.deep.equal({ kind: 'refused' });
    expect(await triggers()).to.equal(0);
    await handle.close();
    await pool.query(`DROP SCHEMA ${quoted} CASCADE`);
    await place.dispose();
  });

  it('waits for changes under way, and then finds what they made', async () => {
    const place = await postgresPlace();
    const pool = place.pool();
    const handle = await openPostgres({ pool, schema: place.schema });
    await handle.migrate();
    const quoted = `"${place.schema.replaceAll('"', '""')}"`;
    const other = await pool.connect();
    await other.query('BEGIN');
    await other.query(
      `INSERT INTO ${quoted}.accounts (name, version, limits, blocked, generation) VALUES ('a', 1, '{}', 'null', 1)`,
    );
    const beginning = handle.imports.begin(aToken(1));
    await waitingFor(pool);
    await other.query('COMMIT');
    other.release();
    expect(await beginning).to.deep.equal({ kind: 'refused' });
    await handle.close();
    await place.dispose();
  });
});

/** Until somebody waits for a lock. */
async function waitingFor(pool: {
  query(text: string): Promise<{ readonly rowCount: number | null }>;
}): Promise<void> {
  const waiting =
    "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%refuse_while_importing%'";
  while ((await pool.query(waiting)).rowCount === 0) await new Promise((resolve) => setTimeout(resolve, 5));
}
