import { mkdir } from 'node:fs/promises';
import { ofEachTest } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import type { Env } from '../command-run.ts';
import { list } from '../servers/api-calls.ts';
import { type Engines, startEngines } from '../servers/engines.ts';
import { startPublisher } from './load.ts';
import { hashFiles, openStage, succeed } from './stage.ts';

/** `pnpm --filter pinfold moving` and the nightly workflow move 1,000. */
const PUBLICATIONS = Number(process.env.PUBLICATIONS ?? 30);

describe('a service that moves from SQLite and files to PostgreSQL and S3, and back', function () {
  this.timeout(60_000 + PUBLICATIONS * 2_000);
  const engines = ofEachTest(startEngines);

  afterEach(() => engines.close());

  it('is the same in both places, although it publishes meanwhile', () =>
    moveThereAndBack(engines, PUBLICATIONS));
});

/** The key of the original service is valid at the new one, which shows the same sites. */
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
 * From SQLite and files to PostgreSQL and S3 while the server publishes, and back. Both ends have equal results of
 * `verify` and equal exports.
 */
async function moveThereAndBack(engines: Engines, count: number): Promise<void> {
  const stage = openStage();
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
    exports.push(await hashFiles(stage.at(`export ${n}`)));
  }
  expect(exports[1]).to.deep.equal(exports[0]);
  expect(exports[2]).to.deep.equal(exports[0]);
  await expectServed({ ...end, PINFOLD_VIEWER_MODE: 'path', PINFOLD_API_KEY: publisher.key });
}
