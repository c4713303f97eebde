import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { seconds } from '@pinfold/core';
import { expect } from 'chai';
import { parseAllDocuments } from 'yaml';
import { readSettings, type Settings } from '../../src/index.ts';
import { serve } from '../servers/served.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');

interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } };
}

/** A part of the manifest, without a type. */
type Parsed = ReturnType<typeof JSON.parse>;

/** The values that a cluster would insert for references to the secret. */
const SECRETS: Readonly<Record<string, string>> = {
  'database-url': 'postgres://pinfold:secret@db.example/pinfold?sslmode=verify-full',
  secret: 'x'.repeat(44),
  'api-key': `pf_ops_${'k'.repeat(43)}`,
  'aws-access-key-id': 'id',
  'aws-secret-access-key': 'key',
};

describe('the manifest for Kubernetes', () => {
  let objects: ReadonlyMap<string, Parsed>;
  let pod: Parsed;
  let env: readonly Variable[];
  let container: Parsed;
  let settings: Settings;

  before(async () => {
    const documents = parseAllDocuments(await readFile(join(ROOT, 'deploy', 'kubernetes.yaml'), 'utf8'), {
      strict: true,
      uniqueKeys: true,
    });
    for (const { errors, warnings } of documents) expect([...errors, ...warnings]).to.deep.equal([]);
    const parsed = documents.map((document): Parsed => document.toJS());
    objects = new Map(parsed.map((object) => [object.kind, object]));
    pod = objects.get('Deployment').spec.template.spec;
    [container] = pod.containers;
    env = container.env;
    settings = readSettings(
      Object.fromEntries(
        env.map(({ name, value, valueFrom }) => [name, value ?? SECRETS[valueFrom?.secretKeyRef.key ?? '']]),
      ),
    );
  });

  it('has a Deployment, a Service, a NetworkPolicy, an Ingress and a budget', () => {
    const kinds = ['Deployment', 'Service', 'NetworkPolicy', 'Ingress', 'PodDisruptionBudget'];
    expect([...objects.keys()]).to.deep.equal(kinds);
  });

  it('admits only the controller of the Ingress, at the port of requests', () => {
    const { podSelector, policyTypes, ingress } = objects.get('NetworkPolicy').spec;
    expect(podSelector.matchLabels).to.deep.equal(objects.get('Deployment').spec.template.metadata.labels);
    expect(policyTypes).to.deep.equal(['Ingress']);
    const [{ from, ports }, ...others] = ingress;
    expect(others).to.deep.equal([]);
    expect(Object.keys(from[0])).to.have.members(['namespaceSelector', 'podSelector']);
    expect(from).to.have.length(1);
    expect(ports.map(({ port }: Parsed) => port)).to.deep.equal(['http']);
  });

  it('has only known and valid settings', () => {
    expect(settings.notes).to.deep.equal([]);
    expect(settings.database.kind).to.equal('postgres');
    expect(settings.storage.kind).to.equal('s3');
    expect(env.every(({ value }) => value === undefined || typeof value === 'string')).to.equal(true);
  });

  it('takes exactly the secrets from the Secret that the page creates', async () => {
    const page = await readFile(join(ROOT, 'docs', 'operators', 'kubernetes.md'), 'utf8');
    const created = [...page.matchAll(/--from-literal=([a-z-]+)=/g)].map((match) => match[1]);
    const used = env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef.key ?? []);
    expect(created).to.deep.equal(Object.keys(SECRETS));
    expect(used).to.have.members(created);
  });

  it("listens on the port of the Service, and writes only to its volume, whatever the Service's name", () => {
    expect(settings.host).to.equal('0.0.0.0');
    expect(container.ports).to.deep.include({ name: 'http', containerPort: settings.port });
    expect(container.volumeMounts.map(({ mountPath }: Parsed) => mountPath)).to.deep.equal([
      settings.dataDir,
    ]);
    expect(pod.enableServiceLinks).to.equal(false);
  });

  it('routes the hosts of both URLs to it, with certificates for both', () => {
    const [publicHost, sitesHost] = [settings.publicUrl, settings.sitesUrl].map(
      (url) => new URL(url ?? '').host,
    );
    const { rules, tls } = objects.get('Ingress').spec;
    const hosts = [publicHost, `*.${sitesHost}`];
    expect(rules.map(({ host }: Parsed) => host)).to.deep.equal(hosts);
    expect(tls.flatMap((certificate: Parsed) => certificate.hosts)).to.deep.equal(hosts);
  });

  it('waits for running requests', () => {
    expect(settings.drain).to.be.at.least(seconds(5));
    expect(pod.terminationGracePeriodSeconds * 1_000).to.be.greaterThan(settings.drain + seconds(10));
  });

  it('probes existing paths, with sufficient timeouts', async () => {
    const server = await serve();
    const { startupProbe, livenessProbe, readinessProbe } = container;
    for (const { httpGet, timeoutSeconds } of [startupProbe, livenessProbe, readinessProbe]) {
      const { status } = await fetch(`http://127.0.0.1:${server.port}${httpGet.path}`);
      expect(status).to.equal(200);
      expect(httpGet.port).to.equal('http');
      expect(timeoutSeconds).to.be.at.least(5);
    }
    const paths = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet.path);
    expect(paths).to.deep.equal(['/livez', '/livez', '/readyz?needs=none']);
    await server.close();
  });
});
