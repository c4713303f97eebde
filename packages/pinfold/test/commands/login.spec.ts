import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tokens } from '@pinfold/inversify';
import { NodeApiKeySecrets } from '@pinfold/platform-node';
import { expect } from 'chai';
import { type CommandRun, type Env, failureOf, run, runWith } from '../command-run.ts';
import { type Served, serve } from '../servers/served.ts';
import { startStub } from '../servers/stub.ts';

describe('pinfold login', () => {
  let server: Served;
  let home: string;
  let env: Env;
  let file: string;

  beforeEach(async () => {
    server = await serve();
    home = server.folder;
    env = { HOME: home, PATH: '' };
    file = join(home, '.config', 'pinfold', 'logins.json');
  });

  /** Runs the command, and consents as soon as it has printed the page. */
  async function logIn(home: Env, ...args: readonly string[]): Promise<CommandRun> {
    const printed = Promise.withResolvers<string>();
    const onErrorLine = (line: string): void => {
      if (/^https?:/.test(line)) printed.resolve(line);
    };
    const running = runWith({ err: onErrorLine }, home, 'login', ...args);
    const [page, ended] = await Promise.race([
      printed.promise.then((line) => [line, undefined] as const),
      running.then((result) => ['', result] as const),
    ]);
    if (ended !== undefined) return ended;
    await consent(new URL(page));
    return await running;
  }

  /** Acts like a person in a browser, signed in by a link. */
  async function consent(page: URL): Promise<void> {
    const sessions = await server.app.container.getAsync(tokens.manageSessions);
    const started = await sessions.redeem((await sessions.offerLink('web-team')).token);
    const cookies = [`pinfold_session=${started?.token}`];
    const shown = await fetch(page, { headers: { cookie: cookies.join('; ') } });
    cookies.push(...shown.headers.getSetCookie().map((line) => line.split(';')[0] ?? ''));
    const text = await shown.text();
    const form = /name="form" value="([^"]+)"/.exec(text)?.[1] ?? '';
    const request = page.searchParams.get('request') ?? '';
    const label = page.searchParams.get('label') ?? '';
    const fields = new URLSearchParams({ form, request, label });
    for (const scope of ['pins:read', 'pins:write']) fields.append('scope', scope);
    const headers = { cookie: cookies.join('; ') };
    const agreed = await fetch(`${server.url}/manage/connect`, {
      method: 'POST',
      body: fields,
      headers,
      redirect: 'manual',
    });
    expect(agreed.status).to.equal(303);
  }

  it('stores a key only for its user, and other commands use it', async () => {
    const { code, out, err } = await logIn(env, server.url, '--no-browser');
    expect(code).to.equal(0);
    expect(err).to.match(/[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}\n/);
    expect(out).to.include('web-team').and.include(file);
    const logins = JSON.parse(await readFile(file, 'utf8'));
    const id = new NodeApiKeySecrets().read(logins[server.url])?.id;
    expect(out).to.include(id).and.not.include(logins[server.url]);
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
    expect((await stat(join(home, '.config', 'pinfold'))).mode & 0o777).to.equal(0o700);

    const site = join(home, 'report.html');
    await writeFile(site, '<h1>Report</h1>');
    const published = await run(env, 'publish', site, '--url', `${server.url}/`, '--json');
    expect(published.code, published.err).to.equal(0);
    expect((await run(env, 'list')).out, 'the only one').to.include(JSON.parse(published.out).pin.id);
    const wrong = await run({ ...env, PINFOLD_KEY: `pf_A_${'a'.repeat(43)}` }, 'list', '--url', server.url);
    expect(wrong.err, 'a key that is given comes first').to.include('401');
  });

  it('prints one document for scripts, without the key, and preserves the keys of other servers', async () => {
    const other = 'https://other.example';
    await logIn(env, server.url, '--no-browser');
    const before = JSON.parse(await readFile(file, 'utf8'));
    await writeFile(file, JSON.stringify({ ...before, [other]: 'pf_x' }));
    const { out } = await logIn(env, server.url, '--no-browser', '--json');
    const after = JSON.parse(await readFile(file, 'utf8'));
    expect(JSON.parse(out)).to.include({ url: server.url, account: 'web-team', file });
    expect(out).not.to.include(after[server.url]);
    expect(after[other]).to.equal('pf_x');
    expect(after[server.url]).not.to.equal(before[server.url]);
    const several = await run(env, 'list');
    expect(several.code).to.equal(2);
    expect(several.err).to.include('--url').and.include(server.url).and.include(other);
  });

  it('prints the address of the page if no browser opens', async () => {
    const { code, err } = await logIn(env, server.url);
    expect(code).to.equal(0);
    expect(err).to.include(`${server.url}/manage/connect?request=`);
  });

  it('neither reads nor writes keys in a file that others can read', async () => {
    await logIn(env, server.url, '--no-browser');
    await chmod(file, 0o640);
    for (const args of [['list'], ['login', server.url]]) {
      const { code, err } = await run(env, ...args);
      expect(code).to.equal(1);
      expect(err).to.include(file).and.include('chmod 600');
    }
    await chmod(file, 0o600);
    await writeFile(file, '{"a":1}');
    expect((await run(env, 'list')).err).to.include('does not hold');
    await writeFile(file, '{"share.example":"pf_x"}');
    expect((await run(env, 'list')).err).to.include('does not hold');
    await rm(file);
    await mkdir(file);
    const { code, err } = await run(env, 'list');
    expect([code, err]).to.deep.equal([1, `pinfold: ${file} cannot be read (EISDIR)\n`]);
  });

  it('stores the key in the configuration folder of the system', async () => {
    const folder = join(home, 'settings');
    await logIn({ ...env, XDG_CONFIG_HOME: folder }, server.url, '--no-browser');
    expect(JSON.parse(await readFile(join(folder, 'pinfold', 'logins.json'), 'utf8'))).to.have.property(
      server.url,
    );
  });

  it('exits with 3 if a later attempt may succeed', async () => {
    const busy = await startStub((_, response) => response.writeHead(503).end());
    for (const url of [busy.url, 'http://127.0.0.1:1']) {
      expect(failureOf(await run(env, 'login', url, '--no-browser', '--json')), url).to.equal(
        '3 unavailable',
      );
    }
    const overTls = busy.url.replace('http:', 'https:');
    expect(failureOf(await run(env, 'login', overTls, '--no-browser', '--json'))).to.equal('1 network_error');
  });

  it('reports that the server is not Pinfold', async () => {
    const foreign = await startStub((_, response) => response.writeHead(404).end());
    const { code, out, err } = await run(env, 'login', foreign.url, '--no-browser', '--json');
    expect(failureOf({ code, out })).to.equal('1 invalid_answer');
    expect(err).to.include('404');
    expect((await run(env, 'login', 'share.example')).code).to.equal(2);
    expect((await run(env, 'login')).code).to.equal(2);
  });
});
