import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault, type Keys, OPERATOR } from '@pinfold/core';
import { everyKey } from '@pinfold/core/accounts';
import { tokens } from '@pinfold/inversify';
import { NodeApiKeySecrets } from '@pinfold/platform-node';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { listedKeys } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { ContainerModule } from 'inversify';
import { type App, createApp, type Listening, readSettings } from '../../src/index.ts';
import { resolveWebAddresses } from '../../src/settings/web-addresses.ts';
import { formatStartBlock } from '../../src/start/first-start.ts';
import { callApi, list, publish } from '../servers/api-calls.ts';
import { newFolder } from '../servers/new-folder.ts';
import { serve } from '../servers/served.ts';

describe('the first start', () => {
  let folder: string;
  const running: App[] = [];
  let logged: string[] = [];

  beforeEach(async () => {
    logged = [];
    folder = join(newFolder(), 'data');
  });

  afterEach(async () => {
    await Promise.all(running.splice(0).map((app) => app.close()));
  });

  async function start(env: Readonly<Record<string, string>> = {}, terminal = false): Promise<Listening> {
    const settings = readSettings({ PINFOLD_PORT: '0', PINFOLD_DATA_DIR: folder, ...env });
    const app = await createApp(settings, { log: (line) => void logged.push(line), terminal });
    running.push(app);
    return app.listen();
  }

  async function restart(env: Readonly<Record<string, string>> = {}, terminal = false): Promise<Listening> {
    await running.pop()?.close();
    return start(env, terminal);
  }

  /** The keys of the server that started last. */
  function keys(): Keys {
    const app = running.at(-1);
    if (app === undefined) throw new Error('no server runs');
    return app.container.get(tokens.manageKeys);
  }

  it('creates a key that publishes, and a welcome site', async () => {
    const { addresses, firstStart } = await start();
    const apiKey = firstStart?.apiKey ?? '';
    const welcome = await list(addresses.publicUrl, apiKey);
    expect(welcome.map(({ id }) => id)).to.deep.equal([firstStart?.welcome?.publication.id]);
    const answer = await publish(addresses.publicUrl, apiKey, 'mine');
    expect(answer.status).to.equal(201);
    expect(((await answer.json()) as { warnings: unknown }).warnings).to.deep.equal([]);
  });

  it('creates a welcome site that states the lifetime of the settings', async () => {
    const { addresses, firstStart } = await start({
      PINFOLD_DEFAULT_LIFETIME_DAYS: '30',
      PINFOLD_VIEWER_MODE: 'path',
    });
    const page = await fetch(`${addresses.publicUrl}/s/${firstStart?.welcome?.publication.id}/`);
    expect(await page.text()).to.include('lives for 30 days');
  });

  it('prints a link to the management screen, as every start on a terminal does, each valid once', async () => {
    const links = [(await start()).signInLink ?? '', (await restart({}, true)).signInLink ?? ''];
    const { addresses } = await restart();
    const sessions = running.at(-1)?.container.get(tokens.manageSessions);
    for (const link of links) {
      expect(link).to.match(/^http:\/\/localhost:\d+\/manage\/sign-in\?link=\w+$/);
      const token = new URL(link).searchParams.get('link') ?? '';
      expect((await fetch(`${addresses.publicUrl}/manage/sign-in?link=${token}`)).status).to.equal(200);
      expect((await sessions?.redeem(token))?.session.account).to.equal('default');
      expect(await sessions?.redeem(token)).to.equal(undefined);
    }
  });

  it('is the only one that prints a link without a terminal', async () => {
    expect((await start()).signInLink).to.be.a('string');
    const listening = await restart();
    expect(listening.signInLink).to.equal(undefined);
    expect(formatStartBlock(listening)).to.include('"pinfold manage"').and.not.to.include('link=');
  });

  it('does not happen again after its key was revoked', async () => {
    const { firstStart } = await start();
    for await (const { id } of everyKey(keys(), { by: OPERATOR })) await keys().revoke({ id, by: OPERATOR });
    expect((await restart()).firstStart).to.equal(undefined);
    expect(firstStart?.apiKey).to.be.a('string');
  });

  it('uses the key in PINFOLD_API_KEY instead of creating one, and does not print it', async () => {
    const { text } = new NodeApiKeySecrets().mint();
    const { addresses, firstStart } = await start({ PINFOLD_API_KEY: text });
    expect(firstStart?.apiKey).to.equal(undefined);
    expect(await list(addresses.publicUrl, text)).to.have.length(1);
    expect(await listedKeys(keys(), OPERATOR)).to.have.length(1);
  });

  it('need not be the one that creates the key of PINFOLD_API_KEY: every start does if it is missing', async () => {
    await start();
    const { text } = new NodeApiKeySecrets().mint();
    const { addresses, firstStart } = await restart({ PINFOLD_API_KEY: text });
    expect(firstStart).to.equal(undefined);
    expect(await list(addresses.publicUrl, text)).to.have.length(1);
  });

  it('leaves a revoked key revoked, although PINFOLD_API_KEY names it', async () => {
    const { text, id } = new NodeApiKeySecrets().mint();
    await start({ PINFOLD_API_KEY: text });
    await keys().revoke({ id, by: OPERATOR });
    const { addresses } = await restart({ PINFOLD_API_KEY: text });
    expect((await callApi(addresses.publicUrl, text, 'GET', '/api/v1/pins')).status).to.equal(401);
  });

  it('publishes no site with PINFOLD_WELCOME=off', async () => {
    const { addresses, firstStart } = await start({ PINFOLD_WELCOME: 'off' });
    expect(firstStart?.welcome).to.equal(undefined);
    expect(await list(addresses.publicUrl, firstStart?.apiKey ?? '')).to.deep.equal([]);
  });

  function warnings(): readonly string[] {
    const lines = logged.map((line) => JSON.parse(line) as { level: number; msg: string });
    return lines.filter(({ level }) => level >= 40).map(({ msg }) => msg);
  }

  it('reports why there is no welcome site if a small quota prevents it', async () => {
    const { firstStart } = await start({ PINFOLD_QUOTA_SITES: '0' });
    expect(firstStart?.apiKey).to.match(/^pf_/);
    expect(firstStart?.welcome).to.equal(undefined);
    expect(warnings()).to.deep.equal(['the settings do not allow the welcome site (quota_exceeded)']);
  });

  it('starts and reports why there is no welcome site if its file cannot be written', async () => {
    await mkdir(join(folder, 'welcome.zip'), { recursive: true });
    const { firstStart } = await start();
    expect(firstStart?.apiKey).to.match(/^pf_/);
    expect(firstStart?.welcome).to.equal(undefined);
    expect(warnings()).to.deep.equal(['the welcome site could not be published']);
  });

  it('stores everything in a folder that only its owner can read', async () => {
    await start();
    expect((await stat(folder)).mode & 0o777).to.equal(0o700);
    for (const name of await readdir(folder)) {
      expect((await stat(join(folder, name))).mode & 0o077, name).to.equal(0);
    }
  });
});

/** The output of the very first start, with a new key or a configured one. */
function blockFor(apiKey: string | undefined): string {
  const addresses = resolveWebAddresses(readSettings({}), 8_080);
  const firstStart = { apiKey, welcome: undefined };
  return formatStartBlock({ addresses, firstStart, signInLink: undefined });
}

describe('the output of the very first start', () => {
  it('has a command that publishes with the new key', () => {
    expect(blockFor('pf_a_b')).to.match(/^curl [^\n]*"Authorization: Bearer pf_a_b"/m);
  });

  it('uses a variable in that command if the key was configured, and explains it', () => {
    const block = blockFor(undefined);
    expect(block).to.match(/^curl [^\n]*"Authorization: Bearer \$PINFOLD_KEY"/m);
    expect(block).to.match(/^API key +the one in PINFOLD_API_KEY [^\n]*PINFOLD_KEY/m);
  });
});

describe('a start on a full database', () => {
  it('serves without a sign-in link, and logs that', async () => {
    const lines: string[] = [];
    const fault = new Fault('store_unavailable', 'the database cannot be used now');
    const fullDatabase = new ContainerModule(({ onActivation }) => {
      onActivation(tokens.sessions, (_context, sessions) =>
        replacing(sessions, { offer: () => Promise.reject(fault) }),
      );
    });
    const options = { modules: [fullDatabase], log: (line: string) => void lines.push(line), terminal: true };
    const served = await serve({}, options);
    const { status } = await fetch(`${served.url}/healthz`);
    await served.close();
    expect(status).to.equal(200);
    expect(served.signInLink).to.equal(undefined);
    expect(lines.join('')).to.include('no sign-in link could be created');
    expect(served.firstStart).not.to.equal(undefined);
    for (const firstStart of [served.firstStart, undefined]) {
      expect(formatStartBlock({ ...served, firstStart })).not.to.match(/link=|undefined/);
    }
  });
});
