import { type CleanUpReport, Fault, minutes } from '@pinfold/core';
import { createManualClock } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { runCleanupTimer } from '../../src/server/background.ts';
import { openLog } from '../../src/server/log.ts';

const nothing: CleanUpReport = {
  reservations: 0,
  attempts: 0,
  uploads: 0,
  archives: 0,
  failures: 0,
  compared: 0,
  unnamed: 0,
  orphans: 0,
  missing: [],
  listing: 'not_due',
  finished: true,
  rested: false,
};

function timer(random: number, outcomes: readonly (() => CleanUpReport)[]) {
  const clock = createManualClock();
  const lines: { readonly level: number; readonly msg: string }[] = [];
  const log = openLog('info', (line) => lines.push(JSON.parse(line)));
  let sweeps = 0;
  const cleanUp = async () => {
    const outcome = outcomes[sweeps];
    sweeps += 1;
    return outcome?.() ?? nothing;
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
    clock,
    lines,
    sweeps: () => sweeps,
    /** Moves the clock on, and lets what it woke begin to sleep again. */
    pass: async (count: number): Promise<void> => {
      clock.advance(minutes(count));
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    },
    end: async (): Promise<void> => {
      stop.abort();
      await ended;
    },
  };
}

describe('runCleanupTimer', () => {
  it('leaves ten minutes at most between sweeps', async () => {
    const { sweeps, pass, end } = timer(1 - Number.EPSILON, []);
    await pass(10);
    expect(sweeps()).to.equal(1);
    await pass(10);
    expect(sweeps()).to.equal(2);
    await end();
  });

  it('leaves five minutes at least between sweeps', async () => {
    const { sweeps, pass, end } = timer(0, []);
    await pass(4.9);
    expect(sweeps()).to.equal(0);
    await pass(0.1);
    expect(sweeps()).to.equal(1);
    await end();
  });

  it('spreads sweeps by chance', async () => {
    const { sweeps, pass, end } = timer(0.5, []);
    await pass(7.4);
    expect(sweeps()).to.equal(0);
    await pass(0.1);
    expect(sweeps()).to.equal(1);
    await pass(7.5);
    expect(sweeps()).to.equal(2);
    await end();
  });

  it('writes a line for each sweep, with what was done, were it nothing', async () => {
    const { lines, pass, end } = timer(0.5, [() => nothing, () => ({ ...nothing, archives: 2 })]);
    await pass(10);
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include({ level: 30, msg: 'cleanup', archives: 0 });
    await pass(10);
    expect(lines).to.have.length(2);
    expect(lines[1]).to.include({ level: 30, msg: 'cleanup', archives: 2 });
    await end();
  });

  it('goes on after a sweep that failed', async () => {
    const fail = (): never => {
      throw new Fault('store_unavailable', 'the database is away');
    };
    const { lines, sweeps, pass, end } = timer(0.5, [fail]);
    await pass(10);
    expect(lines.map(({ level }) => level)).to.deep.equal([50]);
    await pass(10);
    expect(sweeps()).to.equal(2);
    await end();
  });

  it('says as an error that a sweep refused to delete', async () => {
    const { lines, pass, end } = timer(0.5, [() => ({ ...nothing, listing: 'refused' })]);
    await pass(10);
    expect(lines.map(({ level }) => level)).to.deep.equal([50, 30]);
    await end();
  });

  it('ends at once when it is told to', async () => {
    const { sweeps, end } = timer(0.5, []);
    await end();
    expect(sweeps()).to.equal(0);
  });
});
