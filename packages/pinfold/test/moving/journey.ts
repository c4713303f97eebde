import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { type CommandRun, run } from '../command-run.ts';
import { list } from '../servers/api-calls.ts';
import type { Engines } from '../servers/engines.ts';
import { startPublisher } from './load.ts';
import type { Stage } from './stage.ts';

type Env = Readonly<Record<string, string>>;

/** Every file of a folder, with a hash of its bytes. */
export async function contentsOf(folder: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const contents: Record<string, string> = {};
  for (const file of files.toSorted()) {
    const hash = createHash('sha256').update(await readFile(file));
    contents[file.slice(folder.length)] = hash.digest('hex');
  }
  return contents;
}

async function succeed(env: Env, ...args: readonly string[]): Promise<CommandRun> {
  const ran = await run(env, ...args);
  expect(ran.code, `pinfold ${args.join(' ')}: ${ran.err}`).to.equal(0);
  return ran;
}

/** The key of the service that it was is good at the one that it has become, and shows the same sites. */
async function expectServed(env: Env): Promise<void> {
  const served = await startPublisher(env);
  const pins = await list(served.url, served.key);
  expect(pins).to.have.lengthOf(20);
  for (const { id } of pins.slice(0, 3)) {
    const page = await fetch(`${served.url}/s/${id}/`);
    expect(page.status).to.equal(200);
    expect(await page.text()).to.include('<!doctype html>');
  }
  await served.close();
}

/**
 * From SQLite and files to PostgreSQL and S3 while the server publishes, and back: the ends are equal by what `verify`
 * says and by their exports.
 */
export async function journey(stage: Stage, engines: Engines, count: number): Promise<void> {
  const start = stage.env('start');
  const middle = engines.env('middle');
  const end = stage.env('end');
  const target = [
    '--to-database',
    middle.PINFOLD_DATABASE_URL ?? '',
    '--to-storage',
    middle.PINFOLD_STORAGE_URL ?? '',
  ];
  const publisher = await startPublisher(start);
  await publisher.publish(0, count, 20_000);

  const ending = new AbortController();
  const load = publisher.load(ending.signal);
  const first = JSON.parse((await succeed(start, 'copy', ...target, '--json')).out);
  ending.abort();
  expect(await load, 'published meanwhile').to.be.at.least(1);
  expect(first.archives).to.be.at.least(count);
  expect(first).to.deep.include({ copied: first.archives, broken: [] });
  await mkdir(middle.PINFOLD_DATA_DIR ?? '');
  await succeed(middle, 'verify');

  await engines.database.ask('DROP SCHEMA pinfold CASCADE');
  const second = JSON.parse((await succeed(start, 'copy', ...target, '--json')).out);
  expect(second.archives - second.copied, 'are there already').to.equal(first.archives);
  await publisher.close();
  await succeed(middle, 'copy', '--to-data-dir', stage.at('end'));
  const exports = [];
  for (const [n, env] of [start, middle, end].entries()) {
    await succeed(env, 'verify');
    await succeed(env, 'export', stage.at(`export ${n}`));
    exports.push(await contentsOf(stage.at(`export ${n}`)));
  }
  expect(exports[1]).to.deep.equal(exports[0]);
  expect(exports[2]).to.deep.equal(exports[0]);
  await expectServed({ ...end, PINFOLD_VIEWER_MODE: 'path', PINFOLD_API_KEY: publisher.key });
}
