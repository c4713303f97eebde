import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openComposition } from '../../src/compose/composition.ts';
import { createApp } from '../../src/compose/create-app.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { run } from '../command-run.ts';

describe('pinfold accounts', function () {
  this.timeout(60_000);
  let folder: string;
  let env: Readonly<Record<string, string>>;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pinfold-accounts-'));
    env = { PINFOLD_DATA_DIR: join(folder, 'data'), PINFOLD_PORT: '0', PINFOLD_WELCOME: 'off' };
    await (await openComposition(readSettings(env))).close();
  });

  afterEach(() => rm(folder, { recursive: true }));

  const asJson = async (...args: readonly string[]) =>
    JSON.parse((await run(env, 'accounts', ...args, '--json')).out);

  it('lists accounts, and shows one', async () => {
    for (const name of ['grace', 'ada']) await run(env, 'keys', 'create', '--account', name);
    const { accounts } = await asJson('list');
    expect(accounts.map(({ name }: { name: string }) => name)).to.deep.equal(['ada', 'grace']);
    expect((await asJson('show', 'ada')).account).to.deep.equal(accounts[0]);
    expect((await run(env, 'accounts', 'list')).out).to.match(
      /^ada {2}0 sites {2}0 bytes .*\ngrace [^\n]*\n$/,
    );
    const unknown = await run(env, 'accounts', 'show', 'nobody');
    expect(unknown.code).to.equal(1);
    expect(unknown.err).to.match(/^pinfold: there is no account of this name[^\n]*\n$/);
  });

  it('shows names, labels and reasons so that they turn nothing around', async () => {
    const turning = 'a\u202eb';
    const options = ['--reason', turning, '--sites', 'keep'];
    expect((await run(env, 'keys', 'create', '--account', turning, '--label', turning)).code).to.equal(0);
    const told = [
      await run(env, 'accounts', 'block', turning, ...options),
      await run(env, 'accounts', 'list'),
      await run(env, 'keys', 'list'),
      await run(env, 'history'),
    ];
    for (const { out } of told)
      expect(out)
        .to.include('a\ufffdb')
        .and.not.match(/\p{Bidi_Control}/u);
  });

  it('sets limits, each by itself, and takes them back', async () => {
    const set = await asJson('limits', 'ada', '--publications', '5/1h', '--sites', '3', '--bytes', 'off');
    const limits = { requests: null, publications: '5/1h', sites: 3, bytes: 'off' };
    expect(set.account.limits).to.deep.equal(limits);
    const back = await asJson('limits', 'ada', '--sites', 'default');
    expect(back.account.limits).to.deep.equal({ ...limits, sites: null });
    const wrong = [[], ['--sites', 'many'], ['--requests', '5'], ['--bytes', '-1']];
    for (const options of wrong) {
      expect((await run(env, 'accounts', 'limits', 'ada', ...options)).code, options.join(' ')).to.equal(2);
    }
  });

  it('blocks and unblocks, in the name of the user', async () => {
    const unknown = await run(env, 'accounts', 'block', 'ada', '--reason', 'Phishing', '--json');
    expect([unknown.code, JSON.parse(unknown.out).error.code]).to.deep.equal([1, 'not_found']);
    const { account } = await asJson('block', 'ada', '--reason', 'Phishing', '--create');
    expect(account.blocked).to.include({ reason: 'Phishing', sites: 'keep' });
    expect((await run(env, 'accounts', 'show', 'ada')).out).to.include('blocked, sites keep: Phishing');
    expect((await asJson('unblock', 'ada')).account.blocked).to.equal(null);
    const { events } = JSON.parse((await run(env, 'history', '--account', 'ada', '--json')).out);
    expect(events.map(({ type }: { type: string }) => type)).to.have.members([
      'account.unblocked',
      'account.blocked',
    ]);
    expect(events[0].actor).to.deep.equal({ kind: 'operator', id: userInfo().username });
    for (const options of [[], ['--reason', ''], ['--reason', 'x', '--sites', 'gone']]) {
      expect((await run(env, 'accounts', 'block', 'ada', ...options)).code, options.join(' ')).to.equal(2);
    }
    expect((await run(env, 'accounts', 'close', 'ada')).code).to.equal(2);
  });

  it('hides the sites of an account', async () => {
    const { code, err } = await run(
      env,
      'accounts',
      'block',
      'ada',
      '--reason',
      'x',
      '--sites',
      'hide',
      '--create',
    );
    expect(`${code}${err}`).to.equal('0');
    expect((await run(env, 'accounts', 'show', 'ada')).out).to.include('blocked, sites hide: x');
  });

  it('makes the keys that administer a running server', async () => {
    const app = await createApp(readSettings(env), { log: () => undefined });
    const { addresses } = await app.listen();
    const key = (await run(env, 'keys', 'create', '--account', 'ops', '--scope', 'admin')).out.trim();
    const answer = await fetch(`${addresses.publicUrl}/admin/v1/accounts/ops`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(answer.status).to.equal(200);
    expect((await fetch(`${addresses.publicUrl}/admin/v1/accounts`)).status).to.equal(401);
    await app.close();
  });
});
