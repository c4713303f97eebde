import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { addPoolMetrics } from '../../src/metrics/gauges.ts';
import { Registry } from '../../src/metrics/registry.ts';
import { serve } from '../servers/served.ts';
import { metricsText } from './metrics-text.ts';

const DEPLOY = join(import.meta.dirname, '..', '..', '..', '..', 'deploy');

/** The content of a file, without a type. */
type Parsed = ReturnType<typeof parse>;

const textOf = (...names: readonly string[]): Promise<string> => readFile(join(DEPLOY, ...names), 'utf8');

async function rules(): Promise<readonly Parsed[]> {
  const { groups } = parse(await textOf('prometheus', 'rules.yaml'));
  return groups.flatMap((group: Parsed) => group.rules);
}

/** The names of all metrics of a server, on either database. */
async function listServerMetrics(): Promise<ReadonlySet<string>> {
  const server = await serve({ PINFOLD_METRICS_PORT: '0' });
  const text = await metricsText(server.metricsPort);
  await server.close();
  const registry = new Registry();
  addPoolMetrics(registry, { totalCount: 0, idleCount: 0, waitingCount: 0 });
  const names = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  );
  return new Set([...names, ...Object.keys(registry.snapshot())]);
}

function listUsedMetrics(expressions: readonly string[]): readonly string[] {
  return [...new Set(expressions.join('\n').match(/\bpinfold_\w+/g))];
}

describe('the alerts and the dashboard for operators', () => {
  it('gives each alert a text, a severity, a case that triggers it and one that does not', async () => {
    const all = await rules();
    const { tests } = parse(await textOf('prometheus', 'rules.test.yaml'));
    const cases: readonly Parsed[] = tests.flatMap((test: Parsed) => test.alert_rule_test);
    for (const { alert, labels, annotations } of all) {
      expect(['page', 'ticket']).to.include(labels.severity);
      expect(Object.keys(annotations)).to.have.members(['summary', 'description']);
      const own = cases
        .filter(({ alertname }) => alertname === alert)
        .map((one) => one.exp_alerts.length > 0);
      expect([...new Set(own)], alert).to.have.members([true, false]);
    }
  });

  it('uses only metrics that a server provides', async () => {
    const names = await listServerMetrics();
    const { panels } = JSON.parse(await textOf('grafana', 'pinfold.json'));
    const shown: readonly string[] = panels.flatMap(({ targets = [] }: Parsed) =>
      targets.map(({ expr }: Parsed) => expr),
    );
    expect(shown.length).to.be.greaterThan(20);
    const used = listUsedMetrics([...shown, ...(await rules()).map(({ expr }) => expr)]);
    expect(used.filter((name) => !names.has(name))).to.deep.equal([]);
  });

  it('uses exactly the documented names', async () => {
    const page = await readFile(join(DEPLOY, '..', 'docs', 'operators', 'metrics.md'), 'utf8');
    const names = [...(await listServerMetrics())].map((name) => name.replace(/_(?:bucket|sum|count)$/, ''));
    const documented = page.match(/(?<=`)(?:pinfold|process)_\w+(?=`)/g);
    expect(new Set(names)).to.deep.equal(new Set(documented));
  });
});
