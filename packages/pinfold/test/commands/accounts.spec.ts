import { userInfo } from 'node:os';
import { ofEachTest } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { openMachine, serve } from '../servers/served.ts';

describe('pinfold accounts', () => {
  const machine = ofEachTest(openMachine);

  const asJson = (...args: readonly string[]) => machine.json('accounts', ...args);

  it('lists accounts, and shows one', async () => {
    for (const name of ['grace', 'ada']) await machine.run('keys', 'create', '--account', name);
    const { accounts } = await asJson('list');
    expect(accounts.map(({ name }: { name: string }) => name)).to.deep.equal(['ada', 'grace']);
    expect((await asJson('show', 'ada')).account).to.deep.equal(accounts[0]);
    expect((await machine.run('accounts', 'list')).out).to.match(
      /^ada {2}0 sites {2}0 bytes .*\ngrace [^\n]*\n$/,
    );
    const unknown = await machine.run('accounts', 'show', 'nobody');
    expect(unknown.code).to.equal(1);
    expect(unknown.err).to.match(/^pinfold: there is no account of this name[^\n]*\n$/);
  });

  it('shows names, labels and reasons so that they turn nothing around', async () => {
    const turning = 'a\u202eb';
    const options = ['--reason', turning, '--sites', 'keep'];
    expect((await machine.run('keys', 'create', '--account', turning, '--label', turning)).code).to.equal(0);
    const told = [
      await machine.run('accounts', 'block', turning, ...options),
      await machine.run('accounts', 'list'),
      await machine.run('keys', 'list'),
      await machine.run('history'),
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
      expect((await machine.run('accounts', 'limits', 'ada', ...options)).code, options.join(' ')).to.equal(
        2,
      );
    }
  });

  it('blocks and unblocks, in the name of the user', async () => {
    const unknown = await machine.run('accounts', 'block', 'ada', '--reason', 'Phishing', '--json');
    expect([unknown.code, JSON.parse(unknown.out).error.code]).to.deep.equal([1, 'not_found']);
    const { account } = await asJson('block', 'ada', '--reason', 'Phishing', '--create');
    expect(account.blocked).to.include({ reason: 'Phishing', sites: 'keep' });
    expect((await machine.run('accounts', 'show', 'ada')).out).to.include('blocked, sites keep: Phishing');
    expect((await asJson('unblock', 'ada')).account.blocked).to.equal(null);
    const { events } = JSON.parse((await machine.run('history', '--account', 'ada', '--json')).out);
    expect(events.map(({ type }: { type: string }) => type)).to.have.members([
      'account.unblocked',
      'account.blocked',
    ]);
    expect(events[0].actor).to.deep.equal({ kind: 'operator', id: userInfo().username });
    for (const options of [[], ['--reason', ''], ['--reason', 'x', '--sites', 'gone']]) {
      expect((await machine.run('accounts', 'block', 'ada', ...options)).code, options.join(' ')).to.equal(2);
    }
    expect((await machine.run('accounts', 'close', 'ada')).code).to.equal(2);
  });

  it('makes the keys that administer a running server', async () => {
    const { run, url } = await serve();
    const key = (await run('keys', 'create', '--account', 'ops', '--scope', 'admin')).out.trim();
    const headers = { authorization: `Bearer ${key}` };
    expect((await fetch(`${url}/admin/v1/accounts/ops`, { headers })).status).to.equal(200);
    expect((await fetch(`${url}/admin/v1/accounts`)).status).to.equal(401);
  });
});
