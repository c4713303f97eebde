import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { COMMAND } from '../command-run.ts';

/** Prints which of the packages that only a server needs were loaded. */
const PROBE = `
import { registerHooks } from 'node:module';
const loaded = new Set();
registerHooks({
  load: (url, context, next) => {
    const [name] = /(?:express|inversify|reflect-metadata|pg|better-sqlite3)(?=@)/.exec(url) ?? [];
    if (name !== undefined) loaded.add(name);
    return next(url, context);
  },
});
process.on('exit', () => console.error('loaded:', [...loaded].join()));
`;

/** What a command loads decides how fast it starts. */
describe('a command that opens no store', function () {
  this.timeout(60_000);

  for (const args of [
    ['version'],
    ['help'],
    ['completion', 'bash'],
    ['publish', '--wrong'],
    ['list', '--wrong'],
    ['keys', 'list'],
  ]) {
    it(`loads nothing that a server needs: ${args.join(' ')}`, () => {
      const [program, ...first] = COMMAND;
      const hooks = `data:text/javascript,${encodeURIComponent(PROBE)}`;
      const env = { ...process.env, NODE_OPTIONS: '', PINFOLD_DATA_DIR: '/nonexistent' };
      const { stderr } = spawnSync(program, ['--import', hooks, ...first, ...args], {
        env,
        encoding: 'utf8',
      });
      expect(stderr).to.match(/^loaded: $/m);
    });
  }
});
