import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openComposition } from '../../src/compose/composition.ts';
import { createApp } from '../../src/compose/create-app.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { run, runProcess, spawnCommand } from '../command-run.ts';

const anyKey = /^pf_[0-9A-Za-z]+_[0-9A-Za-z]{43}\n$/;

describe('the commands, on the settings of a server', function () {
  this.timeout(60_000);
  let folder: string;
  let site: string;
  let env: Readonly<Record<string, string>>;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pinfold-cli-'));
    site = join(folder, 'my site');
    await mkdir(site);
    await writeFile(join(site, 'index.html'), '<!doctype html><title>x</title><p>Hello');
    env = { PINFOLD_DATA_DIR: join(folder, 'data'), PINFOLD_PORT: '0', PINFOLD_WELCOME: 'off' };
    await (await openComposition(readSettings(env))).close();
  });

  afterEach(() => rm(folder, { recursive: true }));

  async function publishSite(...more: readonly string[]): Promise<string> {
    const { out } = await run({ ...env, PINFOLD_PUBLIC_URL: 'http://127.0.0.1:1' }, 'publish', site, ...more);
    return out.trim().split('/').at(-1) ?? '';
  }

  it('print a link that signs in to the screen of a running server, once', async () => {
    const app = await createApp(readSettings(env), { log: () => undefined });
    const { addresses } = await app.listen();
    const printed = await runProcess(
      { ...env, PINFOLD_PUBLIC_URL: addresses.publicUrl },
      'manage',
      '--account',
      'ada',
    );
    expect(printed.code).to.equal(0);
    const page = await fetch(printed.out.trim());
    const cookie = page.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ');
    const text = await page.text();
    const fields = [...text.matchAll(/type="hidden" name="(\w+)" value="([^"]+)"/g)].map(
      ([, name, value]) => [name, value],
    );
    const sent = { method: 'POST', headers: { cookie }, redirect: 'manual' } as const;
    const signIn = () =>
      fetch(`${addresses.publicUrl}/manage/sign-in`, {
        ...sent,
        body: new URLSearchParams(fields as [string, string][]),
      });
    expect((await signIn()).headers.get('location')).to.equal('/manage/');
    expect((await signIn()).status).to.equal(401);
    const asJson = JSON.parse(
      (await run({ ...env, PINFOLD_PUBLIC_URL: addresses.publicUrl }, 'manage', '--json')).out,
    );
    expect(asJson).to.include({ account: 'default' }).and.have.property('url');
    await app.close();
  });

  it('make, list and revoke keys, which a running server knows at once', async () => {
    const app = await createApp(readSettings(env), { log: () => undefined });
    const { addresses } = await app.listen();
    const status = async (key: string): Promise<number> => {
      const headers = { authorization: `Bearer ${key}` };
      return (await fetch(`${addresses.publicUrl}/api/v1/pins`, { headers })).status;
    };
    const made = await runProcess(env, 'keys', 'create', '--account', 'ada', '--label', 'build server');
    expect(made.code).to.equal(0);
    expect(made.out).to.match(anyKey);
    const key = made.out.trim();
    expect(made.err).not.to.include(key);
    expect(await status(key)).to.equal(200);
    const listed = await runProcess(env, 'keys', 'list', '--json');
    expect(listed.out).not.to.include(key.slice(-43));
    const { keys } = JSON.parse(listed.out);
    const ofAda = keys.find(({ account }: { account: string }) => account === 'ada');
    expect(ofAda).to.include({ label: 'build server', revoked_at: null });
    const revoked = await runProcess(env, 'keys', 'revoke', ofAda.id);
    expect(revoked.code).to.equal(0);
    expect(await status(key)).to.equal(401);
    await app.close();
  });

  it('tell of a key in JSON', async () => {
    const { out } = await run(env, 'keys', 'create', '--scope', 'pins:read', '--json');
    const made = JSON.parse(out);
    expect(made).to.include({ account: 'default', label: '' });
    expect(made.scopes).to.deep.equal(['pins:read']);
    expect(made.key).to.match(new RegExp(`^pf_${made.id}_`));
  });

  it('list the keys of one account', async () => {
    await run(env, 'keys', 'create', '--account', 'ada');
    await run(env, 'keys', 'create', '--account', 'grace');
    const { out } = await run(env, 'keys', 'list', '--account', 'grace');
    expect(out.match(/\n/g)).to.have.length(1);
    expect(out).to.include('grace');
  });

  it('revoke by the whole key, too', async () => {
    const { out } = await run(env, 'keys', 'create');
    expect((await run(env, 'keys', 'revoke', out.trim())).code).to.equal(0);
    expect((await run(env, 'keys', 'revoke', 'nobody')).code).to.equal(1);
  });

  it('pin and unpin, by id and by shared URL', async () => {
    const id = await publishSite();
    const pinned = await run(env, 'pin', id, '--json');
    expect(JSON.parse(pinned.out).pin).to.include({ id, pinned: true, expires_at: null });
    const unpinned = await run(env, 'unpin', `https://pin.example/s/${id.toUpperCase()}/`, '--json');
    expect(JSON.parse(unpinned.out).pin).to.include({ id, pinned: false });
  });

  it('refuse to pin what is not there', async () => {
    const { code, err } = await run(env, 'pin', '00000000-0000-4000-8000-000000000000');
    expect(code).to.equal(1);
    expect(err).to.match(/^pinfold: [^\n]+\n$/);
  });

  it('clean up, and say what was done', async () => {
    await publishSite();
    const planned = await run(env, 'cleanup', '--dry-run', '--json');
    expect(JSON.parse(planned.out), 'a dry run').to.include({ listing: 'done', archives: 0 });
    const { code, out } = await run(env, 'cleanup', '--json');
    expect(code).to.equal(0);
    expect(JSON.parse(out)).to.deep.include({ listing: 'done', orphans: 0, missing: [] });
    expect(JSON.parse((await run(env, 'cleanup', '--json')).out).listing).to.equal('not_due');
    expect(JSON.parse((await run(env, 'cleanup', '--force', '--json')).out).listing).to.equal('done');
    expect((await run(env, 'cleanup')).code).to.equal(0);
  });

  it('fail to clean up where so much has no record that the records must be wrong', async () => {
    for (let name = 0; name < 21; name += 1) await plantOrphan(name);
    const planned = await run(env, 'cleanup', '--dry-run', '--force', '--json');
    expect(JSON.parse(planned.out)).to.include({ unnamed: 21, orphans: 21, listing: 'done' });
    const { code, out, err } = await run(env, 'cleanup', '--json');
    expect(code).to.equal(1);
    expect(JSON.parse(out).listing).to.equal('refused');
    expect(err).to.include('--force');
    const again = await run(env, 'cleanup');
    expect(again.code, 'it stands').to.equal(1);
    expect(again.out).to.include('without a record: 21 of 21 archives older than a day');
    const forced = await run(env, 'cleanup', '--force', '--json');
    expect(forced.code).to.equal(0);
    expect(JSON.parse(forced.out).orphans).to.equal(21);
  });

  it('say that more archives without a record wait for the next comparison', async () => {
    for (let name = 0; name < 1_003; name += 1) await plantOrphan(name);
    const forced = await run(env, 'cleanup', '--force');
    expect(forced.code).to.equal(0);
    const waiting = (counts: string): RegExp =>
      new RegExp(`${counts} removed.*\\nwaiting .*: 3 archives .*--force`);
    expect(forced.out).to.match(waiting('1003 of 1003 .* 1000'));
    expect((await run(env, 'cleanup')).out).to.match(waiting('3 of 3 .* 0'));
    const last = await run(env, 'cleanup', '--force');
    expect(last.out).to.match(/3 of 3 [^\n]* 3 removed/);
    expect(last.out).not.to.include('waiting');
    expect((await run(env, 'cleanup')).out).to.include('without a record: 0 of 0 archives older than a day');
  });

  it('say of a dry run that it compares nothing younger than a day', async () => {
    for (const more of [[], ['--json']]) {
      const { code, out, err } = await run(env, 'cleanup', '--dry-run', ...more);
      expect(code).to.equal(0);
      expect(err).to.match(/^pinfold: [^\n]*\bday\b[^\n]*\n$/);
      expect(out).not.to.include(err);
    }
    expect((await run(env, 'cleanup')).err).to.equal('');
  });

  it('name the setting when there is no such bucket to clean up', async () => {
    const store = createServer((request, response) => {
      const body = '<?xml version="1.0"?><Error><Code>NoSuchBucket</Code><Message>no</Message></Error>';
      request.resume().once('end', () => response.writeHead(404).end(body));
    });
    store.listen(0, '127.0.0.1');
    await once(store, 'listening');
    const { port } = store.address() as AddressInfo;
    const { code, err } = await runProcess(
      {
        ...env,
        PINFOLD_STORAGE_URL: `s3://nowhere?endpoint=http://127.0.0.1:${port}`,
        AWS_ACCESS_KEY_ID: 'id',
        AWS_SECRET_ACCESS_KEY: 'key',
      },
      'cleanup',
    );
    store.closeAllConnections();
    store.close();
    expect(code).to.equal(3);
    expect(err).to.match(/^pinfold: PINFOLD_STORAGE_URL [^\n]+"nowhere"[^\n]*\n$/);
  });

  /** An archive of long ago that no record names. */
  async function plantOrphan(name: number): Promise<void> {
    const id = `1500000000000-00000000-0000-4000-8000-${String(name).padStart(12, '0')}`;
    const place = join(folder, 'data', 'archives', id.slice(0, 4), id.slice(4, 7));
    await mkdir(place, { recursive: true });
    await writeFile(join(place, id), 'orphan');
  }

  it('bring the database up to the release', async () => {
    expect((await run(env, 'migrate')).code).to.equal(0);
    expect((await run(env, 'migrate', '--json')).out).to.equal('{"migrated":true}\n');
  });

  for (const found of ['no folder', 'a folder of other things']) {
    it(`find ${found}, name the setting, and make nothing`, async () => {
      const before = found === 'no folder' ? [] : ['elsewhere'];
      for (const name of before) await mkdir(join(folder, name, 'else'), { recursive: true });
      await expectNothingMade(join(folder, 'elsewhere'));
      expect((await readdir(folder)).sort()).to.deep.equal(['data', ...before, 'my site']);
      for (const name of before) expect(await readdir(join(folder, name))).to.deep.equal(['else']);
    });
  }

  async function expectNothingMade(elsewhere: string): Promise<void> {
    const id = '00000000-0000-4000-8000-000000000000';
    for (const args of [
      ['keys', 'create'],
      ['keys', 'list'],
      ['keys', 'revoke', 'x'],
      ['manage'],
      ['sessions', 'list'],
      ['mode'],
      ['pin', id],
      ['unpin', id],
      ['cleanup'],
      ['migrate'],
      ['publish', site],
    ]) {
      const wrong = { ...env, PINFOLD_DATA_DIR: elsewhere, PINFOLD_PORT: '8080' };
      const { code, out, err } = await run(wrong, ...args);
      expect([code, out], args.join(' ')).to.deep.equal([1, '']);
      expect(err).to.match(/^pinfold: PINFOLD_DATA_DIR [^\n]+\n$/);
    }
  }

  it('serve until they are told to stop', async () => {
    const child = spawnCommand(env, 'serve');
    const ended = once(child, 'close');
    let said = '';
    for await (const chunk of child.stdout) {
      said += chunk;
      if (said.includes('listening')) child.kill('SIGTERM');
    }
    expect(await ended).to.deep.equal([0, null]);
  });

  it('name a setting that is wrong', async () => {
    const wrong = { ...env, PINFOLD_PORT: 'http' };
    for (const args of [['serve'], ['migrate'], ['keys', 'list']]) {
      const { code, err } = await runProcess(wrong, ...args);
      expect(code).to.equal(1);
      expect(err).to.match(/^pinfold: PINFOLD_PORT [^\n]+\n$/);
    }
  });
});

describe('pinfold', () => {
  const wrong: readonly (readonly string[])[] = [
    [],
    ['publsh'],
    ['toString'],
    ['publish'],
    ['publish', 'a', 'b'],
    ['publish', '.', '--titel', 'x'],
    ['publish', '.', '--title'],
    ['publish', '.', '--key', 'pf_x_y'],
    ['publish', '.', '--url', 'pin.example', '--key', 'x'],
    ['publish', '.', '--url', 'http://127.0.0.1:1'],
    ['publish', '.', '--url', 'http://127.0.0.1:1', '--key', 'x', '--account', 'ada'],
    ['keys'],
    ['keys', 'delete'],
    ['keys', 'revoke'],
    ['keys', 'create', '--scope', 'pins:everything'],
    ['keys', 'create', '--account', ''],
    ['keys', 'create', '--label', 'a\nb'],
    ['pin', 'x'],
    ['unpin'],
    ['cleanup', 'now'],
    ['serve', '--port', '80'],
  ];
  for (const args of wrong) {
    it(`says in one line that ${JSON.stringify(args)} is not how it is called`, async () => {
      const { code, out, err } = await run({}, ...args);
      expect(code).to.equal(2);
      expect(out).to.equal('');
      expect(err).to.match(/^pinfold: [^\n]+\n$/);
    });
  }

  it('explains itself', async () => {
    for (const args of [['help'], ['--help'], ['-h']]) {
      const { code, out, err } = await run({}, ...args);
      expect([code, err]).to.deep.equal([0, '']);
      for (const command of ['serve', 'publish', 'pin', 'unpin', 'keys', 'cleanup', 'migrate', 'version']) {
        expect(out).to.include(command);
      }
    }
  });

  it('knows its version', async () => {
    expect((await run({}, 'version')).out).to.match(/^\d+\.\d+\.\d+\n$/);
    expect((await run({}, '--version')).out).to.equal((await run({}, 'version')).out);
    expect(JSON.parse((await run({}, 'version', '--json')).out).version).to.be.a('string');
  });
});
