import { type CleanUpReport, days, duration, type Instant, seconds } from '@pinfold/core';
import { createMemory } from '@pinfold/memory';
import { aComparison, aRemovalClock, createManualClock, replacing } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { Registry } from '../../src/metrics/registry.ts';
import { createSweepMetrics } from '../../src/metrics/sweep-metrics.ts';
import { EMPTY_REPORT } from './clean-up-report.ts';

describe('the metrics of sweeps', () => {
  it('have the delay of the clock of removal at the last sweep that used it', () => {
    const registry = new Registry();
    const { observe } = createSweepMetrics(registry);
    const valueAfter = (more: Partial<CleanUpReport>): number | undefined => {
      observe({ kind: 'sweep', report: { ...EMPTY_REPORT, ...more }, took: duration(1) });
      return registry.snapshot().pinfold_removal_behind_seconds?.series['']?.[0];
    };
    expect(valueAfter({})).to.equal(90);
    const nothing = { removalBehind: duration(0), finished: false };
    expect(valueAfter({ ...nothing, clockDiffers: true })).to.equal(90);
    expect(valueAfter({ ...nothing, rested: true })).to.equal(90);
    expect(valueAfter({ removalBehind: days(2) })).to.equal(172_800);
  });

  it('count a publication in service without its archive as missing', () => {
    const registry = new Registry();
    const withoutArchive = [
      '3f1d2c4e-0000-4000-8000-000000000001',
    ] as unknown as CleanUpReport['withoutArchive'];
    createSweepMetrics(registry).observe({
      kind: 'sweep',
      report: { ...EMPTY_REPORT, listing: 'done', withoutArchive },
      took: duration(1),
    });
    expect(registry.snapshot().pinfold_sweep_missing_archives?.series['']?.[0]).to.equal(1);
  });

  it('have the publications and bytes that the last counting sweep found', () => {
    const registry = new Registry();
    const { observe } = createSweepMetrics(registry);
    const readStored = () => {
      const { pinfold_publications: publications, pinfold_stored_bytes: bytes } = registry.snapshot();
      return { ...publications?.series, ...bytes?.series };
    };
    const sweep = (stored: CleanUpReport['stored']) =>
      observe({ kind: 'sweep', report: { ...EMPTY_REPORT, stored }, took: duration(1) });
    sweep(null);
    expect(readStored(), 'before the first count').to.deep.equal({});
    sweep({ pinned: 2, unpinned: 30, bytes: 4_096 });
    const expected = { 'pinned="true"': [2], 'pinned="false"': [30], '': [4_096] };
    expect(readStored()).to.deep.equal(expected);
    sweep(null);
    expect(readStored(), 'after a sweep that did not count').to.deep.equal(expected);
  });

  it('have the end of the last scheduled export, and nothing before the first one', async () => {
    const [{ roles, snapshot }, clock, registry] = [createMemory(), createManualClock(), new Registry()];
    const { update } = createSweepMetrics(registry);
    const limits = { cleanupGrace: seconds(1), reservationAge: seconds(2) };
    const readExported = async () => {
      await update({ roles, snapshot, clock, limits }, false);
      return registry.snapshot().pinfold_export_end_timestamp_seconds?.series;
    };
    expect(await readExported()).to.deep.equal({});
    await snapshot.recordScheduledExport(clock.now());
    expect(await readExported()).to.deep.equal({ '': [clock.now() / 1_000] });
  });

  it('count as a backlog only what the clock of removal has reached', async () => {
    const [memory, clock] = [createMemory(), createManualClock()];
    const reached = (clock.now() - days(2)) as Instant;
    await memory.roles.saveComparison(aComparison({ removal: aRemovalClock({ reached }) }), undefined);
    const instants: number[] = [];
    const roles = replacing(memory.roles, {
      countForCleanup: async ({ endedBefore, begunBefore }) => {
        instants.push(endedBefore, begunBefore);
        return { archives: 0, reservations: 0 };
      },
    });
    const limits = { cleanupGrace: seconds(1), reservationAge: seconds(2) };
    await createSweepMetrics(new Registry()).update(
      { roles, snapshot: memory.snapshot, clock, limits },
      true,
    );
    expect(instants).to.deep.equal([reached - 1_000, reached - 2_000]);
  });
});
