import { join } from 'node:path';
import type { Pin } from '@pinfold/client';
import { expect } from 'chai';
import { type Env, failureOf, run, runWith } from '../command-run.ts';
import { type Served, serve } from '../servers/served.ts';

const FILES = {
  'package.json': '{}',
  'index.html': '<!doctype html><script src="/src/main.ts"></script>',
  'src/main.ts': 'source',
  'dist/index.html': '<!doctype html><title>Tea &amp; cake</title>',
};

describe('the questions of pinfold publish', () => {
  let served: Served;
  let folder: string;
  let env: Env;

  before(async () => {
    served = await serve({ PINFOLD_VIEWER_MODE: 'path' });
    env = served.remote;
    folder = join(served.folder, 'project');
    for (const [path, content] of Object.entries(FILES)) await served.write(`project/${path}`, content);
  });

  after(() => served.close());

  async function findNewest(): Promise<Pin | undefined> {
    return JSON.parse((await run(env, 'list', '--json')).out).pins[0];
  }

  /** Answers yes to the questions that contain one of the words. */
  async function runWithAnswers(agreed: readonly string[], ...args: readonly string[]) {
    const questions: string[] = [];
    const confirm = async (question: string): Promise<boolean> => {
      questions.push(question);
      return agreed.some((word) => question.includes(word));
    };
    const { code, err } = await runWith({ confirm }, env, 'publish', ...args);
    return { code, err, questions };
  }

  it('ask whether to publish the built site instead of the project', async () => {
    const { code, questions } = await runWithAnswers([`Publish ${join(folder, 'dist')}?`], folder);
    expect([code, questions.length]).to.deep.equal([0, 2]);
    expect(await findNewest()).to.include({ original_filename: 'dist.zip', file_count: 1, title: null });
    expect((await runWithAnswers(['with its sources'], folder)).code).to.equal(0);
    expect((await findNewest())?.file_count).to.equal(4);
    const before = await findNewest();
    expect((await runWithAnswers([], folder)).code).to.equal(1);
    expect(await findNewest()).to.deep.equal(before);
  });

  it('fail in a pipe, unless --as-is or the folder of the built site is given', async () => {
    const before = await findNewest();
    const { code, out, err } = await run(env, 'publish', folder, '--json');
    expect(failureOf({ code, out })).to.equal('1 looks_like_project');
    expect(err).to.include(join(folder, 'dist')).and.include('--as-is');
    expect(await findNewest()).to.deep.equal(before);
    for (const args of [[folder, '--as-is'], [join(folder, 'dist')]])
      expect((await run(env, 'publish', ...args)).code).to.equal(0);
    for (const args of [
      [join(folder, 'index.html'), '--as-is'],
      ['-', '--name', 'x.html', '--as-is'],
    ])
      expect((await run(env, 'publish', ...args)).code).to.equal(2);
  });

  it("ask whether to use the page's own title", async () => {
    const question = `Use the page's title, "Tea & cake"?`;
    const dist = join(folder, 'dist');
    expect((await runWithAnswers([question], dist)).questions).to.deep.equal([question]);
    expect((await findNewest())?.title).to.equal('Tea & cake');
    await runWithAnswers([question], join(dist, 'index.html'));
    expect(await findNewest()).to.include({ title: 'Tea & cake', original_filename: 'index.zip' });
    await runWithAnswers([], dist);
    expect((await findNewest())?.title).to.equal(null);
    expect((await runWithAnswers([], dist, '--title', 'Mine')).questions).to.deep.equal([]);
    expect((await findNewest())?.title).to.equal('Mine');
    await run(env, 'publish', dist);
    expect((await findNewest())?.title).to.equal(null);
  });

  it('do not come before the check of the title', async () => {
    for (const title of ['a\nb', 'x'.repeat(256)]) {
      const { code, err, questions } = await runWithAnswers([], folder, '--title', title);
      expect([code, err.includes('The title'), questions]).to.deep.equal([2, true, []]);
    }
  });
});
