import { ofEachTest } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { type App, createApp, type Listening, readSettings } from '../../src/index.ts';
import { callApi, list, publishPin } from '../servers/api-calls.ts';
import { startEngines } from '../servers/engines.ts';

describe('several servers on PostgreSQL and S3', () => {
  const engines = ofEachTest(startEngines);
  const running: App[] = [];

  afterEach(async () => {
    await Promise.all(running.splice(0).map((app) => app.close()));
    await engines.close();
  });

  async function start(node: string, change: Readonly<Record<string, string>> = {}): Promise<Listening> {
    const settings = readSettings({ ...engines.env(node), ...change });
    const app = await createApp(settings, { log: () => undefined });
    running.push(app);
    return app.listen();
  }

  it('make one first start of three concurrent ones: one key, one welcome site', async () => {
    const started = await Promise.all(['one', 'two', 'three'].map((node) => start(node)));
    const [key = '', ...others] = started.flatMap(({ firstStart }) => firstStart?.apiKey ?? []);
    expect(others).to.deep.equal([]);
    for (const { addresses } of started) expect(await list(addresses.publicUrl, key)).to.have.length(1);
  });

  it('hold at most ten database connections per node', async () => {
    const { addresses, firstStart } = await start('one');
    const key = firstStart?.apiKey ?? '';
    await Promise.all(Array.from({ length: 60 }, () => list(addresses.publicUrl, key)));
    const [connections] = await engines.database.ask<{ readonly count: string }>(
      "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'pinfold'",
    );
    expect(Number(connections?.count)).to.be.within(2, 10);
  });

  it('accept grants of each secret, so that a secret can be replaced node by node', async () => {
    const [old, fresh] = ['the secret of the first year', 'the secret of the second year'];
    const first = await start('one', { PINFOLD_SECRET: old });
    const key = first.firstStart?.apiKey ?? '';
    const pin = await publishPin(first.addresses.publicUrl, key, 'hidden');
    const change = { password: PASSWORD };
    const { status } = await callApi(
      first.addresses.publicUrl,
      key,
      'PATCH',
      `/api/v1/pins/${pin.id}`,
      change,
    );
    expect(status).to.equal(200);
    const grant = await enter(first.addresses.publicUrl, pin.id);

    const replacing = await start('two', { PINFOLD_SECRET: `${fresh},${old}` });
    const replaced = await start('three', { PINFOLD_SECRET: fresh });
    expect(await isAdmitted(replacing.addresses.publicUrl, pin.id, grant)).to.equal(true);
    expect(await isAdmitted(replaced.addresses.publicUrl, pin.id, grant)).to.equal(false);
    const later = await enter(replacing.addresses.publicUrl, pin.id);
    expect(await isAdmitted(replaced.addresses.publicUrl, pin.id, later)).to.equal(true);
    expect(await isAdmitted(first.addresses.publicUrl, pin.id, later)).to.equal(false);
  });
});

const PASSWORD = 'open sesame';

/** Enters the password; resolves with the cookie in the answer. */
async function enter(url: string, id: string): Promise<string> {
  const body = new URLSearchParams({ password: PASSWORD });
  const answer = await fetch(`${url}/s/${id}`, { method: 'POST', body, redirect: 'manual' });
  expect(answer.status).to.equal(303);
  return answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0])[0] ?? '';
}

/** Whether the shared URL redirects to the site instead of showing the password page. */
async function isAdmitted(url: string, id: string, cookie: string): Promise<boolean> {
  const { status } = await fetch(`${url}/s/${id}`, { headers: { cookie }, redirect: 'manual' });
  expect(status).to.be.oneOf([200, 302]);
  return status === 302;
}
