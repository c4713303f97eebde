import { copyFile, rm } from 'node:fs/promises';
import { accountId } from '@pinfold/core';
import { createHistory } from '@pinfold/core/history';
import { RandomIds, SystemClock } from '@pinfold/platform-node';
import { anApiKey, anEvent } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import pg from 'pg';
import { openRecords, type RecordsAddress } from 'pinfold-proof/service/addresses.ts';
import { newPlace } from 'pinfold-proof/service/places.ts';

const ADA = accountId('ada');

/** Copies a database that no process has open; resolves to what puts the copy back. */
async function backUp(records: RecordsAddress): Promise<() => Promise<void>> {
  if (records.kind === 'sqlite') {
    const { file } = records;
    await copyFile(file, `${file}.backup`);
    return async () => {
      for (const part of ['-wal', '-shm']) await rm(`${file}${part}`, { force: true });
      await copyFile(`${file}.backup`, file);
    };
  }
  if (records.kind !== 'postgres') throw new Error(`no backup of ${records.kind}`);
  const client = new pg.Client(records.server);
  await client.connect();
  const of = (table: string) => `${pg.escapeIdentifier(records.schema)}.${pg.escapeIdentifier(table)}`;
  const { rows } = await client.query<{ name: string; columns: string }>(
    `SELECT table_name AS name, string_agg(quote_ident(column_name), ', ') AS columns
    FROM information_schema.columns WHERE table_schema = $1 AND is_generated = 'NEVER' GROUP BY table_name`,
    [records.schema],
  );
  for (const { name } of rows)
    await client.query(`CREATE TABLE ${of(`${name}_backup`)} AS TABLE ${of(name)}`);
  await client.end();
  return async () => {
    const restoring = new pg.Client(records.server);
    await restoring.connect();
    await restoring.query('SET session_replication_role = replica');
    await restoring.query(`TRUNCATE ${rows.map(({ name }) => of(name)).join(', ')}`);
    for (const { name, columns } of rows)
      await restoring.query(
        `INSERT INTO ${of(name)} (${columns}) OVERRIDING SYSTEM VALUE SELECT ${columns} FROM ${of(`${name}_backup`)}`,
      );
    await restoring.end();
  };
}

describe('The feed of a database that was restored from a backup', function () {
  this.timeout(60_000);

  for (const kind of ['sqlite', 'postgres'] as const) {
    it(`refuses cursors of what the backup does not have, on ${kind}`, async () => {
      const { records: address, dispose } = await newPlace(kind, 'memory');
      let keys = 0;
      const record = async (count: number): Promise<void> => {
        const records = await openRecords(address);
        await records.migrate();
        for (let n = 0; n < count; n += 1) {
          keys += 1;
          await records.apiKeys.create(anApiKey(keys), [anEvent({ account: ADA })]);
        }
        await records.close();
      };
      const readAfter = async (cursor?: string) => {
        const records = await openRecords(address);
        const history = createHistory({ ...records, clock: new SystemClock(), ids: new RandomIds() });
        const outcome = await history.feed({ by: ADA, ...(cursor === undefined ? {} : { after: cursor }) });
        await records.close();
        return outcome.kind === 'page'
          ? { kind: outcome.items.length, next: outcome.next }
          : { kind: outcome.code, next: '' };
      };
      try {
        await record(2);
        const shared = (await readAfter()).next;
        const restore = await backUp(address);
        await record(2);
        const lost = (await readAfter(shared)).next;
        await restore();
        expect((await readAfter(shared)).kind, 'what both have').to.equal(0);
        expect((await readAfter(lost)).kind, 'not so far').to.equal('cursor_expired');
        await record(3);
        expect((await readAfter(lost)).kind, 'another event in its place').to.equal('cursor_expired');
        expect((await readAfter(shared)).kind, 'all that came after').to.equal(3);
      } finally {
        await dispose();
      }
    });
  }
});
