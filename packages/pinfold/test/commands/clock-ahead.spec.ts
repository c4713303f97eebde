import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Duration, days, minutes, seconds } from '@pinfold/core';
import { expect } from 'chai';
import { type CommandRun, type Env, runProcess } from '../command-run.ts';
import { list, publish } from '../servers/api-calls.ts';
import { type ChildServer, startChild } from '../servers/child-server.ts';
import { startEngines } from '../servers/engines.ts';
import { newFolder } from '../servers/new-folder.ts';

const KEY = `pf_tests_${'k'.repeat(43)}`;
const SET_CLOCK = pathToFileURL(join(import.meta.dirname, '..', 'servers', 'set-clock.ts'));

/** A process on a machine whose clock is wrong by this much. */
const setBy = (length: number, env: Env): Env => ({
  ...env,
  NODE_OPTIONS: `--import=${SET_CLOCK.href}`,
  CLOCK_SET_BY: String(length),
});

describe('a process whose clock is nine days ahead', () => {
  const AHEAD: Duration = days(9);

  async function publishFive(server: ChildServer): Promise<string> {
    const url = await server.url();
    const answers = await Promise.all([1, 2, 3, 4, 5].map((n) => publish(url, KEY, `site ${n}`)));
    expect(answers.map(({ status }) => status)).to.deep.equal([201, 201, 201, 201, 201]);
    return url;
  }

  async function expectAllInService(url: string): Promise<void> {
    const pins = await list(url, KEY);
    expect(pins.map(({ state }) => state)).to.deep.equal(Array(5).fill('published'));
    for (const { shared_url: shared } of pins) expect((await fetch(shared)).status).to.equal(200);
  }

  it('removes no site on one machine, and no archive in its backup', async () => {
    const folder = newFolder();
    const backup = join(folder, 'backup');
    const env = {
      PINFOLD_DATA_DIR: join(folder, 'data'),
      PINFOLD_API_KEY: KEY,
      PINFOLD_WELCOME: 'off',
      PINFOLD_VIEWER_MODE: 'path',
    };
    const server = startChild(env);
    const url = await publishFive(server);
    const succeed = async (args: readonly string[], of: Env = env): Promise<CommandRun> => {
      const ran = await runProcess(of, args);
      expect(ran.code, ran.err).to.equal(0);
      return ran;
    };
    const countArchives = async (): Promise<number> =>
      (await readdir(join(backup, 'archives'), { recursive: true, withFileTypes: true })).filter((file) =>
        file.isFile(),
      ).length;
    await succeed(['export', backup]);
    for (let sweeps = 0; sweeps < 3; sweeps += 1) {
      const { out, err } = await succeed(['cleanup'], setBy(AHEAD, env));
      expect(out).to.include('0 archives of ended publications removed');
      expect(err).to.include('pinfold cleanup --catch-up');
    }
    const unconfirmed = await runProcess(setBy(AHEAD, env), ['cleanup', '--catch-up']);
    expect(unconfirmed.code).to.equal(2);
    expect(unconfirmed.err).to.include('--catch-up asks on a terminal; without one, add --yes');
    await succeed(['verify']);
    for (let nights = 0; nights < 2; nights += 1) await succeed(['export', backup]);
    expect(await countArchives()).to.equal(5);
    await expectAllInService(url);
    const oneMinuteAhead = JSON.parse((await succeed(['cleanup', '--json'], setBy(minutes(1), env))).out);
    expect(oneMinuteAhead.removalBehind).to.be.lessThan(minutes(2));
    const confirmed = await succeed(['cleanup', '--catch-up', '--yes', '--json'], setBy(AHEAD, env));
    expect(JSON.parse(confirmed.out), 'as a person confirmed').to.include({ archives: 5, removalBehind: 0 });
  });

  it('removes no site of two nodes on PostgreSQL: its cleanup fails, and its node stays ready', async () => {
    const engines = await startEngines();
    const common = { PINFOLD_API_KEY: KEY, PINFOLD_WELCOME: 'off' };
    const right = { ...engines.env('right'), ...common };
    const wrong = setBy(AHEAD, { ...engines.env('wrong'), ...common });
    const url = await publishFive(startChild(right));
    const ahead = startChild(wrong);
    const aheadUrl = await ahead.url();
    const statusOf = async (path: string): Promise<number> => (await fetch(aheadUrl + path)).status;
    expect(await Promise.all(['/readyz', '/readyz?needs=clock', '/healthz'].map(statusOf))).to.deep.equal([
      200, 503, 200,
    ]);
    const { status, clock } = (await (await fetch(`${aheadUrl}/healthz`)).json()) as Record<string, unknown>;
    expect(status).to.equal('degraded');
    expect(Number(clock)).to.be.closeTo(AHEAD / seconds(1), 500);
    expect(ahead.output()).to.match(/ahead of the database's, so it cleans nothing up/);
    for (const args of [[], ['--dry-run'], ['--force'], ['--catch-up', '--yes']]) {
      const { code, err } = await runProcess(wrong, ['cleanup', ...args]);
      expect(code, args.join(' ')).to.equal(1);
      expect(err).to.include("this machine's clock differs from the database's");
    }
    expect((await runProcess(right, ['cleanup'])).code).to.equal(0);
    expect((await runProcess(right, ['verify'])).code).to.equal(0);
    await expectAllInService(url);
    await engines.close();
  });
});
