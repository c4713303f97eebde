import { join } from 'node:path';
import Database from 'better-sqlite3';
import { load } from '../lib/load.ts';
import { installPeers } from '../lib/peers.ts';
import { type PinfoldServer, startPinfold } from '../lib/pinfold.ts';
import { cpuSeconds } from '../lib/process-usage.ts';
import { freePort, keepTo, LOAD_CORE } from '../lib/processes.ts';
import { inTemporaryFolder, type Row, report } from '../lib/report.ts';
import { smallPages, swaggerSite, zipOf } from '../lib/sites.ts';
import { compared, comparedRow, inRounds, median } from '../lib/statistics.ts';
import { post } from './uploads.ts';

const ROUNDS = 21;
const SECONDS = 1;
/** Servers with metrics, and without. */
const ALIKE = 3;
/** Publications of one round. */
const EACH = 40;

/** The cost of monitoring: of metrics during views, and of the history during publications. */
export async function run(): Promise<void> {
  installPeers();
  await inTemporaryFolder(async (folder) => {
    await report('operating', [await metricsRow(folder), ...(await historyRows(folder))]);
  });
}

/**
 * Requests per second of the server's processor time, which excludes other work of the machine. Two identical processes
 * differ by some percent, so there are several of each.
 */
async function metricsRow(folder: string): Promise<Row> {
  const running: PinfoldServer[] = [];
  const started = async (name: string, environment: Readonly<Record<string, string>>) => {
    const server = await startPinfold(join(folder, name), environment);
    running.push(server);
    const host = server.hostOf(await server.publish(zipOf(smallPages(2)), 'small'));
    const headers = { Host: host, 'Accept-Encoding': 'gzip' };
    const target = { url: `http://127.0.0.1:${server.port}/`, headers };
    return async () => {
      const before = cpuSeconds(server.pid);
      const { requests } = await load(target, SECONDS);
      return (requests * SECONDS) / (cpuSeconds(server.pid) - before);
    };
  };
  try {
    const candidates: Record<string, () => Promise<number>> = {};
    for (let n = 1; n <= ALIKE; n += 1) {
      const metricsPort = String(await freePort());
      candidates[`with metrics ${n}`] = await started(`on-${n}`, { PINFOLD_METRICS_PORT: metricsPort });
      candidates[`without ${n}`] = await started(`off-${n}`, {});
    }
    for (const warm of Object.values(candidates)) await warm();
    const measured = Object.entries(await inRounds(candidates, ROUNDS));
    const of = (kind: string) =>
      measured.filter(([name]) => name.startsWith(kind)).flatMap(([, each]) => each);
    const values = { 'with metrics': of('with metrics'), without: of('without') };
    return {
      what: 'views of a small page for a second of CPU',
      figure: compared(values['with metrics'], values.without),
      unit: '× without metrics',
      goal: { atLeast: 0.97 },
      values,
    };
  } finally {
    for (const server of running) await server.stop();
  }
}

/** Publications of one round, compared with a server that drops its events: per second, and per second of CPU. */
async function historyRows(folder: string): Promise<readonly Row[]> {
  keepTo(LOAD_CORE);
  const archive = zipOf(await swaggerSite());
  const servers: PinfoldServer[] = [];
  const cpu: Record<string, number[]> = {};
  const published = async (name: string) => {
    const server = await startPinfold(join(folder, name));
    servers.push(server);
    const perSecond: number[] = [];
    cpu[name] = perSecond;
    return async () => {
      const before = cpuSeconds(server.pid);
      const times: number[] = [];
      for (let n = 0; n < EACH; n += 1) times.push(await post(server, archive));
      perSecond.push(EACH / (cpuSeconds(server.pid) - before));
      return 1_000 / median(times);
    };
  };
  try {
    const candidates = {
      'with history': await published('with history'),
      without: await published('without'),
    };
    dropEvents(join(folder, 'without'));
    const row = { unit: '× without history', goal: { atLeast: 0.95 } };
    const rates = await comparedRow({ ...row, what: 'publications of 15 files a second' }, candidates);
    const [withHistory = [], dropped = []] = Object.values(cpu).map((each) => each.slice(1));
    const values = { 'with history': withHistory, without: dropped };
    const figure = median(withHistory) / median(dropped);
    return [rates, { ...row, what: 'the same for a second of CPU', figure, values }];
  } finally {
    for (const server of servers) await server.stop();
  }
}

/** Makes a server drop every event from now on, within the same transactions. */
function dropEvents(folder: string): void {
  const database = new Database(join(folder, 'pinfold.sqlite'), { fileMustExist: true });
  database.exec('CREATE TRIGGER no_events BEFORE INSERT ON events BEGIN SELECT RAISE(IGNORE); END');
  database.close();
}
