// A small page for one connection and for many, and at half of what a server can do.
import { askEvenly } from '../lib/even-load.ts';
import { CONNECTIONS, load } from '../lib/load.ts';
import { cpuSeconds } from '../lib/process-usage.ts';
import type { Row } from '../lib/report.ts';
import { SMALL } from '../lib/serving-candidates.ts';
import { inRounds, median } from '../lib/statistics.ts';
import { type Candidate, measured, rowsOf, target, waitRows } from '../lib/views.ts';

const ROUNDS = 5;
/** Seconds of each round at half load. */
const SECONDS = 2;
/** Connections at half load. */
const OPEN = 64;

/** The table has the rows of 32 connections already. */
export async function connectionRows(candidates: readonly Candidate[]): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const count of [1, 512]) {
    const what = `small page, ${count} connection${count === 1 ? '' : 's'}`;
    const values = await measured(candidates, (c) => target(c, SMALL), 'requests', count);
    rows.push(
      ...rowsOf(what, values, [
        ['pinfold', 'bare-http', 0.6],
        ['pinfold', 'gathering'],
        ['pinfold', 'sirv'],
        ['pinfold', 'nginx'],
        ['pinfold', 'caddy'],
      ]),
      ...waitRows(what, values, 'pinfold'),
    );
  }
  return rows;
}

/** Each server at half of its own peak, with requests at even intervals whatever it answers: a wait counts from when it was due. */
export async function halfLoadRows(candidates: readonly Candidate[]): Promise<readonly Row[]> {
  const values: Record<'p50' | 'p99' | 'cpu' | 'rate', Record<string, number[]>> = {
    p50: {},
    p99: {},
    cpu: {},
    rate: {},
  };
  const works: Record<string, () => Promise<number>> = {};
  for (const { name, port, headers, server } of candidates) {
    const aim = { port, headers, server, name };
    await load(target(aim, SMALL), 1);
    const peak = await load(target(aim, SMALL), SECONDS, CONNECTIONS);
    const rate = Math.round(peak.requests / 2);
    for (const part of Object.values(values)) part[name] = [];
    works[name] = async () => {
      const before = cpuSeconds(server.pid);
      const { p50, p99 } = await askEvenly(port, headers.Host ?? `127.0.0.1:${port}`, SMALL, {
        rate,
        connections: OPEN,
        seconds: SECONDS,
      });
      values.cpu[name]?.push(((cpuSeconds(server.pid) - before) * 1e6) / (rate * SECONDS));
      values.p50[name]?.push(p50);
      values.p99[name]?.push(p99);
      values.rate[name]?.push(rate);
      return p50;
    };
  }
  await inRounds(works, ROUNDS);
  const row = (part: string, unit: string, of: Record<string, number[]>): Row => ({
    what: `small page, half of its own peak, ${OPEN} connections: pinfold, ${part}`,
    figure: median(of.pinfold ?? []),
    unit,
    values: of,
  });
  return [
    row('requests', 'a second', values.rate),
    row('p50', 'ms', values.p50),
    row('p99', 'ms', values.p99),
    row('CPU', 'µs a request', values.cpu),
  ];
}
