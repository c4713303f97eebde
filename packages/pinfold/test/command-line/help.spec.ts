import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { allCommands } from '../../src/command-line/run-command.ts';
import { run } from '../command-run.ts';

const commands = await allCommands();
const names = commands.map(({ name }) => name);

describe('the help', () => {
  it('names every command', async () => {
    const { out } = await run({}, 'help');
    for (const name of names) expect(out).to.match(new RegExp(`^  ${name}\\b`, 'm'));
  });

  for (const { name, options, example } of commands) {
    it(`has options and an example of "${name}"`, async () => {
      const { code, out } = await run({}, 'help', ...name.split(' '));
      expect(code).to.equal(0);
      expect(out).to.include(example);
      expect(example).to.match(new RegExp(`\\bpinfold ${name}\\b`));
      for (const option of Object.keys(options)) expect(out).to.include(`--${option}`);
      const used = [...example.matchAll(/--([a-z-]+)/g)].map(([, option]) => option);
      expect(Object.keys(options)).to.include.members(used);
    });
  }

  it('names the commands without --json', async () => {
    const { out } = await run({}, 'help');
    const [, listed = ''] = /^Every command but (.*) takes --json/m.exec(out) ?? [];
    const without = commands.filter(({ options }) => !('json' in options)).map(({ name }) => name);
    expect(listed.split(/, | and /)).to.have.members(without);
  });

  it('refers to existing pages and sections', async () => {
    const root = join(import.meta.dirname, '../../../..');
    const { out } = await run({}, 'help', 'keys');
    expect(out).to.match(/^ {2}More: docs\/operators\/\S+\.md/m);
    for (const { name, guide } of commands) {
      if (guide === undefined) continue;
      const [page = '', anchor] = guide.split('#');
      const text = await readFile(join(root, 'docs/operators', page), 'utf8');
      const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
        heading
          .toLowerCase()
          .replaceAll(/[^\w -]/g, '')
          .replaceAll(' ', '-'),
      );
      if (anchor !== undefined) expect(headings, name).to.include(anchor);
    }
  });

  it('explains the requested command', async () => {
    const { out } = await run({}, 'help', 'publish');
    expect((await run({}, 'publish', './dist', '--help')).out).to.equal(out);
    expect((await run({}, 'publish', '--', '--help')).code, 'an argument').not.to.equal(0);
    expect((await run({}, 'publish', '-h')).out).to.equal(out);
    expect(out).not.to.include('pinfold keys');
  });

  it('refuses an unknown command', async () => {
    const { code, err } = await run({}, 'help', 'undo');
    expect([code, err]).to.deep.equal([
      2,
      'pinfold: this command does not exist; "pinfold help" lists the commands\n',
    ]);
  });
});

describe('a list', () => {
  for (const { name } of commands.filter(({ options }) => 'limit' in options)) {
    it(`refuses a wrong --limit before it opens a store or sends a request: "${name}"`, async () => {
      const nowhere = { PINFOLD_DATA_DIR: '/nowhere', PINFOLD_DATABASE_URL: 'postgres://127.0.0.1:1/none' };
      for (const limit of ['0', '-1', '1.5', 'ten', '']) {
        const { code, out, err } = await run(nowhere, ...name.split(' '), `--limit=${limit}`);
        expect([code, out], limit).to.deep.equal([2, '']);
        expect(err).to.include('--limit');
      }
    });
  }
});

describe('pinfold completion', () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    it(`offers every command and option to ${shell}`, async () => {
      const { code, out } = await run({}, 'completion', shell);
      expect(code).to.equal(0);
      for (const { name, options } of commands) {
        for (const word of name.split(' ')) expect(out).to.match(new RegExp(`\\b${word}\\b`));
        for (const option of Object.keys(options)) {
          expect(out).to.include(shell === 'fish' ? `-l ${option}` : `--${option}`);
        }
      }
    });
  }

  const completions: readonly (readonly [words: readonly string[], offered: readonly string[]])[] = [
    [['pinfold', 'pu'], ['publish']],
    [['pinfold', 'keys', 'r'], ['revoke']],
    [['pinfold', 'keys', 'create', '--l'], ['--label']],
    [['pinfold', 'list', '--s'], ['--state']],
    [['pinfold', 'show', 'x', '--u'], ['--url']],
  ];
  for (const [words, offered] of completions) {
    it(`lets bash complete "${words.join(' ')}" to ${offered.join(', ')}`, async () => {
      const { out } = await run({}, 'completion', 'bash');
      const typed = `COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}`;
      const script = `${out}\n${typed}\n_pinfold\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
      const { stdout } = spawnSync('bash', ['--norc', '-c', script], { encoding: 'utf8' });
      expect(stdout.trimEnd().split('\n')).to.deep.equal(offered);
    });
  }

  it('refuses an unknown shell', async () => {
    expect((await run({}, 'completion', 'constructor')).code).to.equal(2);
  });
});
