import { setImmediate } from 'node:timers/promises';
import { Fault, type FaultCode, type Instant, instant, isFault } from '@pinfold/core';
import { refuseOutdated } from '@pinfold/core/adapter';
import { type DatabaseRefusal, markRefusal } from '@pinfold/core/internal';
import { anArchiveId, aRoleId } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { ClockDifference } from '../../src/health/health.ts';
import { openLog } from '../../src/server/log.ts';
import { openHealth } from './open-health.ts';

const fullFault = (code: FaultCode): Fault =>
  new Fault(code, 'full', { cause: Object.assign(new Error('no room'), { code: 'ENOSPC' }) });

function createRefusal(refused: DatabaseRefusal['refused'], cause = new Error('refused')) {
  let isOver = false;
  const fault = new Fault('store_unavailable', 'refused', { cause });
  return {
    fault: markRefusal(fault, { refused, isOver: () => isOver }),
    end: (): void => {
      isOver = true;
    },
  };
}

async function* noBytes(): AsyncGenerator<Uint8Array> {}

function createOutdatedFault(): Fault {
  try {
    refuseOutdated({ version: 9, oldestVersion: 9, oldestRelease: '9.0.0' }, []);
  } catch (error) {
    if (isFault(error)) return error;
  }
  throw new Error('the schema was not refused');
}

describe('the health of a server', () => {
  it('is checked by one timer: database and staging every 5 seconds, storage every 15, without listing', async () => {
    const { checks, passSeconds, end } = openHealth();
    await passSeconds(60);
    expect(checks).to.deep.equal({ database: 12, storage: 4, staging: 12, listings: 0 });
    await end();
    await passSeconds(60);
    expect(checks.database).to.equal(12);
  });

  it('is reported from memory, without calls of stores', async () => {
    const { checks, health } = openHealth();
    for (let n = 0; n < 100; n += 1) [health.report(), health.meets(['database', 'storage', 'staging'])];
    expect(checks).to.deep.equal({ database: 0, storage: 0, staging: 0, listings: 0 });
  });

  it('is unavailable while database or storage do not answer, and names the part', async () => {
    const { health, faults, passSeconds } = openHealth();
    faults.storage = new Fault('storage_unavailable', 'gone');
    await passSeconds(15);
    expect(health.report()).to.deep.equal({
      status: 'unavailable',
      parts: { database: 'ok', storage: 'unavailable', staging: 'ok' },
      clock: 0,
    });
    delete faults.storage;
    faults.database = new Fault('store_unavailable', 'gone');
    await passSeconds(15);
    expect(health.report().parts).to.include({ database: 'unavailable', storage: 'ok' });
    delete faults.database;
    await passSeconds(5);
    expect(health.report().status).to.equal('ok');
  });

  it('is unavailable if the database needs a newer release, even if requests succeed', async () => {
    const { health, faults, passSeconds, roles } = openHealth();
    const lines: string[] = [];
    health.logTo(openLog('info', (line) => lines.push(JSON.parse(line).msg)));
    faults.database = new Fault('store_unavailable', 'gone');
    await passSeconds(5);
    faults.database = createOutdatedFault();
    await passSeconds(10);
    delete faults.database;
    await roles.load(aRoleId(1));
    expect(health.meets(['database'])).to.equal(false);
    expect(lines).to.deep.equal(['the database does not answer', 'the database needs a newer release']);
    await passSeconds(5);
    expect(health.meets(['database'])).to.equal(true);
  });

  it('is degraded without room for uploads, which are refused before they are received', async () => {
    const { health, faults, passSeconds } = openHealth();
    health.admitUpload();
    faults.staging = fullFault('staging_unavailable');
    await passSeconds(5);
    expect(health.report()).to.deep.include({ status: 'degraded' });
    expect(health.report().parts.staging).to.equal('full');
    expect(() => health.admitUpload())
      .to.throw(Fault)
      .with.property('code', 'staging_unavailable');
    delete faults.staging;
    await passSeconds(5);
    health.admitUpload();
    expect(health.report().status).to.equal('ok');
  });

  it('has the state low if less than one archive fits, until two do, and admits no upload meanwhile', async () => {
    const { health, setFree, passSeconds, staging } = openHealth();
    const lines: string[] = [];
    health.logTo(openLog('info', (line) => lines.push(JSON.parse(line).msg)));
    const states: string[] = [];
    for (const free of [100, 99, 100, 199, 0, 200, 100, 99]) {
      setFree(free);
      await passSeconds(5);
      states.push(health.report().parts.staging);
    }
    expect(states).to.deep.equal(['ok', 'low', 'low', 'low', 'low', 'ok', 'ok', 'low']);
    const low = 'the disk for uploads has less space than one archive may need';
    expect(lines).to.deep.equal([low, 'uploads can be received again', low]);
    await staging.receive(noBytes(), 1);
    expect(health.report()).to.deep.include({ status: 'degraded' });
    expect([health.meets(['database']), health.meets(['staging'])]).to.deep.equal([true, false]);
    expect(() => health.admitUpload())
      .to.throw(Fault)
      .with.property('code', 'staging_unavailable');
  });

  it('is degraded, not unavailable, if the storage is full, because sites can be viewed', async () => {
    const { health, faults, passSeconds } = openHealth();
    faults.storage = fullFault('storage_unavailable');
    await passSeconds(15);
    expect(health.report().status).to.equal('degraded');
    expect(health.meets(['storage'])).to.equal(true);
  });

  it("is degraded while its clock differs from the database's by over 60 seconds, and ready unless the clock is needed", async () => {
    const { health, passSeconds, setDatabaseClock } = openHealth();
    const readiness = () => [health.meets(['database', 'storage', 'staging']), health.meets(['clock'])];
    expect([health.report().clock, ...readiness()]).to.deep.equal([null, true, true]);
    for (const [by, status] of [
      [-90_000, 'degraded'],
      [60_000, 'ok'],
      [60_001, 'degraded'],
    ] as const) {
      setDatabaseClock(by);
      await passSeconds(5);
      expect(health.report()).to.deep.include({ status, clock: -by / 1_000 });
      expect(readiness()).to.deep.equal([true, status === 'ok']);
    }
  });

  it('is ready if the needed parts are', async () => {
    const { health, faults, passSeconds } = openHealth();
    Object.assign(faults, {
      storage: new Fault('storage_unavailable', 'gone'),
      staging: fullFault('staging_unavailable'),
    });
    await passSeconds(15);
    expect(health.meets(['database'])).to.equal(true);
    expect(health.meets(['database', 'storage'])).to.equal(false);
    expect(health.meets(['database', 'staging'])).to.equal(false);
  });

  it('changes immediately with the outcome of requests', async () => {
    const { health, faults, roles, archives, staging, checks } = openHealth();
    Object.assign(faults, {
      database: new Fault('store_unavailable', 'gone'),
      storage: new Fault('storage_unavailable', 'gone'),
      staging: fullFault('staging_unavailable'),
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
    for (const part of ['database', 'storage', 'staging'] as const) delete faults[part];
    await Promise.all(calls());
    expect(health.report().status).to.equal('ok');
    expect(checks.listings).to.equal(0);
  });

  it('is degraded, but ready, while the database refuses new connections or changes, until it accepts one', async () => {
    const { health, faults, passSeconds, roles } = openHealth();
    const lines: string[] = [];
    health.logRefusalsTo(openLog('info', (line) => lines.push(JSON.parse(line).msg)));
    const full = Object.assign(new Error('no room'), { code: '53100' });
    for (const [refused, cause, state] of [
      ['connections', new Error('too many clients'), 'refusing'],
      ['changes', new Error('read-only'), 'read_only'],
      ['changes', full, 'full'],
    ] as const) {
      const refusal = createRefusal(refused, cause);
      faults.database = refusal.fault;
      if (state !== 'read_only') await Promise.allSettled([roles.renew({} as never, instant(0))]);
      else await passSeconds(5);
      delete faults.database;
      await roles.load(aRoleId(1));
      await passSeconds(5);
      expect(health.report()).to.deep.include({ status: 'degraded' });
      expect([health.report().parts.database, health.meets(['database'])]).to.deep.equal([state, true]);
      refusal.end();
      expect(health.report().status).to.equal('ok');
      await passSeconds(5);
    }
    const linesOf = (what: string) => [
      `the database accepts no ${what}`,
      `the database accepts ${what} again`,
    ];
    const changes = linesOf('changes');
    expect(lines).to.deep.equal([...linesOf('new connections'), ...changes, ...changes]);
  });

  it('is unavailable as soon as a new connection is refused and no open one answers', async () => {
    const { health, faults, roles } = openHealth();
    const refusal = createRefusal('connections');
    faults.database = refusal.fault;
    await Promise.allSettled([roles.renew({} as never, instant(0))]);
    await setImmediate();
    expect(health.report().status).to.equal('unavailable');
    expect(health.meets(['database'])).to.equal(false);
  });

  it('stays ok if a change or a deletion fails, because the store still answers', async () => {
    const { health, faults, roles, archives } = openHealth();
    faults.database = new Fault('store_unavailable', 'the disk is full');
    faults.storage = new Fault('storage_unavailable', 'not permitted');
    await Promise.allSettled([roles.renew({} as never, instant(0)), archives.delete(anArchiveId(1))]);
    expect(health.report().status).to.equal('ok');
  });
});

const at = (seconds: number): Instant => instant(1_800_000_000_000 + Math.round(seconds * 1_000));

function createDifference() {
  const logged: string[] = [];
  const difference = new ClockDifference();
  difference.logTo(openLog('info', (line) => logged.push(JSON.parse(line).msg)));
  return { difference, logged };
}

describe("the difference between this machine's clock and the database's", () => {
  it('is unknown before the first measurement', () => {
    const { difference } = createDifference();
    expect(difference.milliseconds).to.equal(undefined);
    expect(difference.isTooLarge).to.equal(false);
  });

  it('is measured at the middle of the call, and positive if this machine is ahead', () => {
    const { difference } = createDifference();
    difference.record(at(10), at(4), at(10.5));
    expect(difference.milliseconds).to.equal(6_250);
    difference.record(at(10), at(12), at(10));
    expect(difference.milliseconds).to.equal(-2_000);
  });

  it('is 0 if the database has no clock of its own', () => {
    const { difference } = createDifference();
    difference.record(at(10), undefined, at(10));
    expect(difference.milliseconds).to.equal(0);
  });

  it('is not measured by a slow call', () => {
    const { difference } = createDifference();
    difference.record(at(10), at(10), at(10));
    difference.record(at(20), at(10), at(21.5));
    expect(difference.milliseconds).to.equal(0);
  });

  it('is logged once when it exceeds a minute, and once when it ends', () => {
    const { difference, logged } = createDifference();
    difference.record(at(70), at(10), at(70));
    expect([difference.isTooLarge, logged]).to.deep.equal([false, []]);
    difference.record(at(70.1), at(10), at(70.1));
    difference.record(at(92), at(10), at(92));
    difference.record(at(0), at(72.34), at(0));
    expect(difference.isTooLarge).to.equal(true);
    expect(logged).to.deep.equal([
      "this machine's clock is 60.1 s ahead of the database's, so it cleans nothing up",
    ]);
    difference.record(at(10), at(10), at(10));
    difference.record(at(10), at(10), at(10));
    difference.record(at(0), at(72.34), at(0));
    expect(logged.slice(1)).to.deep.equal([
      "this machine's clock agrees with the database's again",
      "this machine's clock is 72.3 s behind the database's, so it cleans nothing up",
    ]);
  });
});
