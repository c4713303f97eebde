import { Fault, type FaultCode, instant, isFault } from '@pinfold/core';
import { refuseOutdated } from '@pinfold/core/adapter';
import { anArchiveId, aRoleId } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { openLog } from '../../src/server/log.ts';
import { openHealth } from './open-health.ts';

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

describe('the health of a server', () => {
  it('is checked by one timer: database and staging every 5 seconds, storage every 15, without listing', async () => {
    const { asked, pass, end } = openHealth();
    await pass(60);
    expect(asked).to.deep.equal({ database: 12, storage: 4, staging: 12, listings: 0 });
    await end();
    await pass(60);
    expect(asked.database).to.equal(12);
  });

  it('is reported from memory, without calls of stores', async () => {
    const { asked, health } = openHealth();
    for (let n = 0; n < 100; n += 1) [health.report(), health.has(['database', 'storage', 'staging'])];
    expect(asked).to.deep.equal({ database: 0, storage: 0, staging: 0, listings: 0 });
  });

  it('is unavailable while database or storage do not answer, and names the part', async () => {
    const { health, wrong, pass } = openHealth();
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

  it('is unavailable if the database needs a newer release, even if requests succeed', async () => {
    const { health, wrong, pass, roles } = openHealth();
    const lines: string[] = [];
    health.logTo(openLog('info', (line) => lines.push(JSON.parse(line).msg)));
    wrong.database = new Fault('store_unavailable', 'gone');
    await pass(5);
    wrong.database = outdated();
    await pass(10);
    delete wrong.database;
    await roles.load(aRoleId(1));
    expect(health.has(['database'])).to.equal(false);
    expect(lines).to.deep.equal(['the database does not answer', 'the database needs a newer release']);
    await pass(5);
    expect(health.has(['database'])).to.equal(true);
  });

  it('is degraded without room for uploads, which are refused before they are received', async () => {
    const { health, wrong, pass } = openHealth();
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

  it('has the state low if less than one archive fits, until two do, and admits no upload meanwhile', async () => {
    const { health, setFree, pass, staging } = openHealth();
    const lines: string[] = [];
    health.logTo(openLog('info', (line) => lines.push(JSON.parse(line).msg)));
    const states: string[] = [];
    for (const free of [100, 99, 100, 199, 0, 200, 100, 99]) {
      setFree(free);
      await pass(5);
      states.push(health.report().parts.staging);
    }
    expect(states).to.deep.equal(['ok', 'low', 'low', 'low', 'low', 'ok', 'ok', 'low']);
    const low = 'the disk for uploads has less space than one archive may need';
    expect(lines).to.deep.equal([low, 'uploads can be received again', low]);
    await staging.receive(none(), 1);
    expect(health.report()).to.deep.include({ status: 'degraded' });
    expect([health.has(['database']), health.has(['staging'])]).to.deep.equal([true, false]);
    expect(() => health.admitUpload())
      .to.throw(Fault)
      .with.property('code', 'staging_unavailable');
  });

  it('is degraded, not unavailable, if the storage is full, because sites can be viewed', async () => {
    const { health, wrong, pass } = openHealth();
    wrong.storage = full('storage_unavailable');
    await pass(15);
    expect(health.report().status).to.equal('degraded');
    expect(health.has(['storage'])).to.equal(true);
  });

  it("is degraded, but ready unless the clock is needed, while that differs by over 60 seconds from the database's", async () => {
    const { health, pass, setDatabaseClock } = openHealth();
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

  it('is ready if the needed parts are', async () => {
    const { health, wrong, pass } = openHealth();
    Object.assign(wrong, {
      storage: new Fault('storage_unavailable', 'gone'),
      staging: full('staging_unavailable'),
    });
    await pass(15);
    expect(health.has(['database'])).to.equal(true);
    expect(health.has(['database', 'storage'])).to.equal(false);
    expect(health.has(['database', 'staging'])).to.equal(false);
  });

  it('changes immediately with the outcome of requests', async () => {
    const { health, wrong, roles, archives, staging, asked } = openHealth();
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

  it('stays ok if a change or a deletion fails, because the store still answers', async () => {
    const { health, wrong, roles, archives } = openHealth();
    wrong.database = new Fault('store_unavailable', 'the disk is full');
    wrong.storage = new Fault('storage_unavailable', 'not permitted');
    await Promise.allSettled([roles.renew({} as never, instant(0)), archives.delete(anArchiveId(1))]);
    expect(health.report().status).to.equal('ok');
  });
});
