import { once } from 'node:events';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { spawnCommand } from '../command-run.ts';
import { type Engines, startEngines } from '../servers/engines.ts';
import { contentsOf } from './journey.ts';
import { startPublisher } from './load.ts';
import { openStage, type Stage, succeed } from './stage.ts';

type Env = Readonly<Record<string, string>>;

const COUNT = 40;

/** How many archives a folder has. */
async function countIn(folder: string): Promise<number> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return found.filter((entry) => entry.isFile() && /^\d{13}-/.test(entry.name)).length;
}

/** Kills a command as soon as something is so; says whether that came before its end. */
async function killWhen(
  isSo: () => Promise<boolean>,
  env: Env,
  ...args: readonly string[]
): Promise<boolean> {
  const child = spawnCommand(env, ...args);
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  while (child.exitCode === null && !(await isSo())) await setTimeout(2);
  child.kill('SIGKILL');
  return (await ended)[1] === 'SIGKILL';
}

describe('kill -9 in the midst of a move', function () {
  this.timeout(120_000);
  let stage: Stage;
  let env: Env;

  beforeEach(async () => {
    stage = await openStage();
    env = stage.env('one');
    const publisher = await startPublisher(env);
    await publisher.publish(0, COUNT, 150_000);
    await publisher.close();
    await succeed(env, 'export', stage.at('sound'));
  });

  afterEach(() => stage.dispose());

  const equalToSound = async (folder: string): Promise<void> => {
    expect(await contentsOf(stage.at(folder))).to.deep.equal(await contentsOf(stage.at('sound')));
  };

  it('leaves an export that goes on', async () => {
    const out = stage.at('out');
    for (const part of [1, 10, 20]) {
      const isSo = async () => (await countIn(join(out, 'archives'))) >= part;
      expect(await killWhen(isSo, env, 'export', out), `with ${part} archives`).to.equal(true);
      expect((await readdir(out)).includes('manifest.json'), 'no export before its end').to.equal(false);
    }
    const before = await countIn(join(out, 'archives'));
    const again = await succeed(env, 'export', out);
    expect(again.err).to.include(`${COUNT} archives, ${COUNT - before} of them new`);
    await equalToSound('out');
  });

  it('leaves the export of the day before whole', async () => {
    const out = stage.at('out');
    await succeed(env, 'export', out);
    const publisher = await startPublisher({ ...env, PINFOLD_API_KEY: KEY });
    await publisher.publish(COUNT, 20, 150_000);
    await publisher.close();
    const isSo = async () => (await countIn(join(out, 'archives'))) > COUNT;
    expect(await killWhen(isSo, env, 'export', out)).to.equal(true);
    await succeed(stage.env('two'), 'import', out);
    const verified = await succeed(stage.env('two'), 'verify', '--json');
    expect(JSON.parse(verified.out)).to.deep.include({ named: COUNT, read: COUNT });
  });

  it('leaves an import that goes on, and nothing that serves before it has ended', async () => {
    const two = stage.env('two');
    for (const part of [0, 10, 20]) {
      const isSo = async () => (await countIn(stage.at('two', 'archives'))) > part;
      expect(await killWhen(isSo, two, 'import', stage.at('sound')), `after ${part}`).to.equal(true);
    }
    await succeed(two, 'import', stage.at('sound'));
    await succeed(two, 'export', stage.at('out'));
    await equalToSound('out');
    await succeed(two, 'verify');
  });

  describe('to PostgreSQL and S3', () => {
    let engines: Engines;

    beforeEach(async () => {
      engines = await startEngines();
    });

    afterEach(() => engines.close());

    it('leaves a copy that goes on', async () => {
      const {
        PINFOLD_DATABASE_URL: database = '',
        PINFOLD_STORAGE_URL: storage = '',
        ...node
      } = engines.env('node');
      const target = ['--to-database', database, '--to-storage', storage];
      const kept = async () => {
        const asked = engines.database.ask<{ readonly n: string }>(
          'SELECT count(*) AS n FROM pinfold.import_mark, pinfold.roles',
        );
        return asked.then(([row]) => Number(row?.n)).catch(() => 0);
      };
      expect(await killWhen(async () => (await kept()) > 0, env, 'copy', ...target)).to.equal(true);
      const middle = { ...node, PINFOLD_DATABASE_URL: database, PINFOLD_STORAGE_URL: storage };
      await succeed(env, 'copy', ...target);
      await mkdir(engines.env('node').PINFOLD_DATA_DIR ?? '');
      await succeed(middle, 'verify');
      await succeed(middle, 'export', stage.at('out'));
      await equalToSound('out');
    });
  });
});

const KEY = `pf_4fJ2kQ9xTzA_${'a'.repeat(43)}`;
