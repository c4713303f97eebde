import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';

describe('the reporter of totals', () => {
  it('counts, and reports the first failure unchanged', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pinfold-totals-'));
    const file = join(folder, 'a.spec.mjs');
    const totals = join(folder, 'totals.json');
    await writeFile(
      file,
      `describe('a role', () => {
        it('is published', () => {});
        it('expires', () => { throw new Error("expected 'published' to equal 'expired'"); });
        it('is deleted', () => { throw new Error('another'); });
      });`,
    );
    const reporter = join(import.meta.dirname, 'totals-reporter.ts');
    spawnSync('mocha', [`--reporter=${reporter}`, file], { env: { ...process.env, SUITE_TOTALS: totals } });
    expect(JSON.parse(await readFile(totals, 'utf8'))).to.deep.equal({
      passed: 1,
      failed: 2,
      first: "a role › expires\nexpected 'published' to equal 'expired'",
    });
    await rm(folder, { recursive: true });
  });
});
