import { anAccount, anEvent, aToken, rejectionOf } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { postgresPlace } from 'pinfold-test-servers/mocha';
import { openPostgres } from '../src/index.ts';

describe('An unfinished import into PostgreSQL', () => {
  it('refuses changes of every node, in a schema of any name', async () => {
    const place = await postgresPlace();
    const pool = place.pool();
    const schema = `O'Hara "$1" ${'%I'}`;
    const nodes = await Promise.all([1, 2].map(() => openPostgres({ pool, schema })));
    const [one, other] = nodes as [(typeof nodes)[0], (typeof nodes)[0]];
    await one.migrate();
    const change = (n: number) => other.accounts.save(anAccount(n), undefined, [anEvent()]);
    await one.imports.begin(aToken(1));
    expect(await rejectionOf(change(1))).to.include({ code: 'store_unavailable' });
    await one.imports.end(aToken(1));
    await change(1);
    expect(await one.imports.begin(aToken(2))).to.deep.equal({ kind: 'refused' });
    await change(2);
    await pool.query(`DROP SCHEMA "${schema.replaceAll('"', '""')}" CASCADE`);
    await place.dispose();
  });
});
