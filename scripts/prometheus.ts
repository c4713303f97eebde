// Lets a real Prometheus ask three nodes for their metrics, and tries the rules: `node scripts/prometheus.ts`. It needs
// prometheus and promtool on the PATH, so it is not part of `npm test`.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../bench/lib/processes.ts';
import { type App, createApp, readSettings } from '../packages/pinfold/src/index.ts';

const NODES = 3;
const VIEWS = 20;
const TRIES = 60;

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'pinfold-prometheus-'));
const apps: App[] = [];
let prometheus: ChildProcess | undefined;

function promtool(args: readonly string[], input?: string): void {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8', input: input ?? '' });
  if (status !== 0 || stderr !== '') throw new Error(`promtool ${args.join(' ')}: ${stdout}${stderr}`);
}

async function startNode(n: number): Promise<string> {
  const env = {
    PINFOLD_PORT: '0',
    PINFOLD_DATA_DIR: folder,
    PINFOLD_WELCOME: 'off',
    PINFOLD_NODE: `node-${n}`,
    PINFOLD_METRICS_PORT: '0',
  };
  const app = await createApp(readSettings(env), { log: () => undefined });
  apps.push(app);
  const { port, metricsPort } = await app.listen();
  for (let view = 0; view < VIEWS; view += 1) await fetch(`http://127.0.0.1:${port}/s/nothing`);
  promtool(['check', 'metrics'], await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text());
  return `127.0.0.1:${metricsPort}`;
}

async function ask(port: number, query: string): Promise<readonly string[]> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?${new URLSearchParams({ query })}`);
  const { data } = (await answer.json()) as {
    readonly data: { readonly result: readonly { readonly value: readonly [number, string] }[] };
  };
  return data.result.map(({ value }) => value[1]);
}

async function expectAnswer(port: number, query: string, expected: readonly string[]): Promise<void> {
  let found: readonly string[] = [];
  for (let tries = 0; tries < TRIES; tries += 1) {
    found = await ask(port, query).catch(() => []);
    if (found.join() === expected.join()) return;
    await pause(500);
  }
  throw new Error(`${query}: ${found.join() || 'nothing'} instead of ${expected.join()}`);
}

try {
  const rules = join(root, 'deploy', 'prometheus', 'rules.yaml');
  promtool(['check', 'rules', rules]);
  promtool(['test', 'rules', join(root, 'deploy', 'prometheus', 'rules.test.yaml')]);
  const targets: string[] = [];
  for (let n = 1; n <= NODES; n += 1) targets.push(await startNode(n));
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [rules],
    scrape_configs: [{ job_name: 'pinfold', static_configs: [{ targets }] }],
  };
  // JSON is YAML.
  writeFileSync(join(folder, 'prometheus.json'), JSON.stringify(config));
  const port = await freePort();
  prometheus = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.json')}`,
      `--storage.tsdb.path=${join(folder, 'tsdb')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  );
  await expectAnswer(port, 'count(up{job="pinfold"} == 1)', [String(NODES)]);
  await expectAnswer(port, 'count(count by (node) (pinfold_build_info))', [String(NODES)]);
  await expectAnswer(port, 'sum(pinfold_views_refused_total{reason="not_found"})', [String(NODES * VIEWS)]);
  await expectAnswer(port, 'count(ALERTS{alertstate="firing"}) or vector(0)', ['0']);
  process.stdout.write(`Prometheus has asked ${NODES} nodes, and the rules hold.\n`);
} finally {
  if (prometheus !== undefined) {
    const ended = once(prometheus, 'exit');
    prometheus.kill();
    await ended;
  }
  for (const app of apps) await app.close();
  rmSync(folder, { recursive: true });
}
