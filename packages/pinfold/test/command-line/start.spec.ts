import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { COMMAND_OF_SOURCES } from '../command-run.ts';
import { newFolder } from '../servers/new-folder.ts';

/** Prints which of the packages that only a server needs were loaded, and whether Node's `fetch` was. */
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
process.on('exit', () => {
  if (process.moduleLoadList.some((name) => name.endsWith('undici/undici'))) loaded.add('fetch');
  console.error('loaded:', [...loaded].join());
});
`;

function loadedBy(args: readonly string[], env: Readonly<Record<string, string>>): readonly string[] {
  const [program, ...first] = COMMAND_OF_SOURCES;
  const hooks = `data:text/javascript,${encodeURIComponent(PROBE)}`;
  const { stderr } = spawnSync(program, ['--import', hooks, ...first, ...args], {
    env: { ...process.env, NODE_OPTIONS: '', ...env },
    encoding: 'utf8',
  });
  const [, names] = /^loaded: (.*)$/m.exec(stderr) ?? [];
  return names?.split(',') ?? [];
}

/** The modules that a command loads determine how fast it starts. */
describe('a command that opens no store', () => {
  for (const args of [
    ['version'],
    ['help'],
    ['completion', 'bash'],
    ['publish', '--wrong'],
    ['list', '--wrong'],
    ['keys', 'list'],
  ]) {
    it(`loads no module of a server: ${args.join(' ')}`, () => {
      expect(loadedBy(args, { PINFOLD_DATA_DIR: '/nonexistent' })).to.deep.equal(['']);
    });
  }
});

describe('a server that sends no requests', () => {
  it("starts without Node's fetch and without InversifyJS", () => {
    // No machine has this address, so the server stops once its modules are loaded.
    const env = { PINFOLD_DATA_DIR: newFolder(), PINFOLD_HOST: '192.0.2.1', PINFOLD_WELCOME: 'off' };
    expect(loadedBy(['serve'], env)).to.have.members(['express', 'better-sqlite3']);
  });
});
