import { once } from 'node:events';
import { cp, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Env, spawnCommand } from '../command-run.ts';
import { type Engines, startEngines } from '../servers/engines.ts';
import { startPublisher } from './load.ts';
import { hashFiles, listFiles, openStage, type Stage, succeed } from './stage.ts';

const COUNT = 40;

/** The number of archives in a folder. */
async function countIn(folder: string): Promise<number> {
  return (await listFiles(folder)).filter((file) => /\/\d{13}-[^/]+$/.test(file)).length;
}

/** Runs a command, and kills it once a folder has this many archives. */
async function killWith(
  archives: number,
  folder: string,
  env: Env,
  ...args: readonly string[]
): Promise<void> {
  const NODE_OPTIONS = `--import=${new URL('../servers/killed-at-archive.ts', import.meta.url)}`;
  const killing = { ...env, NODE_OPTIONS, KILLED_IN: folder, KILLED_WITH: String(archives) };
  const child = spawnCommand(killing, ...args);
  expect(await once(child, 'close'), `with ${archives} archives`).to.deep.equal([null, 'SIGKILL']);
  // Several archives are stored at the same time.
  expect(await countIn(folder)).to.be.within(archives, archives + 8);
}

describe('kill -9 in the midst of a move', () => {
  let stocked: Stage;
  let stage: Stage;
  let env: Env;

  before(async () => {
    stocked = openStage();
    const publisher = await startPublisher(stocked.env('one'));
    await publisher.publish(0, COUNT, 150_000);
    await publisher.close();
    await succeed(stocked.env('one'), 'export', stocked.at('sound'));
  });

  beforeEach(async () => {
    stage = openStage();
    await cp(stocked.folder, stage.folder, { recursive: true });
    env = stage.env('one');
  });

  const equalToSound = async (folder: string): Promise<void> => {
    expect(await hashFiles(stage.at(folder))).to.deep.equal(await hashFiles(stage.at('sound')));
  };

  it('leaves an export that can continue', async () => {
    const out = stage.at('out');
    for (const part of [1, 10, 20]) {
      await killWith(part, join(out, 'archives'), env, 'export', out);
      expect((await readdir(out)).includes('manifest.json'), 'no export before its end').to.equal(false);
    }
    const stored = await countIn(join(out, 'archives'));
    const again = await succeed(env, 'export', out);
    expect(again.err).to.include(`${COUNT} archives, ${COUNT - stored} of them new`);
    await equalToSound('out');
  });

  it('leaves the previous export complete', async () => {
    const out = stage.at('out');
    await succeed(env, 'export', out);
    const publisher = await startPublisher({ ...env, PINFOLD_API_KEY: KEY });
    await publisher.publish(COUNT, 20, 150_000);
    await publisher.close();
    await killWith(COUNT + 1, join(out, 'archives'), env, 'export', out);
    await succeed(stage.env('two'), 'import', out);
    const verified = await succeed(stage.env('two'), 'verify', '--json');
    expect(JSON.parse(verified.out)).to.deep.include({ named: COUNT, read: COUNT });
  });

  it('leaves an import that can continue, and no server starts before it has ended', async () => {
    const two = stage.env('two');
    for (const part of [1, 11, 21]) {
      await killWith(part, stage.at('two', 'archives'), two, 'import', stage.at('sound'));
    }
    await succeed(two, 'import', stage.at('sound'));
    await succeed(two, 'export', stage.at('out'));
    await equalToSound('out');
    await succeed(two, 'verify');
  });

  describe('to PostgreSQL and S3', () => {
    let engines: Engines;
    /** Called for each archive before the storage stores it. */
    let beforePut: () => Promise<void>;

    beforeEach(async () => {
      const before = async (method: string, path: string): Promise<void> => {
        if (method === 'PUT' && /\/\d{13}-/.test(path)) await beforePut();
      };
      engines = await startEngines({ before });
    });

    afterEach(() => engines.close());

    it('leaves a copy that can continue', async () => {
      const {
        PINFOLD_DATABASE_URL: database = '',
        PINFOLD_STORAGE_URL: storage = '',
        ...node
      } = engines.env('node');
      const target = ['--to-database', database, '--to-storage', storage];
      const child = spawnCommand(env, 'copy', ...target);
      const ended = once(child, 'close');
      beforePut = () => {
        child.kill('SIGKILL');
        return new Promise(() => undefined);
      };
      expect(await ended).to.deep.equal([null, 'SIGKILL']);
      const [row] = await engines.database.ask<{ readonly n: string }>(
        'SELECT count(*) AS n FROM pinfold.unfinished_imports, pinfold.roles',
      );
      expect(Number(row?.n)).to.be.greaterThan(0);
      beforePut = async () => undefined;
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
