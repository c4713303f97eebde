import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { type App, createApp, readSettings } from '../../src/index.ts';
import { callApi, list, publish, publishPin } from '../servers/api-calls.ts';
import { CREDENTIALS, type Engines, startEngines } from '../servers/engines.ts';

describe('a server whose database or storage becomes unavailable', () => {
  let engines: Engines;
  let app: App;
  let url: string;
  let key: string;
  let logged: string;

  beforeEach(async () => {
    engines = await startEngines();
    logged = '';
    app = await createApp(readSettings({ ...engines.env('one'), PINFOLD_LOG_LEVEL: 'trace' }), {
      log: (line) => {
        logged += line;
      },
    });
    const { addresses, firstStart } = await app.listen();
    url = addresses.publicUrl;
    key = firstStart?.apiKey ?? '';
  });

  afterEach(async () => {
    await app.close();
    for (const secret of [engines.database.address.password, CREDENTIALS.AWS_SECRET_ACCESS_KEY, key]) {
      expect(logged).not.to.include(secret);
    }
    expect(logged).not.to.include('the secret of all the nodes');
    await engines.close();
  });

  async function expectUnavailable(answer: Response): Promise<void> {
    expect(answer.status).to.equal(503);
    expect(Number(answer.headers.get('retry-after'))).to.be.at.least(1);
    expect(answer.headers.get('content-type')).to.match(/^application\/problem\+json/);
    expect(await answer.json()).to.include({ code: 'unavailable', status: 503, retryable: true });
  }

  /** The outcome of requests changes the health immediately. */
  async function expectUnhealthy(...unavailableParts: readonly string[]): Promise<void> {
    const health = await fetch(`${url}/healthz`);
    expect(health.status).to.equal(503);
    const parts = Object.entries((await health.json()) as Readonly<Record<string, unknown>>);
    expect(parts.filter(([, state]) => state === 'unavailable').map(([name]) => name)).to.deep.equal([
      'status',
      ...unavailableParts,
    ]);
    const ready = unavailableParts.includes('database') ? 503 : 200;
    expect((await fetch(`${url}/readyz`)).status).to.equal(ready);
    expect((await fetch(`${url}/livez`)).status).to.equal(200);
  }

  /** The refused request publishes when it is repeated, and the site exists. */
  async function expectRecovered(idempotencyKey: string, count: number): Promise<void> {
    await publishPin(url, key, idempotencyKey);
    expect((await publish(url, key, idempotencyKey)).status).to.equal(200);
    expect(await list(url, key)).to.have.length(count);
    expect((await fetch(`${url}/healthz`)).status).to.equal(200);
  }

  it('answers 503 while the database is unavailable, and continues when it is back', async () => {
    const { id } = await publishPin(url, key, 'before');
    await engines.databaseWire.cut();
    await expectUnavailable(await publish(url, key, 'meanwhile'));
    await expectUnavailable(await callApi(url, key, 'GET', `/api/v1/pins/${id}`));
    const page = await fetch(`${url}/s/${id}/`);
    expect(page.status).to.equal(503);
    expect(Number(page.headers.get('retry-after'))).to.be.at.least(1);
    await expectUnhealthy('database');
    await engines.databaseWire.restore();
    await expectRecovered('meanwhile', 3);
    expect((await fetch(`${url}/s/${id}/`)).status).to.equal(200);
  });

  it('publishes nothing while the database is read-only, and continues afterwards', async () => {
    const { id } = await publishPin(url, key, 'before');
    const { database } = engines;
    const setReadOnly = (value: string): Promise<readonly unknown[]> =>
      database.ask(
        `BEGIN READ WRITE; ALTER DATABASE ${database.address.database} SET default_transaction_read_only = ${value}; COMMIT`,
      );
    await setReadOnly('on');
    await engines.databaseWire.cut();
    await engines.databaseWire.restore();
    await expectUnavailable(await publish(url, key, 'meanwhile'));
    expect((await fetch(`${url}/s/${id}/`)).status).to.equal(200);
    const health = await fetch(`${url}/healthz`);
    expect(health.status).to.equal(200);
    expect(await health.json()).to.include({ status: 'degraded', database: 'read_only' });
    expect((await fetch(`${url}/readyz`)).status).to.equal(200);
    await setReadOnly('off');
    // No change is made meanwhile.
    while ((await (await fetch(`${url}/healthz`)).text()).includes('read_only')) await setTimeout(100);
    // Each connection fails at its first forbidden statement.
    for (let turn = 0; turn < 10; turn += 1) await publish(url, key, 'another');
    await expectRecovered('meanwhile', 4);
  });

  it('is degraded, but ready, while the database refuses new connections and open ones work', async () => {
    const { id } = await publishPin(url, key, 'before');
    const view = async (): Promise<number> => (await fetch(`${url}/s/${id}/`)).status;
    const health = async () =>
      (await (await fetch(`${url}/healthz`)).json()) as { status: string; database: string };
    await engines.database.allowConnections(false);
    // At most ten connections are open, and each publication needs one at times.
    for (let n = 0; (await health()).database === 'ok'; n += 1) {
      const statuses = await Promise.all(
        Array.from({ length: 20 }, async (_, m) => (await publish(url, key, `meanwhile ${n} ${m}`)).status),
      );
      for (const status of statuses) expect(status).to.be.oneOf([201, 503]);
    }
    expect(await health()).to.include({ status: 'degraded', database: 'refusing' });
    expect((await fetch(`${url}/readyz`)).status).to.equal(200);
    expect(await view()).to.equal(200);
    await engines.database.allowConnections(true);
    while ((await health()).status !== 'ok') expect(await view()).to.equal(200);
  });

  it('answers 503 while the storage is unavailable, and continues when it is back', async () => {
    const { id } = await publishPin(url, key, 'before');
    await engines.storeWire.cut();
    await expectUnavailable(await publish(url, key, 'meanwhile'));
    const page = await fetch(`${url}/s/${id}/`);
    expect(page.status).to.equal(503);
    expect(Number(page.headers.get('retry-after'))).to.be.at.least(1);
    await expectUnhealthy('storage');
    await engines.storeWire.restore();
    await expectRecovered('meanwhile', 3);
    expect(await (await fetch(`${url}/s/${id}/`)).text()).to.include('before');
  });
});
