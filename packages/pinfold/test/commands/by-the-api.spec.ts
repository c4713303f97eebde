import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { openRemotePublications } from '../../src/publishing/remote-publications.ts';
import { type CommandRun, type Env, run, runPiped } from '../command-run.ts';
import { type Served, serve } from '../servers/served.ts';

describe('the commands that use the API', () => {
  let server: Served;
  let folder: string;
  let page: string;
  let env: Env;
  let link: string;
  let id: string;

  before(async () => {
    server = await serve({ PINFOLD_VIEWER_MODE: 'path' });
    folder = server.folder;
    page = await server.write('page.html', '<!doctype html><title>x</title><p>Hello');
  });

  beforeEach(async () => {
    env = server.remote;
    link = await publish('Mine');
    id = link.slice(-36);
  });

  after(() => server.close());

  async function publish(title: string): Promise<string> {
    const { out, err } = await run(env, 'publish', page, '--title', title);
    if (out === '') throw new Error(err);
    return out.trim();
  }

  async function succeed(...args: readonly string[]): Promise<string> {
    const { code, out, err } = await run(env, ...args);
    expect([code, err]).to.deep.equal([0, '']);
    return out;
  }

  async function readPin(): Promise<Record<string, unknown>> {
    return JSON.parse(await succeed('show', id, '--json')).pin;
  }

  function runWithPipe(input: string, ...args: readonly string[]): Promise<CommandRun> {
    return runPiped(input, env, ...args);
  }

  it('list publications, newest first, each in a line that begins with the link', async () => {
    const second = await publish('Newer');
    const lines = (await succeed('list')).trimEnd().split('\n');
    expect(lines.slice(0, 2).map((line) => line.split('  ')[0])).to.deep.equal([second, link]);
    expect(lines[0]).to.include('Newer').and.to.include('published');
    const { pins } = JSON.parse(await succeed('list', '--json'));
    expect(pins[1]).to.deep.equal(await readPin());
  });

  it('list publications of one state, and stopped ones only on request', async () => {
    await succeed('stop', id);
    expect(await succeed('list')).not.to.include(link);
    expect(await succeed('list', '--state', 'stopped')).to.include(`${link}  stopped  `);
    expect(await succeed('list', '--state', 'deleted')).to.include(link);
    expect(await succeed('show', id)).to.match(/^state +stopped$/m);
    expect((await readPin()).state).to.equal('deleted');
    expect((await run(env, 'list', '--state', 'gone')).code).to.equal(2);
  });

  it('show a publication by its id or by its link', async () => {
    for (const name of [id, link, `${link}/?x#y`]) {
      const shown = await succeed('show', name);
      expect(shown).to.include(link).and.to.include('Mine').and.to.include('published');
    }
  });

  it('rename, and remove the title', async () => {
    expect(await succeed('rename', link, 'Other')).to.include('Other');
    expect((await readPin()).title).to.equal('Other');
    await succeed('rename', id, '');
    expect((await readPin()).title).to.equal(null);
    expect(JSON.parse(await succeed('rename', id, '--json', '--', '-x')).pin.title).to.equal('-x');
  });

  it('protect with a password from a pipe, never from an argument, and remove the protection', async () => {
    const { code, out, err } = await runWithPipe('correct horse\nnot this\n', 'password', id);
    expect(code, err).to.equal(0);
    expect(out + err).not.to.include('horse');
    expect(await readPin()).to.include({ password_protected: true });
    expect(await (await fetch(link)).text()).not.to.include('Hello');
    expect(await succeed('password', id, '--none')).to.include('no password');
    expect(await readPin()).to.include({ password_protected: false });
    expect((await run(env, 'password', id, 'correct horse')).code).to.equal(2);
  });

  it('keep the protection if no password is entered', async () => {
    await runWithPipe('correct horse', 'password', id);
    for (const input of ['', '\n']) expect((await runWithPipe(input, 'password', id)).code).to.equal(2);
    expect((await run(env, 'password', id)).code).to.equal(2);
    expect((await runWithPipe('short', 'password', id)).err).to.include('invalid_password');
    expect(await readPin()).to.include({ password_protected: true });
  });

  it('renew', async () => {
    const before = String((await readPin()).expires_at);
    const renewed = JSON.parse(await succeed('renew', id, '--json')).pin.expires_at;
    expect(renewed > before).to.equal(true);
    expect(await succeed('renew', id)).to.match(/ expires .* \(in 7 days\)\.$/m);
  });

  it('stop for good', async () => {
    expect(JSON.parse(await succeed('stop', link, '--json'))).to.deep.equal({ id, stopped: true });
    expect((await fetch(link)).status).to.equal(404);
    const again = await run(env, 'renew', id);
    expect(again.code).to.equal(1);
    expect(again.err).to.include('invalid_state');
  });

  it('open the link with the program of the system, and print it', async () => {
    const programs = join(folder, 'bin');
    await mkdir(programs);
    const opened = join(programs, 'opened');
    const opener = join(programs, process.platform === 'darwin' ? 'open' : 'xdg-open');
    await writeFile(
      opener,
      `#!/bin/sh\nprintf %s "$1" > "${opened}.part"\nmv "${opened}.part" "${opened}"\n`,
    );
    await chmod(opener, 0o700);
    env = { ...env, PATH: `${programs}:${process.env.PATH}` };
    expect(await succeed('open', id)).to.equal(`${link}\n`);
    let found: string | undefined;
    while (found === undefined) {
      await wait(10);
      found = await readFile(opened, 'utf8').catch(() => undefined);
    }
    expect(found).to.equal(link);
  });

  it('open a protected publication without its password, or print the URL for that', async () => {
    await runPiped('correct horse\n', env, 'password', id);
    const url = await succeed('open', id, '--print');
    expect(url).to.match(/^http:\/\/localhost:\d+\/s\/[0-9a-f-]{36}\?grant=[\w.-]+\n$/);
    const entered = await fetch(url.trim(), { redirect: 'manual' });
    expect([entered.status, entered.headers.has('set-cookie')]).to.deep.equal([302, true]);
    const printed = await succeed('open', id, '--print', '--json');
    expect(Object.keys(JSON.parse(printed))).to.deep.equal(['url']);
  });

  it('print the link even if no program opens links', async () => {
    const { code, out, err } = await run({ ...env, PATH: folder }, 'open', id);
    expect([code, out]).to.deep.equal([1, `${link}\n`]);
    expect(err).to.include('no browser');
  });

  it('report why the server refuses, and never show the key', async () => {
    const unknown = await run(env, 'show', '00000000-0000-4000-8000-000000000000');
    expect(unknown.code).to.equal(1);
    expect(unknown.err).to.include('not_found');
    const wrong = `pf_wrong_${'k'.repeat(43)}`;
    const { code, out, err } = await run({ ...env, PINFOLD_KEY: wrong }, 'list');
    expect(code).to.equal(1);
    expect(err).to.include('401');
    expect(out + err).not.to.include(wrong);
  });

  it('accept a key and a URL with a newline or a byte order mark, and require one if it is blank', async () => {
    const { PINFOLD_KEY: key } = env;
    for (const value of [`${key}\n`, `\uFEFF${key}\r\n`, ` ${key}\t`])
      expect((await run({ ...env, PINFOLD_KEY: value }, 'list')).code, JSON.stringify(value)).to.equal(0);
    const marked = `\uFEFF${env.PINFOLD_URL}\r\n`;
    expect((await run({ ...env, PINFOLD_URL: marked }, 'list')).code).to.equal(0);
    for (const [value, expectation] of [
      ['\n', 'an API key is required'],
      [`Bearer ${key}`, 'the API key contains a character that no key has'],
    ] as const) {
      const { code, err } = await run({ ...env, PINFOLD_KEY: value }, 'list');
      expect([code, err.includes(expectation)], value).to.deep.equal([2, true]);
    }
  });

  it('retry for ten seconds, and print that', async () => {
    const stop = (line: string): never => {
      throw new Error(line);
    };
    const unreachable = await openRemotePublications(
      { url: 'http://127.0.0.1:1', apiKey: 'any' },
      { env, out: stop, write: stop, err: stop },
    );
    expect(await unreachable.api.limits().catch((error: Error) => error.message)).to.match(
      /^127\.0\.0\.1:1 cannot be reached: [^\n;]+; trying again in 1 s \(for up to 10 s\)$/,
    );
  });
});
