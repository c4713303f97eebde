import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AccountId, ApiKeyId, ArchiveId, Instant, PinName, RoleId, Sha256 } from '@pinfold/core';
import type { Persistence } from '@pinfold/core/adapter';
import { anEvent, rejectionOf } from '@pinfold/test-contracts/fixtures';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { openSqlite } from '../src/index.ts';
import { inFolder } from './in-folder.ts';

const HAND_WRITTEN = readFileSync(join(import.meta.dirname, 'version-16.sql'), 'utf8');
const SCHEMA = `
  SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_autoindex%' AND name <> 'schema_state'
  ORDER BY type, name`;

const [ACME, OTHER] = ['acme', 'other'] as AccountId[] as [AccountId, AccountId];
const T = 1_750_000_000_000 as Instant;
const hash = (letter: string): Sha256 => letter.repeat(64) as Sha256;
const role = (n: number): RoleId => `role00000000000${n}` as RoleId;

/** A database of version 16, in which other statements ran, too. */
function onHandWritten(
  play: (handle: Persistence, file: string) => Promise<void>,
  others = '',
): Promise<void> {
  return inFolder(async (folder) => {
    const file = join(folder, 'pinfold.sqlite');
    const database = new Database(file);
    database.exec(`BEGIN; ${HAND_WRITTEN} ${others}; COMMIT`);
    database.close();
    const handle = await openSqlite({ file });
    await play(handle, file);
    await handle.close();
  });
}

/** SQL that records what happened to a name. */
function shows(name: string, pin: RoleId, type = 'name.set'): string {
  return `
    INSERT INTO events (at, id, type, account, pin, actor, as_operator, recorded_at, name, number, account_number)
    SELECT ${T} + number, 'name-' || number, '${type}', 'acme', '${pin}', '{"kind":"system","id":null}', 0, ${T}, '${name}',
      number, number FROM (SELECT max(number) + 1 AS number FROM events);`;
}

function inFile<Row>(file: string, sql: string): readonly Row[] {
  const database = new Database(file, { readonly: true });
  try {
    return database.prepare<unknown[], Row>(sql).all();
  } finally {
    database.close();
  }
}

describe('the migration of a schema that was written by hand', () => {
  it('makes it what a new one is, and leaves it so when it is done again', () =>
    onHandWritten(async (handle, file) => {
      await handle.migrate();
      await handle.migrate();
      await handle.check();
      await inFolder(async (folder) => {
        const other = join(folder, 'new.sqlite');
        const fresh = await openSqlite({ file: other });
        await fresh.migrate();
        for (const sql of [SCHEMA, 'SELECT * FROM schema_state']) {
          expect(inFile(file, sql)).to.deep.equal(inFile(other, sql));
        }
        await fresh.close();
      });
    }));

  it('keeps publications, names and takedowns', () =>
    onHandWritten(async ({ migrate, roles, names, takedowns }, file) => {
      await migrate();
      const loaded = await roles.load(role(2));
      expect(loaded).to.deep.equal({
        value: {
          id: role(2),
          account: ACME,
          archive: 'archive00000000000002',
          idempotencyKey: 'key-2',
          title: 'Overview',
          originalFilename: 'ÜBERSICHT.zip',
          fileCount: 1,
          size: 141,
          archiveBytes: 143,
          sha256: hash('2'),
          publishedAt: T + 2_000,
          expiresAt: null,
          pinned: false,
          deletedAt: null,
          passwordHash: 'scrypt',
          generation: 2,
        },
        version: 2,
        isHidden: false,
        accountGeneration: 1,
      });
      const hidden = await roles.load(role(3));
      expect(hidden).to.include({ isHidden: true, accountGeneration: 2 });
      expect(await roles.loadManifest('archive00000000000001' as ArchiveId)).to.equal('[["index.html",1]]');
      const list = {
        account: undefined,
        now: T,
        state: undefined,
        idempotencyKey: undefined,
        search: undefined,
      };
      const ending = await roles.list({ ...list, after: undefined, order: 'ending', limit: 10 });
      expect(ending.items.map(({ id }) => id)).to.deep.equal([role(3), role(1), role(2)]);
      const key = { account: ACME, idempotencyKey: 'key-1' };
      const byKey = await roles.list({
        ...list,
        ...key,
        order: undefined,
        after: undefined,
        limit: 1,
      } as never);
      expect(byKey.items.map(({ id }) => id)).to.deep.equal([role(1)]);
      const counted = { now: (T + 20_000) as Instant, endedBefore: (T + 20_000) as Instant };
      expect(await roles.countForCleanup({ ...counted, begunBefore: counted.now })).to.deep.equal({
        archives: 1,
        reservations: 1,
      });
      const folded = 'SELECT filename_folded AS name FROM roles ORDER BY id LIMIT 2';
      expect(inFile(file, folded)).to.deep.equal([{ name: 'site 1.zip' }, { name: 'übersicht.zip' }]);
      expect((await names.find(ACME, 'plan' as PinName))?.name).to.include({
        role: role(1),
        token: 'nametoken000001',
      });
      expect(await takedowns.isForbidden(hash('4'))).to.equal(true);
      expect(await roles.loadComparison()).to.have.property('version', 1);
    }));

  it('tells of a name what it showed before, since it was deleted last', () =>
    onHandWritten(
      async ({ migrate }, file) => {
        await migrate();
        expect(
          inFile(file, 'SELECT account, name, previous FROM names ORDER BY account, name'),
        ).to.deep.equal([
          { account: 'acme', name: 'again', previous: role(2) },
          { account: 'acme', name: 'anew', previous: null },
          { account: 'acme', name: 'plan', previous: null },
        ]);
      },
      `${shows('again', role(1))} ${shows('again', role(2))} ${shows('again', role(1))}
       ${shows('anew', role(2))} ${shows('anew', role(2), 'name.deleted')} ${shows('anew', role(1))}
       INSERT INTO names (account, name, token, role, updated_at) VALUES
         ('acme', 'again', 'nametoken000002', '${role(1)}', ${T}), ('acme', 'anew', 'nametoken000003', '${role(1)}', ${T});`,
    ));

  it('keeps accounts, keys, sessions, pairings, counts and the mode', () =>
    onHandWritten(async ({ migrate, accounts, apiKeys, sessions, pairings, views, attempts, mode }) => {
      await migrate();
      expect(await accounts.load(ACME)).to.have.nested.property('value.blocked', null);
      const block = { reason: 'spam', sites: 'hide', at: T + 12_000 };
      expect((await accounts.load(OTHER))?.value).to.deep.include({ blocked: block, generation: 2 });
      const ensured = await apiKeys.find('key0000000000002' as ApiKeyId);
      expect(ensured).to.deep.include({ account: OTHER, isEnsured: true, scopes: ['publish', 'manage'] });
      expect(await sessions.find(hash('b'), T)).to.deep.include({
        account: ACME,
        actor: { kind: 'key', id: 'key0000000000001', label: 'laptop' },
      });
      expect(await pairings.find(hash('d'), T)).to.have.nested.property('consent.label', 'ci');
      expect(await views.list(role(2), 0 as never)).to.deep.equal([
        { day: 20_254, views: 3, refusedPasswords: 1 },
      ]);
      const attempt = { role: role(2), now: T, window: 900_000, perRole: 20 };
      const again = { ...attempt, address: '192.0.2.1', perAddress: 2 } as never;
      expect((await attempts.begin(again)).kind).to.not.equal('admitted');
      expect((await attempts.begin({ ...(again as object), perAddress: 3 } as never)).kind).to.equal(
        'admitted',
      );
      expect(await mode.load()).to.deep.equal({ kind: 'normal', message: null });
    }));

  it('keeps the history, and goes on counting in both feeds', () =>
    onHandWritten(async ({ migrate, history, mode, sessions }) => {
      await migrate();
      const query = { pin: undefined, after: 0, limit: 20 };
      const ofAll = await history.feed({ ...query, account: undefined });
      expect(ofAll.feed).to.match(/^[\da-f]{32}$/);
      expect(ofAll.begin).to.deep.equal({ number: 2, event: 'e2' });
      expect(ofAll.items.map(({ number, event }) => [number, event.id])).to.deep.equal(
        Array.from({ length: 11 }, (_, n) => [n + 3, `e${n + 3}`]),
      );
      const ofAcme = await history.feed({ ...query, account: ACME });
      expect(ofAcme.items.map(({ number, event }) => [number, event.id])).to.deep.equal([
        [2, 'e3'],
        [3, 'e4'],
        [4, 'e7'],
        [5, 'e12'],
        [6, 'e13'],
      ]);
      await mode.change({ kind: 'read_only', message: null }, [anEvent({ account: null })]);
      await sessions.end(hash('b'), [anEvent({ account: ACME })]);
      expect((await history.feed({ ...query, account: undefined })).last.number).to.equal(15);
      expect((await history.feed({ ...query, account: ACME })).last.number).to.equal(7);
    }));

  it('gives no event a number of one that was removed, and no try that of one that is settled', () =>
    onHandWritten(async ({ migrate, history, mode }, file) => {
      await migrate();
      await mode.change({ kind: 'read_only', message: null }, [anEvent({ account: null })]);
      const { items } = await history.feed({ account: undefined, pin: undefined, after: 0, limit: 2 });
      expect(items.map(({ number }) => number)).to.deep.equal([31]);
      expect(inFile(file, "SELECT seq FROM sqlite_sequence WHERE name = 'attempts'")).to.deep.equal([
        { seq: 4 },
      ]);
    }, "DELETE FROM events; UPDATE feed_begins SET number = 30 WHERE account = ''; DELETE FROM attempts"));

  it('leaves it as it is where only a new database may be migrated, and where it fails', () =>
    onHandWritten(async ({ migrate }, file) => {
      const before = inFile(file, SCHEMA);
      expect(await rejectionOf(migrate('empty'))).to.have.property('code', 'store_unavailable');
      expect(await rejectionOf(migrate())).to.have.property('code', 'SQLITE_ERROR');
      expect(inFile(file, SCHEMA)).to.deep.equal(before);
      expect(inFile(file, 'SELECT version FROM schema_state')).to.deep.equal([{ version: 16 }]);
    }, 'DROP TABLE views'));
});
