import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PinfoldClient } from '@pinfold/client';
import { expect } from 'chai';
import { type App, createApp, type Listening, readSettings } from 'pinfold';
import { zipOf } from 'pinfold/testing';
import { nodeSqliteModule } from '../src/node-sqlite-module.ts';

const PAGE = '<!doctype html><title>Stored in rows</title>';

async function textAt(url: string): Promise<string> {
  return (await fetch(url)).text();
}

describe('the reference server over a database of your own', () => {
  let folder: string;
  let app: App | undefined;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pinfold-example-'));
  });

  afterEach(async () => {
    await app?.close();
    await rm(folder, { recursive: true });
  });

  async function start(): Promise<Listening> {
    const env = { PINFOLD_PORT: '0', PINFOLD_DATA_DIR: join(folder, 'data'), PINFOLD_VIEWER_MODE: 'path' };
    const modules = [nodeSqliteModule(join(folder, 'records.sqlite'))];
    app = await createApp(readSettings({ ...env, PINFOLD_WELCOME: 'off' }), { modules, log: () => {} });
    return app.listen();
  }

  it('publishes a ZIP, shows its site, and finds both again after a restart', async () => {
    const first = await start();
    const key = first.firstStart?.apiKey ?? '';
    const { publicUrl } = first.addresses;
    const client = new PinfoldClient({ url: publicUrl, key });
    const { pin } = await client.publish(await zipOf({ 'index.html': PAGE }), { filename: 'site.zip' });
    expect(await textAt(pin.shared_url)).to.equal(PAGE);
    await app?.close();

    const second = await start();
    expect(second.firstStart, 'a first start').to.equal(undefined);
    const { publicUrl: url } = second.addresses;
    expect(await textAt(pin.shared_url.replace(publicUrl, url))).to.equal(PAGE);
    const { pin: found } = await new PinfoldClient({ url, key }).get(pin.id);
    expect(found.state).to.equal('published');
    expect(existsSync(join(folder, 'data', 'pinfold.sqlite')), 'a database of the server').to.equal(false);
  });
});
