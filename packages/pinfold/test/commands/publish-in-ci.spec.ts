import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { type Env, failureOf, run } from '../command-run.ts';
import { type Served, serve } from '../servers/served.ts';

const HOSTILE = '<script>alert(1)</script> [x](javascript:y) `z` | @all #1 *b*';

/** The summary with its character references decoded. */
const decodeReferences = (markdown: string): string =>
  markdown.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));

describe('pinfold publish in CI', () => {
  let served: Served;
  let folder: string;
  let page: string;
  let job: Env;

  beforeEach(async () => {
    served = await serve({ PINFOLD_VIEWER_MODE: 'path' });
    folder = served.folder;
    page = await served.write('page.html', '<!doctype html><img src="missing.png">');
    job = { ...served.remote, GITHUB_RUN_ID: '7', GITHUB_JOB: 'publish' };
  });

  it('fails when the publication of the run was stopped', async () => {
    const published = await run(job, 'publish', page);
    await run(job, 'stop', published.out.trim());
    const { code, out, err } = await run(job, 'publish', page, '--json');
    expect(failureOf({ code, out })).to.equal('1 invalid_state');
    expect(JSON.parse(out).error.idempotency_key).to.match(/^ci-/);
    expect(err).to.include('was stopped');
  });

  it('sets a name again that was deleted since the first attempt', async () => {
    const publish = async () => JSON.parse((await run(job, 'publish', page, '--to', 'docs', '--json')).out);
    const first = await publish();
    await run(job, 'names', 'delete', 'docs');
    const again = await publish();
    expect([again.replayed, again.name.pin]).to.deep.equal([true, first.pin.id]);
    expect((await fetch(again.name.url, { redirect: 'manual' })).headers.get('location')).to.equal(
      first.pin.shared_url,
    );
  });

  it('makes the title of the branch, the commit and the page, unless a title or a key is given', async () => {
    const titled = await served.write('titled.html', '<!doctype html><title>Tea</title>');
    const ci = { ...job, GITHUB_ACTIONS: 'true', GITHUB_REF_NAME: 'main', GITHUB_SHA: '0a1b2c3d4e' };
    const titleOf = async (...args: readonly string[]): Promise<string | null> =>
      JSON.parse((await run(ci, 'publish', titled, '--json', ...args)).out).pin.title;
    expect(await titleOf()).to.equal('main · 0a1b2c3 · Tea');
    expect(await titleOf('--title', 'Release')).to.equal('Release');
    expect(await titleOf('--title', '')).to.equal(null);
    expect(await titleOf('--idempotency-key', 'own')).to.equal(null);
  });

  it('writes the outputs and the summary of the step', async () => {
    const [output, summary] = [await served.write('output', 'before=1\n'), join(folder, 'summary')];
    const env = { ...job, GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary };
    const published = await run(env, 'publish', page, '--title', HOSTILE, '--json');
    const { pin } = JSON.parse(published.out);
    expect((await readFile(output, 'utf8')).split('\n')).to.deep.equal([
      'before=1',
      `url=${pin.shared_url}`,
      'name-url=',
      `id=${pin.id}`,
      `expires-at=${pin.expires_at}`,
      'replayed=false',
      '',
    ]);
    const text = await readFile(summary, 'utf8');
    expect(text).to.include(`<${pin.shared_url}>`).and.include('missing');
    for (const markup of ['<script', '](', '`', '|', '@', ' #1', '*b*']) expect(text).not.to.include(markup);
  });

  it('writes the reason of a failure to the summary of the step', async () => {
    const summary = join(folder, 'summary');
    const env = { ...job, GITHUB_OUTPUT: join(folder, 'output'), GITHUB_STEP_SUMMARY: summary };
    const project = await served.write('p/package.json', '{}');
    await served.write('p/dist/index.html', 'x');
    const site = dirname(await served.write('site/a.html', 'x'));
    await served.write(`site/${HOSTILE.replaceAll('/', '')}:.txt`, 'x');
    for (const [message, code, ...args] of [
      ['looks like the project', 'looks_like_project', dirname(project)],
      ['--strict', 'warnings', page, '--strict'],
      ['missing.png', 'warnings', page, '--strict'],
      ['alert(1)', 'invalid_archive', site],
    ] as const) {
      const { out } = await run(env, 'publish', ...args, '--json');
      expect(JSON.parse(out.trim().split('\n').at(-1) ?? '').error?.code, out).to.equal(code);
      const text = await readFile(summary, 'utf8');
      expect(decodeReferences(text)).to.include('Publishing failed').and.include(message);
      for (const markup of ['<script', '](', '`', '|', '@', ' #1', '*b*'])
        expect(text).not.to.include(markup);
      await rm(summary);
    }
    expect(existsSync(env.GITHUB_OUTPUT)).to.equal(false);
    const unwritable = { ...env, GITHUB_STEP_SUMMARY: join(folder, 'none', 'summary') };
    const { code, err } = await run(unwritable, 'publish', dirname(project));
    expect(code).to.equal(1);
    expect(err).to.include('looks like the project');
  });

  it('reports that the outputs cannot be written', async () => {
    const env = { ...job, GITHUB_OUTPUT: join(folder, 'none', 'output') };
    const { code, out } = await run(env, 'publish', page, '--json');
    expect(failureOf({ code, out: out.trim().split('\n').at(-1) ?? '' })).to.equal('1 cannot_write');
  });
});
