import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, days, type RoleId } from '@pinfold/core';
import { expect } from 'chai';
import { compose } from '../../src/compose/compose.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { run, spawnCommand } from '../command-run.ts';
import { callApi } from '../servers/api-calls.ts';
import { CREDENTIALS } from '../servers/engines.ts';
import { type Machine, openMachine, serve } from '../servers/served.ts';
import { startStub } from '../servers/stub.ts';

type Json = Readonly<Record<string, unknown>>;

const anyKey = /^pf_[0-9A-Za-z]+_[0-9A-Za-z]{43}\n$/;
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

describe('the commands of a running server', () => {
  it('print a link that signs in to its screen, once', async () => {
    const { run, json, url } = await serve();
    const printed = await run('manage', '--account', 'ada');
    expect(printed.code).to.equal(0);
    const page = await fetch(printed.out.trim());
    const cookies = page.headers.getSetCookie().map((line) => line.split(';')[0]);
    const text = await page.text();
    const fields = [...text.matchAll(/type="hidden" name="(\w+)" value="([^"]+)"/g)].map(
      ([, name = '', value = '']): [string, string] => [name, value],
    );
    const signIn = () =>
      fetch(`${url}/manage/sign-in`, {
        method: 'POST',
        headers: { cookie: cookies.join('; ') },
        redirect: 'manual',
        body: new URLSearchParams(fields),
      });
    expect((await signIn()).headers.get('location')).to.equal('/manage/');
    expect((await signIn()).status).to.equal(401);
    expect(await json('manage'))
      .to.include({ account: 'default' })
      .and.have.property('url');
  });

  it('create, list and revoke keys, with immediate effect', async () => {
    const { run, json, url } = await serve();
    const status = async (key: string): Promise<number> =>
      (await callApi(url, key, 'GET', '/api/v1/pins')).status;
    const created = await run('keys', 'create', '--account', 'ada', '--label', 'build server');
    expect(created.out).to.match(anyKey);
    const key = created.out.trim();
    expect(created.err).not.to.include(key);
    expect(await status(key)).to.equal(200);
    const { keys } = await json('keys', 'list');
    expect(JSON.stringify(keys)).not.to.include(key.slice(-43));
    const ofAda = keys.find(({ account }: { account: string }) => account === 'ada');
    expect(ofAda).to.include({ label: 'build server', revoked_at: null });
    expect((await run('keys', 'revoke', ofAda.id)).code).to.equal(0);
    expect(await status(key)).to.equal(401);
  });
});

describe('the commands with the settings of a server', () => {
  let machine: Machine;
  let site: string;

  beforeEach(async () => {
    machine = await openMachine({ PINFOLD_PUBLIC_URL: 'http://localhost:1' });
    site = join(machine.folder, 'my site');
    await mkdir(site);
    await writeFile(join(site, 'index.html'), '<!doctype html><title>x</title><p>Hello');
  });

  it('create keys of one account, list them, and revoke one by the whole key', async () => {
    const created = await machine.json('keys', 'create', '--scope', 'pins:read');
    expect(created).to.include({ account: 'default', label: '' });
    expect(created.scopes).to.deep.equal(['pins:read']);
    expect(created.key).to.match(new RegExp(`^pf_${created.id}_`));
    await machine.run('keys', 'create', '--account', 'grace');
    const { out } = await machine.run('keys', 'list', '--account', 'grace');
    expect(out).to.match(/^[^\n]*grace[^\n]*\n$/);
    expect((await machine.run('keys', 'revoke', created.key)).code).to.equal(0);
    expect((await machine.run('keys', 'revoke', 'nobody')).code).to.equal(1);
  });

  it('revoke all keys of an account, or all', async () => {
    for (const account of ['ada', 'ada', 'grace']) await machine.run('keys', 'create', '--account', account);
    const liveAccounts = async () => {
      const { keys } = await machine.json('keys', 'list');
      return keys.filter((key: Json) => key.revoked_at === null).map(({ account }: Json) => account);
    };
    expect((await machine.json('keys', 'revoke', '--account', 'ada')).revoked).to.have.length(2);
    expect(await liveAccounts()).to.deep.equal(['grace']);
    const none = await machine.run('keys', 'revoke', '--account', 'ada');
    expect([none.code, none.out]).to.deep.equal([0, '0 keys revoked.\n']);
    const all = await machine.run('keys', 'revoke', '--all');
    expect([all.code, all.out]).to.deep.equal([0, '1 key revoked.\n']);
    expect(await liveAccounts()).to.deep.equal([]);
    for (const args of [[], ['--account', 'ada', '--all'], [UNKNOWN, '--all'], ['--account', '']])
      expect((await machine.run('keys', 'revoke', ...args)).code, args.join(' ')).to.equal(2);
  });

  async function endLongAgo(id: RoleId): Promise<void> {
    const { ports, close } = await compose(readSettings(machine.env));
    const found = await ports.roles.load(id);
    if (found === undefined) throw new Error('there is no such role');
    const deletedAt = before(ports.clock.now(), days(1));
    await ports.roles.save({ ...found.value, deletedAt }, found.version, []);
    await close();
  }

  /** Publishes by a server that then closes. */
  async function publishAndClose() {
    const { app } = await serve(machine.env);
    const { pin } = await machine.json('publish', site);
    await app.close();
    return pin;
  }

  it('pin and unpin an existing publication, by id and by shared URL', async () => {
    const { id, shared_url } = await publishAndClose();
    const pinned = await machine.json('pin', id);
    expect(pinned.pin).to.include({ id, pinned: true, expires_at: null });
    const unpinned = await machine.json('unpin', `${shared_url.replace(id, id.toUpperCase())}/`);
    expect(unpinned.pin).to.include({ id, pinned: false });
    const { code, err } = await machine.run('pin', UNKNOWN);
    expect(code).to.equal(1);
    expect(err).to.match(/^pinfold: [^\n]+\n$/);
  });

  it('clean up and report it, and note that a dry run compares nothing younger than a day', async () => {
    await publishAndClose();
    for (const more of [[], ['--json']]) {
      const { code, err } = await machine.run('cleanup', '--dry-run', ...more);
      expect(code).to.equal(0);
      expect(err).to.match(/^pinfold: [^\n]*\bday\b[^\n]*\n$/);
    }
    expect(await machine.json('cleanup', '--dry-run')).to.include({ listing: 'done', archives: 0 });
    expect(await machine.json('cleanup')).to.deep.include({ listing: 'done', orphans: 0, missing: [] });
    expect(await machine.json('cleanup')).to.include({ listing: 'not_due' });
    expect(await machine.json('cleanup', '--force')).to.include({ listing: 'done' });
    expect(await machine.run('cleanup')).to.deep.include({ code: 0, err: '' });
  });

  it('list what the next cleanup removes, and what ends soon', async () => {
    const { id, expires_at } = await publishAndClose();
    const soon = await machine.json('pins', 'list', '--ends-before', '2999-01-01');
    expect(soon.pins.map((pin: { readonly id: string }) => pin.id)).to.deep.equal([id]);
    const within = await machine.run('pins', 'list', '--ends-before', '30d');
    expect(within.out).to.include(expires_at);
    for (const early of ['1h', '2020-01-01'])
      expect((await machine.json('pins', 'list', '--ends-before', early)).pins).to.deep.equal([]);
    expect((await machine.run('pins', 'list', '--ends-before', 'soon')).code).to.equal(2);
    const both = ['--ends-before', '1h', '--state', 'expired'];
    expect((await machine.run('pins', 'list', ...both)).code).to.equal(2);
    const tonight = await machine.json('cleanup', '--dry-run', '--list', '--ends-before', '30d');
    expect(tonight).to.deep.include({ archives: 1, ending: [id] });
    const printed = await machine.run('cleanup', '--dry-run', '--list', '--ends-before', '30d');
    expect(printed.out)
      .to.include(expires_at)
      .and.match(/1 archive of publications that end by \S+Z would/);
    expect(await machine.json('cleanup', '--dry-run', '--ends-before', '1h')).to.include({ archives: 0 });
    await endLongAgo(id);
    const { ending, pins } = await machine.json('cleanup', '--dry-run', '--list', '--catch-up');
    expect([ending, pins.map((pin: Json) => pin.id)]).to.deep.equal([[id], [id]]);
    const { out } = await machine.run('cleanup', '--dry-run', '--list', '--catch-up');
    expect(out.split('\n')[0]).to.include(pins[0].shared_url).and.include(pins[0].deleted_at);
    const past = await machine.run('cleanup', '--dry-run', '--ends-before', '2020-01-01', '--catch-up');
    expect(past.out).to.include('1 archive of ended publications would be removed');
    for (const refused of [['--list'], ['--ends-before', '1h'], ['--dry-run', '--ends-before', 'soon']])
      expect((await machine.run('cleanup', ...refused)).code).to.equal(2);
  });

  it('fail to clean up if too many archives have no record', async () => {
    for (let name = 0; name < 21; name += 1) await plantOrphan(name);
    const planned = await machine.json('cleanup', '--dry-run', '--force');
    expect(planned).to.include({ unnamed: 21, orphans: 21, listing: 'done' });
    const { code, out, err } = await machine.run('cleanup', '--json');
    expect([code, JSON.parse(out).listing]).to.deep.equal([1, 'refused']);
    expect(err).to.include('--force');
    const again = await machine.run('cleanup');
    expect(again.code, 'the refusal stands').to.equal(1);
    expect(again.out).to.include('without a record: 21 of 21 archives older than a day');
    expect(await machine.json('cleanup', '--force')).to.include({ orphans: 21 });
  });

  it('report that more archives without a record wait for the next comparison', async () => {
    for (let name = 0; name < 1_003; name += 1) await plantOrphan(name);
    const forced = await machine.run('cleanup', '--force');
    expect(forced.code).to.equal(0);
    const waiting = (counts: string): RegExp =>
      new RegExp(`${counts} removed.*\\nwaiting .*: 3 archives .*--force`);
    expect(forced.out).to.match(waiting('1003 of 1003 .* 1000'));
    expect((await machine.run('cleanup')).out).to.match(waiting('3 of 3 .* 0'));
    const last = await machine.run('cleanup', '--force');
    expect(last.out).to.match(/3 of 3 [^\n]* 3 removed/);
    expect(last.out).not.to.include('waiting');
    expect((await machine.run('cleanup')).out).to.include('without a record: 0 of 0 archives');
  });

  /** An old archive that no record names. */
  async function plantOrphan(name: number): Promise<void> {
    const id = `1500000000000-00000000-0000-4000-8000-${String(name).padStart(12, '0')}`;
    const folder = join(machine.folder, 'data', 'archives', id.slice(0, 4), id.slice(4, 7));
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, id), 'orphan');
  }

  it('name the setting when there is no such bucket to clean up', async () => {
    const store = await startStub((request, response) => {
      const body = '<?xml version="1.0"?><Error><Code>NoSuchBucket</Code><Message>no</Message></Error>';
      request.resume().once('end', () => response.writeHead(404).end(body));
    });
    Object.assign(process.env, CREDENTIALS);
    const bucket = `s3://nowhere?endpoint=${store.url}`;
    const { code, err } = await run({ ...machine.env, PINFOLD_STORAGE_URL: bucket }, 'cleanup');
    for (const name of Object.keys(CREDENTIALS)) delete process.env[name];
    expect(code).to.equal(3);
    expect(err).to.match(/^pinfold: PINFOLD_STORAGE_URL [^\n]+"nowhere"[^\n]*\n$/);
  });

  for (const found of ['no folder', 'a folder of other things']) {
    it(`name the setting and create nothing if they find ${found}`, async () => {
      const { folder } = machine;
      const before = found === 'no folder' ? [] : ['elsewhere'];
      for (const name of before) await mkdir(join(folder, name, 'else'), { recursive: true });
      await expectNothingCreated(join(folder, 'elsewhere'));
      expect((await readdir(folder)).sort()).to.deep.equal(['data', ...before, 'my site']);
      for (const name of before) expect(await readdir(join(folder, name))).to.deep.equal(['else']);
    });
  }

  async function expectNothingCreated(elsewhere: string): Promise<void> {
    for (const args of [
      ['keys', 'create'],
      ['keys', 'list'],
      ['keys', 'revoke', 'x'],
      ['manage'],
      ['sessions', 'list'],
      ['mode'],
      ['pin', UNKNOWN],
      ['unpin', UNKNOWN],
      ['cleanup'],
      ['migrate'],
    ]) {
      const wrong = { PINFOLD_DATA_DIR: elsewhere };
      const { code, out, err } = await run(wrong, ...args);
      expect([code, out], args.join(' ')).to.deep.equal([1, '']);
      expect(err).to.match(/^pinfold: PINFOLD_DATA_DIR [^\n]+\n$/);
    }
  }

  it('serve until they are stopped', async () => {
    const child = spawnCommand(machine.env, 'serve');
    const ended = once(child, 'close');
    let output = '';
    for await (const chunk of child.stdout) {
      output += chunk;
      if (output.includes('listening')) child.kill('SIGTERM');
    }
    expect(await ended).to.deep.equal([0, null]);
  });

  it('name a wrong setting', async () => {
    for (const args of [['migrate'], ['keys', 'list']]) {
      const { code, err } = await run({ ...machine.env, PINFOLD_PORT: 'http' }, ...args);
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
  it('reports wrong usage in one line', async () => {
    for (const args of wrong) {
      const { code, out, err } = await run({}, ...args);
      expect([code, out], JSON.stringify(args)).to.deep.equal([2, '']);
      expect(err).to.match(/^pinfold: [^\n]+\n$/);
    }
  });

  it('prints its help and its version', async () => {
    const { code, out, err } = await run({}, 'help');
    expect([code, err]).to.deep.equal([0, '']);
    for (const option of ['--help', '-h']) expect((await run({}, option)).out).to.equal(out);
    const version = await run({}, 'version');
    expect(version.out).to.match(/^\d+\.\d+\.\d+(\+g[0-9a-f]{7})?\n$/);
    expect(await run({}, '--version')).to.deep.equal(version);
    expect(JSON.parse((await run({}, 'version', '--json')).out).version).to.be.a('string');
  });
});
