import { expect } from 'chai';
import { BusiestAccount } from '../../src/metrics/busiest-account.ts';
import { exposition } from '../../src/metrics/exposition.ts';
import { counted, merged, type Snapshot } from '../../src/metrics/metrics-snapshot.ts';
import { Figures } from '../../src/metrics/registry.ts';

/** What a process says that has done so much. */
function processWith(amount: number): Snapshot {
  const figures = new Figures();
  figures.counter({ name: 'done_total', help: 'Done.' }).at().value = amount;
  figures.gauge({ name: 'open', help: 'Open.' }).at().value = amount;
  figures.gauge({ name: 'age_seconds', help: 'Age.' }, 'greatest').at().value = amount;
  figures.gauge({ name: 'clock_seconds', help: 'Clock.' }, 'farthest').at().value = -amount;
  figures
    .histogram({ name: 'took_seconds', help: 'Took.', labels: ['what'] }, [1, 2])
    .at('x')
    .observe(amount);
  return figures.snapshot();
}

describe('the figures of several processes', () => {
  it('are added up, or those of the worst', () => {
    const text = exposition(merged([processWith(1), processWith(2), processWith(3)]));
    expect(text).to.include('\ndone_total 6\n');
    expect(text).to.include('\nopen 6\n');
    expect(text).to.include('\nage_seconds 3\n');
    expect(text).to.include('\nclock_seconds -3\n');
    expect(text).to.include('\ntook_seconds_bucket{what="x",le="1"} 1\n');
    expect(text).to.include('\ntook_seconds_bucket{what="x",le="2"} 2\n');
    expect(text).to.include('\ntook_seconds_bucket{what="x",le="+Inf"} 3\n');
    expect(text).to.include('\ntook_seconds_sum{what="x"} 6\ntook_seconds_count{what="x"} 3\n');
  });

  it('keep the counts of one that has ended, and nothing that it measured', () => {
    const text = exposition(merged([counted(processWith(5)), processWith(1)]));
    expect(text).to.include('\ndone_total 6\n');
    expect(text).to.include('\nopen 1\n');
    expect(text).to.include('\nage_seconds 1\n');
    expect(text).to.include('\ntook_seconds_count{what="x"} 2\n');
  });

  it('stay few, whatever there is to tell apart', () => {
    const figures = new Figures();
    const cells = figures.counter({ name: 'seen_total', help: 'Seen.', labels: ['what'] });
    for (let n = 0; n < 2_000; n += 1) cells.at(`thing ${n}`).value += 1;
    const { seen_total: seen } = figures.snapshot();
    expect(Object.keys(seen?.series ?? {}).length).to.be.lessThan(502);
    expect(seen?.series['what="other"']).to.deep.equal([1_500]);
  });

  it('write any label so that it stays one', () => {
    const figures = new Figures();
    figures.gauge({ name: 'named', help: 'Named.', labels: ['node'] }).at('a"b\\c\nd').value = 1;
    expect(exposition(figures.snapshot())).to.include('named{node="a\\"b\\\\c\\nd"} 1\n');
  });

  it('say how much the busiest account did within the hour, and forget it after', () => {
    let now = 0;
    const busiest = new BusiestAccount(() => now);
    for (const account of ['ada', 'ada', 'bob']) busiest.count(account);
    now = 31 * 60_000;
    busiest.count('ada');
    expect(busiest.most).to.equal(3);
    now = 62 * 60_000;
    expect(busiest.most).to.equal(1);
    now = 200 * 60_000;
    expect(busiest.most).to.equal(0);
  });
});
