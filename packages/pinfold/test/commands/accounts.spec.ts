import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { ofEachTest } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { failureOf, runPiped } from '../command-run.ts';
import { callApi, publishPin } from '../servers/api-calls.ts';
import { openMachine, serve } from '../servers/served.ts';

describe('pinfold accounts', () => {
  const machine = ofEachTest(openMachine);

  const runJson = (...args: readonly string[]) => machine.json('accounts', ...args);

  it('lists accounts, and shows one', async () => {
    for (const name of ['grace', 'ada']) await machine.run('keys', 'create', '--account', name);
    const { accounts } = await runJson('list');
    expect(accounts.map(({ name }: { name: string }) => name)).to.deep.equal(['ada', 'grace']);
    expect((await runJson('show', 'ada')).account).to.deep.equal(accounts[0]);
    expect((await machine.run('accounts', 'list')).out).to.match(
      /^ada {2}0 sites {2}0 bytes .*\ngrace [^\n]*\n$/,
    );
    const unknown = await machine.run('accounts', 'show', 'nobody');
    expect(unknown.code).to.equal(1);
    expect(unknown.err).to.match(/^pinfold: no account has this name[^\n]*\n$/);
  });

  it('shows names, labels and reasons without characters that change the text direction', async () => {
    const reordered = 'a\u202eb';
    const options = ['--reason', reordered, '--sites', 'keep'];
    expect((await machine.run('keys', 'create', '--account', reordered, '--label', reordered)).code).to.equal(
      0,
    );
    const results = [
      await machine.run('accounts', 'block', reordered, ...options),
      await machine.run('accounts', 'list'),
      await machine.run('keys', 'list'),
      await machine.run('history'),
    ];
    for (const { out } of results)
      expect(out)
        .to.include('a\ufffdb')
        .and.not.match(/\p{Bidi_Control}/u);
  });

  it('sets and removes each limit separately', async () => {
    const set = await runJson('limits', 'ada', '--publications', '5/1h', '--sites', '3', '--bytes', 'off');
    const limits = { requests: null, publications: '5/1h', sites: 3, bytes: 'off' };
    expect(set.account.limits).to.deep.equal(limits);
    const back = await runJson('limits', 'ada', '--sites', 'default');
    expect(back.account.limits).to.deep.equal({ ...limits, sites: null });
    const wrong = [[], ['--sites', 'many'], ['--requests', '5'], ['--bytes', '-1']];
    for (const options of wrong) {
      expect((await machine.run('accounts', 'limits', 'ada', ...options)).code, options.join(' ')).to.equal(
        2,
      );
    }
  });

  it('blocks and unblocks, and records the user', async () => {
    expect(
      failureOf(await machine.run('accounts', 'block', 'ada', '--reason', 'Phishing', '--json')),
    ).to.equal('1 not_found');
    const { account } = await runJson('block', 'ada', '--reason', 'Phishing', '--create');
    expect(account.blocked).to.include({ reason: 'Phishing', sites: 'keep' });
    expect((await machine.run('accounts', 'show', 'ada')).out).to.include('blocked, sites keep: Phishing');
    expect((await runJson('unblock', 'ada')).account.blocked).to.equal(null);
    const { events } = JSON.parse((await machine.run('history', '--account', 'ada', '--json')).out);
    expect(events.map(({ type }: { type: string }) => type)).to.have.members([
      'account.unblocked',
      'account.blocked',
    ]);
    expect(events[0].actor).to.deep.equal({ kind: 'operator', id: userInfo().username });
    for (const options of [[], ['--reason', ''], ['--reason', 'x', '--sites', 'gone']]) {
      expect((await machine.run('accounts', 'block', 'ada', ...options)).code, options.join(' ')).to.equal(2);
    }
    expect((await machine.run('accounts', 'block', 'ada')).err).to.include('--reason is missing');
    expect((await machine.run('accounts', 'close', 'ada')).code).to.equal(2);
  });

  it('creates keys that administer a running server', async () => {
    const { run, url } = await serve();
    const key = (await run('keys', 'create', '--account', 'ops', '--scope', 'admin')).out.trim();
    expect((await callApi(url, key, 'GET', '/admin/v1/accounts/ops')).status).to.equal(200);
    expect((await fetch(`${url}/admin/v1/accounts`)).status).to.equal(401);
  });

  it('erases an account, prints what is out of reach, and erases the accounts of a list again', async () => {
    const name = 'Zoë\u202e "x"';
    for (const account of [name, 'ada']) await machine.run('keys', 'create', '--account', account);
    const { code, out } = await machine.run('accounts', 'erase', name, '--yes');
    expect(code).to.equal(0);
    expect(out).to.include('earlier backups');
    const line = out.trimEnd().split('\n').at(-1) ?? '';
    expect(JSON.parse(line)).to.equal(name);
    const { accounts } = await runJson('list');
    expect(accounts[0].name).to.equal('ada');
    expect(accounts[1].name).to.match(/^erased:/);
    expect(accounts).to.have.length(2);
    expect(JSON.stringify(JSON.parse((await machine.run('history', '--json')).out))).to.not.include('Zoë');
    const list = join(machine.folder, 'erased.jsonl');
    await machine.run('keys', 'create', '--account', name);
    await writeFile(list, `${line}\n\n"nobody"\n`);
    // The user confirmed each account when it was erased first, so the command does not ask.
    expect(await runJson('erase', '--list', list)).to.deep.equal({ erased: 1, passed_over: 1 });
    expect(await runJson('erase', '--list', list, '--yes')).to.deep.equal({ erased: 0, passed_over: 2 });
    await machine.run('keys', 'create', '--account', name);
    const piped = await runPiped(line, machine.env, 'accounts', 'erase', '--list', '-');
    expect([piped.code, piped.out]).to.deep.equal([0, '1 account erased, 0 not there.\n']);
    expect((await runJson('erase', 'ada', '--yes')).list_line).to.equal('"ada"');
    await writeFile(list, 'ada\n');
    expect((await machine.run('accounts', 'erase', '--list', list, '--yes')).code).to.equal(1);
  });

  it('lists the remains of an erased account with the time of its last publication', async () => {
    const { run, json, url } = await serve();
    const key = (await run('keys', 'create', '--account', 'ada')).out.trim();
    await publishPin(url, key, 'only');
    const lastPublished = async () => {
      const { accounts } = await json('accounts', 'list');
      return accounts.map((one: Readonly<Record<string, unknown>>) => one.last_published_at);
    };
    const [before] = await lastPublished();
    expect(before).to.be.a('string');
    await run('accounts', 'erase', 'ada', '--yes');
    expect(await lastPublished()).to.deep.equal([null, before]);
  });

  it('erases neither unknown accounts nor the default one, and creates no key for an erased one', async () => {
    await machine.run('keys', 'create');
    await machine.run('keys', 'create', '--account', 'ada');
    const erase = async (...args: readonly string[]) =>
      failureOf(await machine.run('accounts', 'erase', ...args, '--json'));
    expect(await erase('nobody', '--yes')).to.equal('1 not_found');
    expect(await erase('default', '--yes')).to.equal('1 invalid_state');
    expect(await erase('ada'), 'without a terminal').to.equal('2 usage');
    expect(await erase('ada', '--list', 'x', '--yes')).to.equal('2 usage');
    expect(await erase('--list', ''), 'an unset variable of a script').to.equal('2 usage');
    await machine.run('accounts', 'erase', 'ada', '--yes');
    const { accounts } = await runJson('list');
    const [{ name }] = accounts.filter((one: { name: string }) => one.name.startsWith('erased:'));
    expect(await erase(name, '--yes')).to.equal('1 invalid_state');
    expect((await machine.run('keys', 'create', '--account', name)).code).to.equal(2);
    expect((await machine.run('accounts', 'unblock', name)).code).to.equal(1);
    expect((await machine.run('accounts', 'limits', name, '--sites', '3')).code).to.equal(1);
  });

  it('reads a list in UTF-16, and erases no account by a list in another encoding', async () => {
    for (const account of ['Zoë', 'ada']) await machine.run('keys', 'create', '--account', account);
    const lines = '\uFEFF"ada"\r\n"Zoë"\r\n';
    const list = await machine.write('erased.jsonl', Buffer.from(lines, 'latin1'));
    const { code, out, err } = await machine.run('accounts', 'erase', '--list', list, '--json');
    expect(failureOf({ code, out })).to.equal('1 unreadable');
    expect(err).to.include('write it in UTF-8');
    expect((await machine.run('accounts', 'show', 'ada')).code).to.equal(0);
    await writeFile(list, Buffer.from(lines, 'utf16le'));
    expect(await runJson('erase', '--list', list)).to.deep.equal({ erased: 2, passed_over: 0 });
  });

  it('refuses names and reasons of a terminal with another encoding than UTF-8', async () => {
    const lossy = 'Zo\ufffd';
    for (const args of [
      ['keys', 'create', '--account', lossy],
      ['keys', 'create', '--label', lossy],
      ['accounts', 'block', 'ada', '--create', '--reason', lossy],
      ['mode', 'read_only', '--message', lossy],
    ]) {
      const { code, err } = await machine.run(...args);
      expect([code, err.includes('not in UTF-8')], args.join(' ')).to.deep.equal([2, true]);
    }
    expect((await runJson('list')).accounts).to.deep.equal([]);
  });

  it('erases the rest of a list that names the default account, and reports that', async () => {
    for (const account of ['ada', 'zoe']) await machine.run('keys', 'create', '--account', account);
    const list = await machine.write('erased.jsonl', '"ada"\r\n"default"\r\n"zoe"');
    const { code, out, err } = await machine.run('accounts', 'erase', '--list', list, '--yes');
    expect([code, out]).to.deep.equal([1, '']);
    expect(err).to.include('2 accounts erased').and.include('line 2');
    for (const account of ['ada', 'zoe']) {
      expect((await machine.run('accounts', 'show', account)).code, account).to.equal(1);
    }
  });

  it('prints the line for the list even if archives are left', async () => {
    const { run, env, write } = await serve();
    const page = await write('site/index.html', '<!doctype html><title>A</title>');
    expect((await run('publish', dirname(page), '--account', 'ada')).code).to.equal(0);
    const archives = join(String(env.PINFOLD_DATA_DIR), 'archives');
    const found = await readdir(archives, { recursive: true, withFileTypes: true });
    const file = found.find((entry) => entry.isFile());
    if (file === undefined) throw new Error('there is no archive');
    // No file system removes a folder like a file.
    await rm(join(file.parentPath, file.name));
    await mkdir(join(file.parentPath, file.name));
    const { code, out, err } = await run('accounts', 'erase', 'ada', '--yes');
    expect(code).to.equal(3);
    expect(out).to.match(/\n"ada"\n$/);
    expect(err).to.include('or another process has claimed them; run the command again in ten minutes');
    expect((await run('accounts', 'erase', 'ada', '--yes', '--json')).code).to.equal(3);
    const listed = await run('accounts', 'erase', '--list', await write('erased.jsonl', '"zoe"\n"ada"\n'));
    expect(listed.code).to.equal(3);
    expect(listed.err).to.include('0 accounts erased, 1 not there. Of 1 account, archives are left');
  });

  it('refuses keys and links to an account that the API erases in read-only mode, which cleanup finishes', async () => {
    const { run, url } = await serve();
    const admin = (await run('keys', 'create', '--account', 'ops', '--scope', 'admin')).out.trim();
    const adaKey = (await run('keys', 'create', '--account', 'ada')).out.trim();
    const erase = (name: string, body?: object) =>
      callApi(url, admin, 'POST', `/admin/v1/accounts/${name}/erase`, body);
    expect((await erase('nobody')).status).to.equal(404);
    expect((await erase('default')).status).to.equal(409);
    expect((await erase('ada', { reason: 'x' })).status).to.equal(422);
    await run('mode', 'read_only');
    for (const body of [undefined, {}]) {
      const begun = await erase('ada', body);
      expect(begun.status).to.equal(202);
      const { account } = (await begun.json()) as { account: { name: string; erasing: boolean } };
      expect(account).to.include({ name: 'ada', erasing: true });
    }
    expect((await callApi(url, adaKey, 'GET', '/api/v1/pins')).status).to.equal(401);
    for (const command of [['keys', 'create'], ['manage']]) {
      const refused = await run(...command, '--account', 'ada');
      expect([refused.code, refused.out], command[0]).to.deep.equal([1, '']);
      expect(refused.err, command[0]).to.include('the account is being erased');
    }
    const patched = await callApi(url, admin, 'PATCH', '/admin/v1/accounts/ada', { blocked: false });
    expect(patched.status).to.equal(409);
    expect(await patched.json()).to.include({ code: 'invalid_state' });
    await run('cleanup');
    expect((await erase('ada')).status).to.equal(404);
    expect((await callApi(url, admin, 'GET', '/admin/v1/accounts/ada')).status).to.equal(404);
  });
});
