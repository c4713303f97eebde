import { expect } from 'chai';
import { measureFreeSpace } from '../../src/metrics/gauges.ts';
import { formatExposition } from '../../src/metrics/metrics-server.ts';
import { type MetricsSnapshot, mergeSnapshots, withoutGauges } from '../../src/metrics/metrics-snapshot.ts';
import { measureBusiestAccount } from '../../src/metrics/publishing-metrics.ts';
import { Registry } from '../../src/metrics/registry.ts';
import { createRequestMetrics } from '../../src/metrics/request-metrics.ts';

/** The metrics of a process with these counts. */
function processWith(amount: number): MetricsSnapshot {
  const registry = new Registry();
  registry.counter('done_total', 'Done.').at().value = amount;
  registry.gauge('open', 'Open.').at().value = amount;
  registry.gauge('age_seconds', 'Age.', [], 'max').at().value = amount;
  registry.gauge('clock_seconds', 'Clock.', [], 'farthest').at().value = -amount;
  registry.gauge('start_seconds', 'Start.', [], 'min').at().value = amount;
  registry.histogram('took_seconds', 'Took.', ['what'], [1, 2]).at('x').observe(amount);
  return registry.snapshot();
}

describe('the metrics of several processes', () => {
  it('are sums, or the worst value', () => {
    const text = formatExposition(mergeSnapshots([processWith(1), processWith(2), processWith(3)]));
    expect(text).to.include('\ndone_total 6\n');
    expect(text).to.include('\nopen 6\n');
    expect(text).to.include('\nage_seconds 3\n');
    expect(text).to.include('\nclock_seconds -3\n');
    expect(text).to.include('\nstart_seconds 1\n');
    expect(text).to.include('\ntook_seconds_bucket{what="x",le="1"} 1\n');
    expect(text).to.include('\ntook_seconds_bucket{what="x",le="2"} 2\n');
    expect(text).to.include('\ntook_seconds_bucket{what="x",le="+Inf"} 3\n');
    expect(text).to.include('\ntook_seconds_sum{what="x"} 6\ntook_seconds_count{what="x"} 3\n');
  });

  it('keep the counters of an ended process, without its gauges', () => {
    const text = formatExposition(mergeSnapshots([withoutGauges(processWith(5)), processWith(1)]));
    expect(text).to.include('\ndone_total 6\n');
    expect(text).to.include('\nopen 1\n');
    expect(text).to.include('\nage_seconds 1\n');
    expect(text).to.include('\ntook_seconds_count{what="x"} 2\n');
  });

  it('have the free space that the last check of the disk found', async () => {
    const registry = new Registry();
    let free = 1;
    const check = measureFreeSpace(registry, async () => free);
    await check();
    free = 2;
    expect(await check()).to.equal(2);
    expect(formatExposition(registry.snapshot())).to.include('\npinfold_staging_free_bytes 2\n');
  });

  it('have a limited number of series, whatever values labels have', () => {
    const registry = new Registry();
    const counter = registry.counter('seen_total', 'Seen.', ['what']);
    for (let n = 0; n < 2_000; n += 1) counter.at(`thing ${n}`).value += 1;
    const { seen_total: seen } = registry.snapshot();
    expect(Object.keys(seen?.series ?? {}).length).to.be.lessThan(502);
    expect(seen?.series['what="other"']).to.deep.equal([1_500]);
  });

  it('name a new error even after clients were refused in every possible way', () => {
    const registry = new Registry();
    const count = createRequestMetrics(registry);
    const countOne = (route: string, method: string, status: number): void => {
      const ids = { role: null, requestId: '0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20' };
      count({ route, method, status, milliseconds: 1, ...ids }, 0, 0);
    };
    const statuses = [400, 401, 403, 404, 405, 408, 409, 413, 415, 422, 429, 431, 499];
    for (let route = 0; route < 40; route += 1) {
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        for (const status of statuses) countOne(`/route/${route}`, method, status);
      }
    }
    countOne('site', 'GET', 503);
    const series = registry.snapshot().pinfold_http_requests_total?.series;
    expect(series?.['route="site",method="GET",status="503"']).to.deep.equal([1]);
  });

  it('escape any label', () => {
    const registry = new Registry();
    registry.gauge('named', 'Named.', ['node']).at('a"b\\c\nd').value = 1;
    expect(formatExposition(registry.snapshot())).to.include('named{node="a\\"b\\\\c\\nd"} 1\n');
  });

  it('have the count of the busiest account within the hour, and forget it after', () => {
    let now = 0;
    const registry = new Registry();
    const count = measureBusiestAccount(registry, () => now);
    const readBusiest = () => registry.snapshot().pinfold_busiest_account_publications?.series[''];
    for (const account of ['ada', 'ada', 'bob']) count(account);
    now = 31 * 60_000;
    count('ada');
    expect(readBusiest()).to.deep.equal([3]);
    now = 62 * 60_000;
    expect(readBusiest()).to.deep.equal([1]);
    now = 200 * 60_000;
    expect(readBusiest()).to.deep.equal([0]);
  });
});
