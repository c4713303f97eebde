import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openComposition } from '../../src/compose/composition.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { run } from '../command-run.ts';

describe('pinfold mode', function () {
  this.timeout(60_000);
  let folder: string;
  let env: Readonly<Record<string, string>>;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pinfold-mode-'));
    env = { PINFOLD_DATA_DIR: join(folder, 'data'), PINFOLD_PUBLIC_URL: 'http://localhost' };
    await (await openComposition(readSettings(env))).close();
  });

  afterEach(() => rm(folder, { recursive: true }));

  const asJson = async (...args: readonly string[]) =>
    JSON.parse((await run(env, 'mode', ...args, '--json')).out).service;

  it('says how the service runs, and changes it, as the history tells', async () => {
    expect(await asJson()).to.deep.equal({ mode: 'normal', message: null });
    const readOnly = { mode: 'read_only', message: 'Back at noon' };
    expect(await asJson('read_only', '--message', 'Back at noon')).to.deep.equal(readOnly);
    expect(await asJson()).to.deep.equal(readOnly);
    expect((await run(env, 'mode')).out).to.equal('read_only: Back at noon\n');
    expect((await run(env, 'mode', 'normal')).out).to.equal('normal\n');
    const { events } = JSON.parse((await run(env, 'history', '--json')).out);
    const told = events.map(({ type, account }: { type: string; account: unknown }) => [type, account]);
    expect(told).to.deep.equal([
      ['service.mode_changed', null],
      ['service.mode_changed', null],
    ]);
  });

  it('is called wrongly with another mode, and with a message for none', async () => {
    const wrong = [['off'], ['--message', 'x'], ['normal', '--message', 'x'], ['read_only', '--message', '']];
    for (const args of wrong) expect((await run(env, 'mode', ...args)).code, args.join(' ')).to.equal(2);
  });

  it('binds what publishes, and no other command', async () => {
    await run(env, 'mode', 'read_only', '--message', 'Back at noon');
    const page = join(folder, 'page.html');
    await writeFile(page, '<!doctype html><title>Page</title>');
    const published = await run(env, 'publish', page);
    expect(published.code).to.equal(1);
    expect(published.err).to.equal('pinfold: the service is read-only: Back at noon\n');
    expect((await run(env, 'keys', 'create', '--account', 'ada')).code).to.equal(0);
    const blocked = await run(env, 'accounts', 'block', 'ada', '--reason', 'x');
    expect(blocked.code).to.equal(0);
    expect((await run(env, 'keys', 'create', '--account', 'ada')).code, 'of a blocked account').to.equal(0);
    const swept = await run(env, 'cleanup');
    expect(swept.code).to.equal(1);
    expect(swept.err).to.match(/^pinfold: the service is read-only, so nothing was removed/);
    const report = await run(env, 'cleanup', '--json');
    expect([report.code, JSON.parse(report.out).rested]).to.deep.equal([1, true]);
    expect((await run(env, 'cleanup', '--dry-run')).code).to.equal(0);
  });
});
