import {
  type ArchiveStorage,
  Fault,
  type FaultCode,
  instant,
  isFault,
  type Mode,
  type RoleStore,
  type Staging,
  seconds,
} from '@pinfold/core';
import { instrument, type Persistence, refuseOutdated } from '@pinfold/core/adapter';
import { anArchiveId, aRoleId, createManualClock } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { Health } from '../../src/health/health.ts';
import { openLog } from '../../src/server/log.ts';

const turns = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const full = (code: FaultCode): Fault =>
  new Fault(code, 'full', { cause: Object.assign(new Error('no room'), { code: 'ENOSPC' }) });

async function* none(): AsyncGenerator<Uint8Array> {}

function outdated(): Fault {
  try {
    refuseOutdated({ version: 9, oldestVersion: 9, oldestRelease: '9.0.0' }, []);
  } catch (error) {
    if (isFault(error)) return error;
  }
  throw new Error('it was not refused');
}

/** The health of stores that count what is asked of them, and fail as a test says. */
function rig() {
  const clock = createManualClock();
  const asked = { database: 0, storage: 0, staging: 0, listings: 0 };
  const wrong: { database?: Fault; storage?: Fault; staging?: Fault } = {};
  let databaseClock = 0;
  let mode: Mode = { kind: 'normal', message: null };
  const met = <Result>(part: 'database' | 'storage' | 'staging', result: Result): Promise<Result> =>
    wrong[part] === undefined ? Promise.resolve(result) : Promise.reject(wrong[part]);
  const persistence: Partial<Persistence> = {
    check: () => {
      asked.database += 1;
      return met('database', instant(clock.now() + databaseClock));
    },
  };
  const roles: Partial<RoleStore> = {
    load: () => met('database', undefined),
    renew: () => met('database', { kind: 'lost' as const }),
  };
  const archives: Partial<ArchiveStorage> = {
    check: () => {
      asked.storage += 1;
      return met('storage', undefined);
    },
    list: async () => {
      asked.listings += 1;
      return [];
    },
    read: () => met('storage', undefined),
    delete: () => met('storage', undefined),
  };
  const staging: Partial<Staging> = {
    check: () => {
      asked.staging += 1;
      return met('staging', undefined);
    },
    receive: () => met('staging', { kind: 'too_large' as const }),
  };
  const health = new Health();
  const ports = instrument(
    {
      roles: roles as RoleStore,
      archives: archives as ArchiveStorage,
      staging: staging as Staging,
      mode: { load: async () => mode, change: async () => {} },
    },
    [health.observer],
  );
  let free = 1_000;
  const disk = { free: async () => free, archiveBytes: 100 };
  health.watch({ ...ports, persistence: persistence as Persistence, clock, disk });
  const stop = new AbortController();
  const running = health.run(clock, stop.signal);
  return {
    health,
    asked,
    wrong,
    ...ports,
    setMode: (kind: Mode['kind']): void => {
      mode = { kind, message: null };
    },
    setFree: (bytes: number): void => {
      free = bytes;
    },
    setDatabaseClock: (ahead: number): void => {
      databaseClock = ahead;
    },
    pass: async (count: number): Promise<void> => {
      for (let passed = 0; passed < count; passed += 5) {
        clock.advance(seconds(5));
        await turns();
      }
    },
    end: async (): Promise<void> => {
      stop.abort();
      await running;
    },
  };
}

describe('the health of a server', () => {
  it('is looked at by one timer: database and staging every 5 seconds, storage every 15, and nothing is listed', async () => {
    const { asked, pass, end } = rig();
    await pass(60);
    expect(asked).to.deep.equal({ database: 12, storage: 4, staging: 12, listings: 0 });
    await end();
    await pass(60);
    expect(asked.database).to.equal(12);
  });

  it('says that the service is read-only, at the start and when that changes', async () => {
    const { health, pass, setMode } = rig();
    const lines: string[] = [];
    setMode('read_only');
    await pass(5);
    health.logTo(openLog('info', (line) => lines.push(JSON.parse(line).msg)));
    await pass(10);
    expect(health.isReadOnly).to.equal(true);
    setMode('normal');
    await pass(5);
    expect(health.isReadOnly).to.equal(false);
    setMode('read_only');
    await pass(10);
    const readOnly = 'the service is read-only, until somebody says "pinfold mode normal"';
    expect(lines).to.deep.equal([readOnly, 'the service takes changes again', readOnly]);
  });

  it('is reported from memory, without asking a store', async () => {
    const { asked, health } = rig();
    for (let n = 0; n < 100; n += 1) [health.report(), health.has(['database', 'storage', 'staging'])];
    expect(asked).to.deep.equal({ database: 0, storage: 0, staging: 0, listings: 0 });
  });

  it('is unavailable while database or storage do not answer, and names which', async () => {
    const { health, wrong, pass } = rig();
    wrong.storage = new Fault('storage_unavailable', 'gone');
    await pass(15);
    expect(health.report()).to.deep.equal({
      status: 'unavailable',
      parts: { database: 'ok', storage: 'unavailable', staging: 'ok' },
      clock: 0,
    });
    delete wrong.storage;
    wrong.database = new Fault('store_unavailable', 'gone');
    await pass(15);
    expect(health.report().parts).to.include({ database: 'unavailable', storage: 'ok' });
    delete wrong.database;
    await pass(5);
    expect(health.report().status).to.equal('ok');
  });

  it('is unavailable where the database needs a newer release, whatever requests it answers meanwhile', async () => {
    const { health, wrong, pass, roles } = rig();
    const said: string[] = [];
    health.logTo(openLog('info', (line) => said.push(JSON.parse(line).msg)));
    wrong.database = new Fault('store_unavailable', 'gone');
    await pass(5);
    wrong.database = outdated();
    await pass(10);
    delete wrong.database;
    await roles.load(aRoleId(1));
    expect(health.has(['database'])).to.equal(false);
    expect(said).to.deep.equal(['the database does not answer', 'the database needs a newer release']);
    await pass(5);
    expect(health.has(['database'])).to.equal(true);
  });

  it('is degraded without room for uploads, which are refused before they come', async () => {
    const { health, wrong, pass } = rig();
    health.admitUpload();
    wrong.staging = full('staging_unavailable');
    await pass(5);
    expect(health.report()).to.deep.include({ status: 'degraded' });
    expect(health.report().parts.staging).to.equal('full');
    expect(() => health.admitUpload())
      .to.throw(Fault)
      .with.property('code', 'staging_unavailable');
    delete wrong.staging;
    await pass(5);
    health.admitUpload();
    expect(health.report().status).to.equal('ok');
  });

  it('has low staging while less than one archive fits, until two do, and takes no upload meanwhile', async () => {
    const { health, setFree, pass, staging } = rig();
    const said: string[] = [];
    health.logTo(openLog('info', (line) => said.push(JSON.parse(line).msg)));
    const states: string[] = [];
    for (const free of [100, 99, 100, 199, 0, 200, 100, 99]) {
      setFree(free);
      await pass(5);
      states.push(health.report().parts.staging);
    }
    expect(states).to.deep.equal(['ok', 'low', 'low', 'low', 'low', 'ok', 'ok', 'low']);
    const low = 'the disk for uploads has less space than one archive may need';
    expect(said).to.deep.equal([low, 'uploads can be received again', low]);
    await staging.receive(none(), 1);
    expect(health.report()).to.deep.include({ status: 'degraded' });
    expect([health.has(['database']), health.has(['staging'])]).to.deep.equal([true, false]);
    expect(() => health.admitUpload())
      .to.throw(Fault)
      .with.property('code', 'staging_unavailable');
  });

  it('is degraded, and not unavailable, when the storage has no room: what it has can be viewed', async () => {
    const { health, wrong, pass } = rig();
    wrong.storage = full('storage_unavailable');
    await pass(15);
    expect(health.report().status).to.equal('degraded');
    expect(health.has(['storage'])).to.equal(true);
  });

  it("is degraded, and ready unless asked for the clock, while that is over 60 seconds off the database's", async () => {
    const { health, pass, setDatabaseClock } = rig();
    const answers = () => [health.has(['database', 'storage', 'staging']), health.has(['clock'])];
    expect([health.report().clock, ...answers()]).to.deep.equal([null, true, true]);
    for (const [by, status] of [
      [-90_000, 'degraded'],
      [60_000, 'ok'],
      [60_001, 'degraded'],
    ] as const) {
      setDatabaseClock(by);
      await pass(5);
      expect(health.report()).to.deep.include({ status, clock: -by / 1_000 });
      expect(answers()).to.deep.equal([true, status === 'ok']);
    }
  });

  it('is ready by what is needed, and by nothing else', async () => {
    const { health, wrong, pass } = rig();
    Object.assign(wrong, {
      storage: new Fault('storage_unavailable', 'gone'),
      staging: full('staging_unavailable'),
    });
    await pass(15);
    expect(health.has(['database'])).to.equal(true);
    expect(health.has(['database', 'storage'])).to.equal(false);
    expect(health.has(['database', 'staging'])).to.equal(false);
  });

  it('knows at once what requests met', async () => {
    const { health, wrong, roles, archives, staging, asked } = rig();
    Object.assign(wrong, {
      database: new Fault('store_unavailable', 'gone'),
      storage: new Fault('storage_unavailable', 'gone'),
      staging: full('staging_unavailable'),
    });
    const calls = (): readonly Promise<unknown>[] => [
      Promise.resolve(roles.load(aRoleId(1))),
      archives.read(anArchiveId(1), 0, 1),
      staging.receive([] as never, 1),
    ];
    expect((await Promise.allSettled(calls())).map(({ status }) => status)).to.deep.equal(
      Array(3).fill('rejected'),
    );
    expect(health.report().parts).to.deep.equal({
      database: 'unavailable',
      storage: 'unavailable',
      staging: 'full',
    });
    for (const part of ['database', 'storage', 'staging'] as const) delete wrong[part];
    await Promise.all(calls());
    expect(health.report().status).to.equal('ok');
    expect(asked.listings).to.equal(0);
  });

  it('stays ok when a change or a deletion fails: the store still answers', async () => {
    const { health, wrong, roles, archives } = rig();
    wrong.database = new Fault('store_unavailable', 'the disk is full');
    wrong.storage = new Fault('storage_unavailable', 'not permitted');
    await Promise.allSettled([roles.renew({} as never, instant(0)), archives.delete(anArchiveId(1))]);
    expect(health.report().status).to.equal('ok');
  });
});
