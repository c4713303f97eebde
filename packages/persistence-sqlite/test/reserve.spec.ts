import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import {
  after,
  type CleanupRequest,
  days,
  type EncodedManifest,
  type HistoryEvent,
  hours,
  isFault,
  type Role,
  type RoleCommit,
  type Versioned,
} from '@pinfold/core';
import type { Stores } from '@pinfold/core/adapter';
import {
  aComparison,
  anAccount,
  anApiKey,
  anApiKeyId,
  anArchiveId,
  anEvent,
  aPublication,
  aRole,
  aSession,
  aTakedown,
  aToken,
  aTokenHash,
  publishTo,
  rejectionOf,
  START,
} from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { DiskReserve, RESERVE } from '../src/engine/reopening-file.ts';
import { SqliteConnection } from '../src/engine/sqlite-connection.ts';
import type { Prepare } from '../src/engine/sqlite-file.ts';
import { openSqlite } from '../src/index.ts';
import { inFolder } from './in-folder.ts';
import { releasedRoom } from './released-room.ts';
import { stock } from './stock.ts';
import { storesOver } from './stores-over.ts';

describe('DiskReserve', () => {
  /** A reserve and the path of its file. */
  function onReserve(work: (reserve: DiskReserve, file: string) => void): Promise<void> {
    return inFolder(async (folder) => {
      const database = join(folder, 'pinfold.sqlite');
      work(new DiskReserve(database), `${database}-reserve`);
    });
  }

  it('reserves real disk space, readable by its owner only', () =>
    onReserve((reserve, file) => {
      reserve.refill();
      const { size, blocks, mode } = statSync(file);
      expect(size).to.equal(RESERVE);
      expect(blocks * 512).to.be.at.least(RESERVE);
      expect(mode & 0o777).to.equal(0o600);
    }));

  it('frees the space during a task, even a nested one, and then reserves it again', () =>
    onReserve((reserve, file) => {
      reserve.refill();
      const released = reserve.releaseDuring(() => {
        reserve.refill();
        return [existsSync(file), reserve.releaseDuring(() => existsSync(file)), existsSync(file)];
      });
      expect(released).to.deep.equal([false, false, false]);
      expect(statSync(file).size).to.equal(RESERVE);
    }));

  it('reserves the space again after a task that fails, and throws its error', () =>
    onReserve((reserve, file) => {
      const reason = new Error('broken');
      const failing = (): never => {
        throw reason;
      };
      expect(() => reserve.releaseDuring(failing)).to.throw(reason);
      expect(statSync(file).size).to.equal(RESERVE);
    }));

  it('does not fail if the space cannot be reserved', () =>
    inFolder(async (folder) => {
      const reserve = new DiskReserve(join(folder, 'absent', 'pinfold.sqlite'));
      reserve.refill();
      expect(reserve.releaseDuring(() => 'done')).to.equal('done');
    }));

  it('has the space from the first opening on, and reserves it again at a later one', () =>
    inFolder(async (folder) => {
      const file = join(folder, 'pinfold.sqlite');
      for (let n = 0; n < 2; n += 1) {
        const handle = await openSqlite({ file });
        expect(statSync(`${file}-reserve`).size).to.equal(RESERVE);
        await handle.close();
        rmSync(`${file}-reserve`);
      }
    }));
});

describe('A full database', () => {
  const ROLES = 200;
  const LATER = after(START, days(1));
  const CLAIM: CleanupRequest = {
    now: LATER,
    endedBefore: LATER,
    token: aToken(1),
    until: after(LATER, hours(1)),
    limit: ROLES,
  };

  interface Full {
    readonly connection: SqliteConnection;
    readonly stores: Stores;
    /** How often the reserve was released. */
    readonly released: () => number;
  }

  /** A database of ended roles, a key and a session that gets no more pages unless its reserve is released. */
  async function whenFull(work: (full: Full) => Promise<void>): Promise<void> {
    await inFolder(async (folder) => {
      let opened: Prepare | undefined;
      const setRoom = (pages: number): unknown => opened?.(`PRAGMA max_page_count = ${pages}`).get();
      const { reserve, released } = releasedRoom(setRoom);
      const connection = new SqliteConnection(
        join(folder, 'pinfold.sqlite'),
        (length) => setTimeout(length),
        () => {},
        reserve,
      );
      const stores = storesOver(connection);
      await stores.migrate();
      const ended = Array.from({ length: ROLES }, (_, n) => aRole(n, { expiresAt: START }));
      await stock(stores.imports, ended, () => 'm'.repeat(1_000) as EncodedManifest);
      await stores.apiKeys.create(anApiKey(1), []);
      await stores.sessions.begin(aSession(1), []);
      await connection.read(({ prepare }) => {
        opened = prepare;
      });
      setRoom(1);
      await work({ connection, stores, released });
      connection.close();
    });
  }

  /** A change that needs new pages. */
  function large(n: number): RoleCommit {
    return { ...aPublication(ROLES + n), manifest: 'm'.repeat(20_000) as EncodedManifest };
  }

  it('refuses a publication, lets a cleanup run, and accepts publications again after it', () =>
    whenFull(async ({ stores: { roles: store }, released }) => {
      const refused = await rejectionOf(publishTo(store, large(1)));
      expect(isFault(refused) && refused.code).to.equal('store_unavailable');
      expect(released(), 'not for publishing').to.equal(0);
      const tasks = await store.claimForCleanup(CLAIM);
      expect(tasks).to.have.lengthOf(ROLES);
      expect(released(), 'for the claims').to.be.at.least(1);
      const orphans = Array.from({ length: 1_000 }, (_, n) => anArchiveId(n));
      const saved = await store.saveComparison(aComparison({ orphans, missing: orphans }), undefined);
      expect(saved.kind, 'a comparison').to.equal('saved');
      for (const task of tasks) await store.settleCleanup(task, { kind: 'removed' }, [anEvent()]);
      const { id } = await publishTo(store, large(2));
      expect(await store.load(id)).to.have.nested.property('value.id', id);
    }));

  it('refuses even a cleanup if the reserve does not suffice', () =>
    whenFull(async ({ connection, released }) => {
      const tooLarge = await rejectionOf(
        connection.write(({ prepare }) => {
          prepare('PRAGMA max_page_count = 1').get();
          prepare('CREATE TABLE more AS SELECT zeroblob(100000)').run();
        }, true),
      );
      expect(tooLarge).to.have.nested.property('cause.code', 'SQLITE_FULL');
      expect(released()).to.equal(1);
    }));

  it('accepts changes that end access: a stop, a takedown, a block, a revoked key and an ended session', () =>
    whenFull(async ({ stores, released }) => {
      // More than fits into the existing pages.
      const events = (): readonly HistoryEvent[] => Array.from({ length: 300 }, () => anEvent());
      const load = async (n: number): Promise<Versioned<Role>> => {
        const loaded = await stores.roles.load(aRole(n).id);
        if (loaded === undefined) throw new Error(`role ${n} does not exist`);
        return { value: { ...loaded.value, deletedAt: LATER }, version: loaded.version };
      };
      const [stopped, taken] = [await load(0), await load(1)];
      const changes = [
        () => stores.roles.save(stopped.value, stopped.version, events()),
        () => stores.takedowns.takeDown(aTakedown(1), taken, events()),
        () =>
          stores.accounts.save(
            anAccount(1, { blocked: { reason: 'Spam', sites: 'hide', at: LATER } }),
            undefined,
            events(),
          ),
        () => stores.apiKeys.revoke(anApiKeyId(1), LATER, events()),
        () => stores.sessions.end(aTokenHash(1), events()),
      ];
      for (const [n, change] of changes.entries()) {
        await change();
        expect(released(), `change ${n}`).to.equal(n + 1);
      }
    }));

  it('releases its reserve for no other change', () =>
    whenFull(async ({ connection, released }) => {
      const grown = connection.write(({ prepare }) =>
        prepare('CREATE TABLE more AS SELECT zeroblob(100000)').run(),
      );
      expect(await rejectionOf(grown)).to.have.nested.property('cause.code', 'SQLITE_FULL');
      expect(released()).to.equal(0);
    }));
});
