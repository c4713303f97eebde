import { once } from 'node:events';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage, type RequestListener } from 'node:http';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { loginsFile, writeLogin } from '../../src/api-client/logins.ts';
import { type CommandRun, type Env, failureOf, run, runProcess, spawnCommand } from '../command-run.ts';
import { openMachine, type Served, SHELLS, serve } from '../servers/served.ts';
import { startStub } from '../servers/stub.ts';

describe('the server that a command uses', () => {
  let served: Served;
  let folder: string;
  let site: string;
  /** The settings of this machine. */
  let env: Env;
  /** The environment of a user in the folder, without settings. */
  let home: Env;
  let url: string;
  let key: string;

  beforeEach(async () => {
    served = await serve({ PINFOLD_VIEWER_MODE: 'path' });
    ({ folder, url, key } = served);
    site = dirname(await served.write('site/index.html', '<!doctype html><title>x</title><p>Hello'));
    env = { ...served.env, PINFOLD_PUBLIC_URL: url };
    home = { HOME: join(folder, 'home'), npm_lifecycle_event: 'pinfold', INIT_CWD: folder };
  });

  async function readTarget(from: Env, ...args: readonly string[]): Promise<Record<string, unknown>> {
    const { out, err } = await run(from, 'whoami', '--json', ...args);
    return out === '' ? { err } : JSON.parse(out);
  }

  it('prints the public URL of the running server, not of its own settings', async () => {
    const { code, out, err } = await run({ ...env, PINFOLD_PUBLIC_URL: '' }, 'publish', site);
    expect(code, err).to.equal(0);
    expect(out).to.match(new RegExp(`^${url}/s/`));
    const link = out.trim();
    for (const words of ['pins list', `pins show ${link}`, `pin ${link} --json`])
      expect((await run({ ...env, PINFOLD_PUBLIC_URL: '' }, ...words.split(' '))).out).to.include(link);
  });

  it('judges a site, and opens it, by the viewer mode of the running server', async () => {
    await served.write('site/index.html', '<!doctype html><script src="/app.js"></script>');
    await served.write('site/app.js', '');
    const ownMode = { ...env, PINFOLD_VIEWER_MODE: '' };
    const { code, err } = await run(ownMode, 'publish', site, '--dry-run', '--strict');
    expect(code, err).not.to.equal(0);
    const { out } = await run(ownMode, 'publish', site);
    expect((await run(ownMode, 'open', out.trim(), '--print')).out).to.match(new RegExp(`^${url}/s/`));
  });

  it('does not stop a strict publication for an optional feature', async () => {
    const page = '<!doctype html><script>try { localStorage.seen = 1 } catch {}</script>';
    await served.write('site/index.html', page);
    for (const more of [['--dry-run'], []]) {
      const { code, err } = await run(
        { ...env, PINFOLD_VIEWER_MODE: '' },
        'publish',
        site,
        '--strict',
        ...more,
      );
      expect(code, err).to.equal(0);
      expect(err).to.include('index.html').and.include('localStorage').and.include('(needs_origin)');
    }
  });

  it('explains how to start a server if none runs, and ignores another program at its address', async () => {
    await served.app.close();
    expect(await readdir(join(folder, 'data')), 'a clean stop').not.to.include('server.json');
    // Another server runs at the address in the settings.
    const other = await serve();
    const stopped = { ...env, PINFOLD_PORT: String(other.port), PINFOLD_PUBLIC_URL: other.url };
    const id = '00000000-0000-4000-8000-000000000000';
    for (const args of [
      ['publish', site],
      ['list'],
      ['show', id],
      ['rename', id, 'x'],
      ['renew', id],
      ['stop', id],
      ['open', id, '--print'],
      ['names', 'list'],
    ]) {
      const { code, out, err } = await run(stopped, ...args, '--json');
      expect(failureOf({ code, out }), args.join(' ')).to.equal('3 unavailable');
      expect(err).to.include('pinfold serve').and.include('--url');
    }
  });

  describe('after its server was killed', () => {
    let file: string;
    let calls: IncomingMessage[];
    let withoutUrl: Env;

    beforeEach(async () => {
      file = join(folder, 'data', 'server.json');
      calls = [];
      await listenInstead((request, response) => {
        calls.push(request);
        response.end('{"status":"ok","proof":"none"}');
      });
      withoutUrl = { ...env, PINFOLD_PUBLIC_URL: '' };
    });

    /** Lets another process listen at the address in the file. */
    async function listenInstead(answer: RequestListener): Promise<void> {
      const { url: address } = await startStub(answer);
      await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), address }));
    }

    it('sends nothing to another process at its address', async () => {
      for (const args of [['publish', site], ['list'], ['names', 'list']]) {
        expect(failureOf(await run(withoutUrl, ...args, '--json')), args.join(' ')).to.equal('3 unavailable');
      }
      expect((await run(withoutUrl, 'manage')).code).to.equal(3);
      expect(calls.map(({ headers }) => headers.authorization)).to.deep.equal(new Array(4).fill(undefined));
      expect(new Set(calls.map(({ method }) => method))).to.deep.equal(new Set(['GET']));
    });

    it('sends nothing to a process that forwards the challenge to a running server', async () => {
      await listenInstead((request, response) => {
        calls.push(request);
        get(`http://127.0.0.1:${served.port}${request.url}`, (answer) => answer.pipe(response));
      });
      expect((await run(withoutUrl, 'list')).code).to.equal(3);
      expect(calls.map(({ headers }) => headers.authorization)).to.deep.equal([undefined]);
    });
  });

  it('is not reached through the proxy of the environment, which must not see the key', async () => {
    const urls: string[] = [];
    const { server: proxy, url: HTTP_PROXY } = await startStub();
    proxy.on('connect', ({ url = '' }, socket) => {
      urls.push(url);
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    });
    const proxied = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY, NO_PROXY: 'intranet.example' };
    const { code, err } = await runProcess({ ...env, ...proxied }, ['list']);
    expect([code, err, urls]).to.deep.equal([0, '', []]);
  });

  it('needs a key if it listens only on a network address, and reports that', async () => {
    const file = join(folder, 'data', 'server.json');
    const address = 'http://192.0.2.1:1';
    await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), address }));
    const { code, err } = await run(env, 'list');
    expect([code, err]).to.deep.equal([
      1,
      `pinfold: the server of the data folder ${join(folder, 'data')} listens only on 192.0.2.1 (PINFOLD_HOST), where commands need a key: give its --url\n`,
    ]);
  });

  it('is the server of --url, the data of this machine, PINFOLD_URL, a login, or ./data', async () => {
    const server = served.remote;
    const here = { data_dir: join(folder, 'data'), account: 'default' };
    const there = { url, key: key.split('_')[1] };
    expect(await readTarget({ ...home, ...env }, '--url', url, '--key', key)).to.deep.equal(there);
    expect(await readTarget({ ...server, ...env })).to.deep.equal(here);
    expect(await readTarget({ ...env }, '--account', 'ada')).to.deep.equal({ ...here, account: 'ada' });
    expect(await readTarget({ ...home, ...server })).to.deep.equal(there);
    expect(await readTarget(home)).to.deep.equal(here);
    await rm(join(folder, 'data', 'pinfold.sqlite'));
    expect((await run(home, 'whoami')).code).to.equal(2);
    writeLogin(home, url, key);
    expect(await readTarget({ ...home, PINFOLD_API_KEY: 'of-the-server' })).to.deep.equal(there);
  });

  it('must be chosen between two logins, and by a script between a login and ./data', async () => {
    writeLogin(home, url, key);
    const read = await run(home, 'list');
    expect([read.code, read.out]).to.deep.equal([0, '']);
    expect(read.err).to.include(url).and.include(join(folder, 'data'));
    for (const args of [
      ['publish', site],
      ['stop', '00000000-0000-4000-8000-000000000000'],
    ]) {
      const { code, err } = await run(home, ...args);
      expect([code, err.includes(`--url ${url}`), err.includes('PINFOLD_DATA_DIR=')]).to.deep.equal([
        2,
        true,
        true,
      ]);
    }
    writeLogin(home, 'https://other.example', key);
    const several = await run(home, 'list');
    expect(several.code).to.equal(2);
    expect(several.err).to.include(url).and.include('https://other.example').and.include('--url');
  });

  it('is removed by a logout', async () => {
    writeLogin(home, url, key);
    writeLogin(home, 'https://other.example', key);
    expect((await run(home, 'logout')).code).to.equal(2);
    expect(JSON.parse((await run(home, 'logout', url, '--json')).out)).to.deep.equal({
      url,
      logged_out: true,
    });
    expect(Object.keys(JSON.parse(await readFile(loginsFile(home), 'utf8')))).to.deep.equal([
      'https://other.example',
    ]);
    expect(failureOf(await run(home, 'logout', url, '--json'))).to.equal('1 not_found');
  });

  it('does not change the output of a command', async () => {
    const { pin } = await served.json('publish', site);
    const runBoth = async (...args: readonly string[]): Promise<readonly [CommandRun, CommandRun]> => [
      await run(env, ...args),
      await run(served.remote, ...args),
    ];
    for (const args of [
      ['show', pin.id],
      ['list', '--json'],
      ['rename', pin.id, 'Other', '--json'],
      ['password', pin.id, '--none'],
    ]) {
      const [here, there] = await runBoth(...args);
      expect(here.code, here.err).to.equal(0);
      expect(here).to.deep.equal(there);
    }
    await run(env, 'pin', pin.id);
    for (const [args, code, sentence] of [
      [['renew', pin.id], 'invalid_state', 'unpin it in the management screen'],
      [['show', '00000000-0000-4000-8000-000000000000'], 'not_found', 'no such publication in your account'],
    ] as const) {
      for (const failed of await runBoth(...args, '--json')) {
        expect(failureOf(failed)).to.equal(`1 ${code}`);
        expect(failed.err).to.include(sentence);
      }
    }
    expect(await served.json('stop', pin.id)).to.deep.equal({ id: pin.id, stopped: true });
  });

  for (const [way, shellOf] of Object.entries(SHELLS)) {
    it(`only checks, and publishes nothing with warnings if it is strict, ${way}`, async () => {
      const shell = shellOf(served);
      expect(await shell.json('publish', site, '--dry-run')).to.deep.equal({
        pin: null,
        archive: { file_count: 1, size: 39 },
        warnings: [],
      });
      await served.write('site/index.html', '<!doctype html><title>x</title><img src="missing.png">');
      const strict = await shell.run('publish', site, '--strict', '--json');
      expect(failureOf(strict)).to.equal('1 warnings');
      expect(strict.err).to.include('broken_reference');
      expect((await shell.run('publish', site, '--strict', '--dry-run')).code).to.equal(1);
      expect((await shell.json('list')).pins).to.deep.equal([]);
    });
  }
});

describe('the arguments of the command', () => {
  it('get a suggestion if they are misspelled', async () => {
    for (const [args, expected] of [
      [['publsh'], 'Unknown command publsh. Did you mean publish?'],
      [['keys', 'crate'], 'Did you mean create?'],
      [['publish', '.', '--titel', 'x'], 'Did you mean --title? See "pinfold help publish"'],
      [['publish'], 'PATH is missing; see "pinfold help publish"'],
    ] as const) {
      const { code, err } = await run({}, ...args);
      expect([code, err.includes(expected)], err).to.deep.equal([2, true]);
    }
    expect((await run({}, 'pf_secret_key')).err).not.to.include('pf_secret_key');
  });

  it('accept a duration, and the mode as people write it', async () => {
    const machine = await openMachine();
    expect((await machine.run('mode', 'readonly')).out).to.equal('read_only\n');
    const eventsSince = async (since: string): Promise<number> =>
      (await machine.json('history', '--since', since)).events.length;
    expect(await eventsSince('1h')).to.equal(1);
    expect(await eventsSince('2999-01-01')).to.equal(0);
    expect((await machine.run('history', '--since', '1y')).code).to.equal(2);
  });

  it('with --json get one object for a failure, and exit code 3 for what may succeed later', async () => {
    const machine = await openMachine();
    const database = {
      PINFOLD_DATABASE_URL: 'postgres://127.0.0.1:1/x',
      PINFOLD_SECRET: 'the secret of all the nodes',
    };
    const offline = await runProcess({ ...machine.env, ...database }, ['keys', 'list', '--json']);
    expect(failureOf(offline), offline.err).to.equal('3 unavailable');
    expect(failureOf(await run({ PINFOLD_PORT: 'x' }, 'keys', 'list', '--json'))).to.equal('1 usage');
  });

  it('with --json get one object for a signal, with the key that the retry needs, and say so', async () => {
    const offline = { PINFOLD_URL: 'http://127.0.0.1:1', PINFOLD_KEY: 'x' };
    for (const args of [['list'], ['publish', '-', '--name', 'x.html']]) {
      const command = spawnCommand(offline, ...args, '--json');
      const out = text(command.stdout);
      let output = '';
      command.stderr?.on('data', (data) => {
        output += data;
      });
      // It retries, and prints that.
      command.stderr?.once('data', () => command.kill('SIGTERM'));
      command.stdin?.end('<!doctype html><title>x</title>');
      const [code] = await once(command, 'close');
      const { error } = JSON.parse(await out);
      expect([code, error.code]).to.deep.equal([143, 'interrupted']);
      const key = error.idempotency_key;
      const hint = `interrupted: repeat the command with --idempotency-key ${key},`;
      expect(output).to.include(key === undefined ? 'pinfold: a signal ended the command' : hint);
      expect(key === undefined, args[0]).to.equal(args[0] === 'list');
    }
  });
});
