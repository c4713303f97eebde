import { parseArgs } from 'node:util';
import { print, type Row, report } from '../lib/report.ts';
import { missingPrograms, type ProxyName, proxyNames, startProxy } from '../lib/reverse-proxies.ts';
import { haveSmallDisks, startThreeNodes, type ThreeNodes } from '../lib/three-nodes.ts';
import { ThroughProxy } from '../lib/through-proxy.ts';
import type { Counted } from '../lib/traffic.ts';
import {
  databaseAway,
  databaseAwayForAll,
  rollingRestart,
  slowStorage,
  stagingFull,
  stagingOfOneFull,
  threeOutages,
} from './proxies-faults.ts';
import { type Ground, groundOf } from './proxies-ground.ts';

/** As documented: longer than the proxies take to notice that `/readyz` answers 503. */
const DRAIN_SECONDS = 5;

/** One fault or restart, with the counts during it. */
type Scenario = (service: ThreeNodes, people: ThroughProxy, ground: Ground) => Promise<Counted>;

const scenarios: Readonly<Record<string, Scenario>> = {
  'storage 10 s slow: views of hot sites that failed': slowStorage,
  'the database of one node away: views that failed': databaseAway,
  'the database of all nodes away: answers that do not say so, or late': databaseAwayForAll,
  ...(haveSmallDisks
    ? {
        'staging of one node full: publications that failed': stagingOfOneFull,
        'staging of every node full: views that failed': stagingFull,
      }
    : {}),
  'three nodes restarted, one after another: requests that failed': rollingRestart,
};

/**
 * Three nodes behind each proxy of the documents, with faults and restarts. `--only PROXY` tests one, and writes no
 * file. `--minutes N` tests three long outages of the database instead, behind all proxies at once.
 */
export async function run(words: readonly string[] = process.argv.slice(3)): Promise<void> {
  const options = { only: { type: 'string' }, minutes: { type: 'string' } } as const;
  const { only, minutes } = parseArgs({ args: [...words], options }).values;
  const names = proxyNames.filter((name) => only === undefined || only === name);
  if (names.length === 0) throw new TypeError(`--only takes one of ${proxyNames.join(', ')}`);
  const missing = missingPrograms(names);
  if (missing.length > 0) {
    process.stderr.write(
      `not installed: ${missing.join(', ')} (apt-get install haproxy nginx-light caddy openssl)\n`,
    );
    process.exitCode = 1;
    return;
  }
  if (!haveSmallDisks)
    process.stderr.write('left out: a full staging, since no small disk can be made here\n');
  const service = await startThreeNodes(DRAIN_SECONDS);
  const rows: Row[] = [];
  try {
    if (minutes !== undefined) rows.push(...(await rowsOfOutages(names, service, Number(minutes))));
    else for (const name of names) rows.push(...(await rowsOf(name, service)));
  } finally {
    await service.stop();
  }
  if (only === undefined) await report(minutes === undefined ? 'proxies' : 'outages', rows);
  else print(rows);
}

async function rowsOf(name: ProxyName, service: ThreeNodes): Promise<readonly Row[]> {
  const proxy = await openProxy(name, service);
  const rows: Row[] = [];
  try {
    const ground = await groundOf(service, proxy.people);
    for (const [what, scenario] of Object.entries(scenarios))
      rows.push(rowOf(`${name}: ${what}`, await scenario(service, proxy.people, ground)));
  } finally {
    await proxy.close();
  }
  return rows;
}

async function rowsOfOutages(
  names: readonly ProxyName[],
  service: ThreeNodes,
  minutes: number,
): Promise<readonly Row[]> {
  const opened = [];
  try {
    for (const name of names) {
      const proxy = await openProxy(name, service);
      opened.push({ ...proxy, ground: await groundOf(service, proxy.people) });
    }
    const counts = await threeOutages(service, opened, minutes);
    const what = `the database away three times in ${minutes} minutes: answers that do not say so, or late`;
    return counts.map((counted, nth) => rowOf(`${names[nth]}: ${what}`, counted));
  } finally {
    for (const proxy of opened) await proxy.close();
  }
}

async function openProxy(name: ProxyName, service: ThreeNodes) {
  const proxy = await startProxy(
    name,
    service.nodes.map(({ port }) => port),
  );
  const people = new ThroughProxy(proxy.port, service);
  const close = async (): Promise<void> => {
    people.close();
    await proxy.stop();
  };
  return { people, close };
}

function rowOf(what: string, { requests, failures }: Counted): Row {
  const kinds = Object.entries(Object.groupBy(failures, (failure) => failure));
  const summary = kinds.map(([failure, all = []]) => `${all.length} × ${failure}`).join(', ');
  process.stderr.write(`${what}: ${failures.length} of ${requests} ${summary}\n`);
  return { what, figure: failures.length, unit: `of ${requests.toLocaleString('en')}`, goal: { atMost: 0 } };
}
