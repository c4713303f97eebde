import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isFault } from '@pinfold/core';
import { expect } from 'chai';
import { buildApp } from 'fauxqs';
import pg from 'pg';
import { postgresPlace } from 'pinfold-test-servers/mocha';
import { type App, createApp, type Listening, readSettings } from '../src/index.ts';
import { list, type PinJson, publish } from './servers/api-calls.ts';

describe('several servers on PostgreSQL and S3', function () {
  this.timeout(60_000);
  let folder: string;
  let env: Readonly<Record<string, string>>;
  let store: ReturnType<typeof buildApp>;
  const running: App[] = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pinfold-nodes-'));
    store = buildApp({ logger: false });
    await store.listen({ host: '127.0.0.1', port: 0 });
    const endpoint = `http://127.0.0.1:${(store.server.address() as AddressInfo).port}`;
    await fetch(`${endpoint}/sites`, { method: 'PUT' });
    process.env.AWS_ACCESS_KEY_ID = 'pinfold';
    process.env.AWS_SECRET_ACCESS_KEY = 'checked by nobody';
    env = {
      PINFOLD_PORT: '0',
      PINFOLD_VIEWER_MODE: 'path',
      PINFOLD_DATABASE_URL: await newDatabase(),
      PINFOLD_STORAGE_URL: `s3://sites/pinfold?endpoint=${encodeURIComponent(endpoint)}`,
      PINFOLD_SECRET: 'a secret of more than sixteen bytes',
    };
  });

  after(async () => {
    await Promise.all(running.map((app) => app.close()));
    await store.close();
    delete process.env.AWS_ACCESS_KEY_ID;
    delete process.env.AWS_SECRET_ACCESS_KEY;
    await rm(folder, { recursive: true });
  });

  async function newDatabase(): Promise<string> {
    const { server } = await postgresPlace();
    const { host, port, user, password } = server.address;
    const name = `app_${randomUUID().replaceAll('-', '')}`;
    const client = new pg.Client(server.address);
    await client.connect();
    await client.query(`CREATE DATABASE ${name}`);
    await client.end();
    return `postgres://${user}:${password}@${host}:${port}/${name}`;
  }

  async function start(node: string): Promise<Listening> {
    const settings = readSettings({ ...env, PINFOLD_DATA_DIR: join(folder, node) });
    const app = await createApp(settings, { log: () => undefined });
    running.push(app);
    return app.listen();
  }

  it('are one service: one first start, one role for a key, sites and changes seen everywhere', async () => {
    const [one, other] = await Promise.all([start('one'), start('other')]);
    const key = one.firstStart?.apiKey ?? other.firstStart?.apiKey ?? '';
    expect([one, other].filter(({ firstStart }) => firstStart !== undefined)).to.have.length(1);
    const urls = [one, other].map(({ addresses }) => addresses.publicUrl);
    const [url = '', otherUrl = ''] = urls;
    expect(await list(url, key)).to.have.length(1);

    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, turn) => publish(urls[turn % 2] ?? '', key, 'many at once')),
    );
    expect(answers.filter(({ status }) => status === 201)).to.have.length(1);
    expect(answers.every(({ status }) => [200, 201, 409].includes(status))).to.equal(true);
    expect(await list(otherUrl, key)).to.have.length(2);

    const { pin } = (await (await publish(url, key, 'seen')).json()) as { readonly pin: PinJson };
    const seen = await fetch(`${otherUrl}/s/${pin.id}/`);
    expect(await seen.text()).to.include('seen');
    const headers = { authorization: `Bearer ${key}` };
    const stopped = await fetch(`${otherUrl}/api/v1/pins/${pin.id}`, { method: 'DELETE', headers });
    expect(stopped.status).to.equal(204);
    expect((await fetch(`${url}/s/${pin.id}/`)).status).to.equal(404);
    expect((await fetch(`${url}/healthz`)).status).to.equal(200);
  });

  it('do not start without their database', async () => {
    const nowhere = { ...env, PINFOLD_DATABASE_URL: 'postgres://pinfold:pw@127.0.0.1:1/pinfold' };
    const settings = readSettings({ ...nowhere, PINFOLD_DATA_DIR: join(folder, 'third') });
    const outcome = await createApp(settings).catch((error: unknown) => isFault(error) && error.code);
    expect(outcome).to.equal('store_unavailable');
  });
});
