import { writeFile } from 'node:fs/promises';
import { ofEachTest } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { run } from '../command-run.ts';
import { openStage } from './stage.ts';

describe('pinfold copy', () => {
  const stage = ofEachTest(openStage);

  it('names the option if the target is wrong, and the variable if the source is', async () => {
    const env = await stage.stock('one', 1);
    await writeFile(stage.at('file'), '');
    for (const [target, complaint] of [
      [
        ['--to-data-dir', stage.at('file', 'in')],
        '--to-data-dir (dataDir) names a folder that cannot be created',
      ],
      [['--to-data-dir', stage.at('two'), '--to-storage', 'ftp://x'], '--to-storage (storage) must '],
    ] as const) {
      const { code, err } = await run(env, 'copy', ...target);
      expect([code, err.slice(0, `pinfold: ${complaint}`.length)]).to.deep.equal([
        1,
        `pinfold: ${complaint}`,
      ]);
    }
    const empty = await run(env, 'copy', '--to-data-dir', '');
    expect([empty.code, empty.err]).to.deep.equal([
      2,
      'pinfold: --to-data-dir is empty; see "pinfold help copy"\n',
    ]);
    const { err } = await run(stage.env('none'), 'copy', '--to-data-dir', stage.at('two'));
    expect(err).to.match(/^pinfold: PINFOLD_DATA_DIR \(dataDir\) names /);
  });
});
