import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { build, type Rollup } from 'vite';
import { openPage } from './chromium.ts';
import { openService, type Service } from './open-service.ts';

/** The client as a bundler makes it for a page, in one script. */
async function bundle(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['@pinfold/source'] },
    build: {
      write: false,
      lib: { entry: join(import.meta.dirname, 'client-bundle.ts'), formats: ['iife'], name: 'pinfold' },
    },
  });
  const [{ output }] = built as [Rollup.RollupOutput];
  return output[0].code;
}

/** Runs in the page. */
const JOURNEY = `async ({ url, key }) => {
  const client = new pinfold.PinfoldClient({ url, key });
  const page = new TextEncoder().encode('<!doctype html><title>Hello</title>');
  const { bytes, leftOut } = await pinfold.packFiles([
    { path: 'index.html', bytes: page },
    { path: '.env.local', bytes: page },
  ]);
  const { pin, idempotencyKey } = await client.publish(new Blob([bytes]), { filename: 'a.zip', title: 'One' });
  const again = await client.publish(bytes, { filename: 'a.zip', title: 'One', idempotencyKey });
  const { pin: guarded } = await client.update(pin.id, { password: 'correct horse' });
  const { grant } = await client.createGrant(pin.id);
  const listed = [];
  for await (const { id } of client.list({ pageSize: 1 })) listed.push(id);
  await client.stop(pin.id);
  const { pin: stopped } = await client.get(pin.id);
  const refused = await client.check(page).catch(({ code, status }) => [code, status]);
  const redirected = await new pinfold.PinfoldClient({ url: url + '/moved', key }).limits().catch(({ code }) => code);
  return { leftOut, listed, id: pin.id, replayed: again.replayed, isGuarded: guarded.password_protected,
    grant: grant.url, state: stopped.state, refused, redirected };
}`;

describe('the client in a real browser', () => {
  let service: Service;
  let page: Page;

  before(async () => {
    service = await openService('path');
    page = await openPage();
  });

  it('publishes, replays, protects, opens, lists and stops from a page beside the API', async () => {
    await page.route('**/moved/**', (route) =>
      route.fulfill({ status: 302, headers: { Location: `${service.url}/api/v1/limits` } }),
    );
    await page.goto(`${service.url}/livez`);
    await page.addScriptTag({ content: await bundle() });
    const input = JSON.stringify({ url: service.url, key: service.key });
    const outcome = (await page.evaluate(`(${JOURNEY})(${input})`)) as Record<string, unknown>;
    const { id, grant, ...rest } = outcome;
    expect(rest).to.deep.equal({
      leftOut: ['.env.local'],
      listed: [id],
      replayed: true,
      isGuarded: true,
      state: 'deleted',
      refused: ['invalid_archive', 422],
      redirected: 'invalid_answer',
    });
    expect(grant).to.match(/\?grant=/);
  });
});
