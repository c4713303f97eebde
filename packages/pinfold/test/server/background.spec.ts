import {
  type CleanUpReport,
  type Duration,
  duration,
  Fault,
  hours,
  type Instant,
  minutes,
  type RoleId,
  seconds,
} from '@pinfold/core';
import { createManualClock, type ManualClock } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { runCleanupTimer, storeLastViews, storeViews } from '../../src/server/background.ts';
import { openLog } from '../../src/server/log.ts';
import { EMPTY_REPORT } from '../metrics/clean-up-report.ts';

const fault = new Fault('store_unavailable', 'the database is away');

/** Advances the clock, and lets tasks that it wakes sleep again. */
async function advance(clock: ManualClock, length: Duration): Promise<void> {
  clock.advance(length);
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

function start(random: number, outcomes: readonly (() => CleanUpReport)[]) {
  const clock = createManualClock();
  const lines: { readonly level: number; readonly msg: string }[] = [];
  const log = openLog('info', (line) => lines.push(JSON.parse(line)));
  let sweeps = 0;
  const cleanUp = async () => {
    const outcome = outcomes[sweeps];
    sweeps += 1;
    return outcome?.() ?? EMPTY_REPORT;
  };
  const stop = new AbortController();
  const ended = runCleanupTimer(
    {
      cleanUp,
      history: { sweep: async () => {} },
      views: { sweep: async () => {} },
      clock,
      log,
      random: () => random,
    },
    stop.signal,
  );
  return {
    lines,
    sweeps: () => sweeps,
    advance: (count: number) => advance(clock, minutes(count)),
    end: async (): Promise<void> => {
      stop.abort();
      await ended;
    },
  };
}

describe('runCleanupTimer', () => {
  for (const [random, pause] of [
    [0, 5],
    [0.5, 7.5],
    [1 - Number.EPSILON, 10],
  ] as const) {
    it(`waits a random time of five to ten minutes between sweeps: ${pause} for ${random}`, async () => {
      const { sweeps, advance, end } = start(random, []);
      for (let swept = 0; swept < 2; swept += 1) {
        await advance(pause - 0.1);
        expect(sweeps()).to.equal(swept);
        await advance(0.1);
        expect(sweeps()).to.equal(swept + 1);
      }
      await end();
    });
  }

  it('logs a line for each sweep, even if it removed nothing', async () => {
    const { lines, advance, end } = start(0.5, [
      () => EMPTY_REPORT,
      () => ({ ...EMPTY_REPORT, archives: 2 }),
    ]);
    await advance(10);
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include({ level: 30, msg: 'cleanup', archives: 0 });
    await advance(10);
    expect(lines).to.have.length(2);
    expect(lines[1]).to.include({ level: 30, msg: 'cleanup', archives: 2 });
    await end();
  });

  it('continues after a failed sweep', async () => {
    const fail = (): never => {
      throw fault;
    };
    const { lines, sweeps, advance, end } = start(0.5, [fail]);
    await advance(10);
    expect(lines.map(({ level }) => level)).to.deep.equal([50]);
    await advance(10);
    expect(sweeps()).to.equal(2);
    await end();
  });

  it('logs an error if a sweep refuses to delete', async () => {
    const { lines, advance, end } = start(0.5, [() => ({ ...EMPTY_REPORT, listing: 'refused' })]);
    await advance(10);
    expect(lines.map(({ level }) => level)).to.deep.equal([50, 30]);
    await end();
  });

  it('logs how far the clock of removal is behind, and warns above 24 hours', async () => {
    const behind = (by: Duration) => () => ({ ...EMPTY_REPORT, removalBehind: by });
    const { lines, advance, end } = start(0.5, [behind(hours(24)), behind(duration(hours(24) + 1))]);
    await advance(10);
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include({ level: 30, removal_behind: 86_400 });
    await advance(10);
    expect(lines.map(({ level }) => level)).to.deep.equal([30, 40, 30]);
    expect(lines[1]?.msg).to.include('pinfold cleanup --catch-up');
    await end();
  });

  it("logs an error for each sweep that is skipped because the clock differs from the database's", async () => {
    const differing = () => ({ ...EMPTY_REPORT, clockDiffers: true, finished: false });
    const { lines, advance, end } = start(0.5, [differing, differing]);
    await advance(10);
    await advance(10);
    expect(lines.map(({ level }) => level)).to.deep.equal([50, 50]);
    expect(lines[0]?.msg).to.include('nothing is cleaned up').and.to.include('clock');
    await end();
  });

  it('warns of publications in service without their archive, with their ids', async () => {
    const withoutArchive = ['3f1d2c4e-0000-4000-8000-000000000001' as RoleId];
    const { lines, advance, end } = start(0.5, [() => ({ ...EMPTY_REPORT, withoutArchive })]);
    await advance(10);
    expect(lines.map(({ level }) => level)).to.deep.equal([40, 30]);
    expect(lines[0]?.msg).to.include(withoutArchive[0]);
    await end();
  });

  it('ends immediately when it is stopped', async () => {
    const { sweeps, end } = start(0.5, []);
    await end();
    expect(sweeps()).to.equal(0);
  });
});

describe('storing counts of views', () => {
  const clock = createManualClock();
  const errors: string[] = [];
  const log = { error: (message: string) => errors.push(message) };
  beforeEach(() => {
    errors.length = 0;
  });
  it('writes every ten seconds, and logs only the first failure', async () => {
    const at: Instant[] = [];
    let fails = false;
    const store = async () => {
      at.push(clock.now());
      if (fails) throw fault;
      return false;
    };
    const stop = new AbortController();
    const begun = clock.now();
    const ended = storeViews({ views: { store }, clock, log }, stop.signal);
    await advance(clock, seconds(9.999));
    expect(at).to.deep.equal([]);
    await advance(clock, seconds(0.001));
    fails = true;
    for (let n = 0; n < 3; n += 1) await advance(clock, seconds(10));
    fails = false;
    await advance(clock, seconds(10));
    fails = true;
    await advance(clock, seconds(10));
    expect(at.map((moment) => moment - begun)).to.deep.equal([10, 20, 30, 40, 50, 60].map(seconds));
    expect(errors).to.have.lengthOf(2);
    stop.abort();
    await ended;
  });

  it('stores all counts every ten seconds, however many batches they are', async () => {
    const clock = createManualClock();
    let batches = 0;
    const store = async () => {
      batches += 1;
      return batches % 3 !== 0;
    };
    const stop = new AbortController();
    const ended = storeViews({ views: { store }, clock, log }, stop.signal);
    for (const expected of [3, 6]) {
      await advance(clock, seconds(10));
      expect(batches).to.equal(expected);
    }
    stop.abort();
    await ended;
  });

  it('stores all counts at the end, unless the time is over', async () => {
    let remaining = 3;
    const store = async () => {
      remaining -= 1;
      return remaining > 0;
    };
    await storeLastViews({ views: { store }, log }, new AbortController().signal);
    expect(remaining).to.equal(0);
    await storeLastViews({ views: { store: () => new Promise(() => undefined) }, log }, AbortSignal.abort());
    await storeLastViews(
      { views: { store: () => Promise.reject(fault) }, log },
      new AbortController().signal,
    );
    expect(errors).to.have.lengthOf(2);
  });
});
