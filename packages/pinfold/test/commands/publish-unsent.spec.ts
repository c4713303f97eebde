import { mkdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { formatResumeHint } from '../../src/commands/publish.ts';
import { run } from '../command-run.ts';
import { newFolder } from '../servers/new-folder.ts';

describe('pinfold publish with input that it cannot send', () => {
  let folder: string;
  let site: string;
  /** Of a command on this machine, and of one that uses the API; no server receives a request. */
  let environments: readonly Readonly<Record<string, string>>[];

  beforeEach(async () => {
    folder = newFolder();
    site = join(folder, 'site');
    await mkdir(site);
    await writeFile(join(site, 'index.html'), '<!doctype html><title>x</title><p>Hello');
    environments = [
      { PINFOLD_DATA_DIR: join(folder, 'none') },
      { PINFOLD_URL: 'http://127.0.0.1:1', PINFOLD_KEY: 'any' },
    ];
  });

  async function expectError(code: number, message: RegExp, ...args: readonly string[]): Promise<void> {
    for (const env of environments) {
      const result = await run(env, 'publish', ...args);
      expect(result.code).to.equal(code);
      expect(result.err).to.match(message);
    }
  }

  it('does not take an empty path for the current folder', async () => {
    await expectError(2, /^pinfold: PATH is missing; [^\n]+\n$/, '');
  });

  it('names a file that is too large to read', async () => {
    for (const name of ['big.zip', 'big.html']) {
      const big = join(folder, name);
      await writeFile(big, '');
      await truncate(big, 2 ** 31);
      await expectError(1, /^pinfold: [^\n]+big\.\w+ is larger than 2 GiB[^\n]+\n$/, big);
    }
    await expectError(1, /^pinfold: [^\n]+big\.\w+ has more than 1 GiB; [^\n]+\n$/, folder);
  });

  it('explains an invalid name', async () => {
    const page = join(folder, 'a\u{1B}[31m\nname.html');
    await writeFile(page, '<!doctype html><title>One</title>');
    await expectError(
      2,
      /^pinfold: The file needs a name of [^\n]+ without control characters\. See [^\n]+\n$/,
      page,
    );
  });

  it('explains an invalid Idempotency-Key', async () => {
    await expectError(2, /^pinfold: [^\n]*printable ASCII[^\n]*\n$/, site, '--idempotency-key', 'a\nb');
  });

  it('does not offer to continue when no publication has begun', async () => {
    const env = { PINFOLD_DATA_DIR: join(folder, 'data'), PINFOLD_PORT: '1' };
    await mkdir(env.PINFOLD_DATA_DIR);
    const { code, err } = await run(env, 'publish', site, '--title', 'One');
    expect([code, err]).to.deep.equal([
      3,
      `pinfold: no server runs on the data folder ${env.PINFOLD_DATA_DIR} (PINFOLD_DATA_DIR): start one with "pinfold serve", or give the --url of one\n`,
    ]);
  });

  it('names a file whose name is not UTF-8 on one line', async () => {
    await writeFile(Buffer.concat([Buffer.from(join(site, 'a')), Buffer.of(0xff)]), 'x');
    await expectError(1, /^pinfold: a\uFFFD is not named in UTF-8: rename it\n$/, site);
  });
});

describe('the advice after an attempt with an unknown outcome', () => {
  it('names the option with the key of the attempt, quoted for a shell', () => {
    expect(formatResumeHint('nightly-17', 'interrupted:')).to.include('--idempotency-key nightly-17,');
    expect(formatResumeHint("Ada's site", 'interrupted:')).to.include(
      String.raw`--idempotency-key 'Ada'\''s site',`,
    );
  });
});
