import { ofEachTest } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { callApi } from '../servers/api-calls.ts';
import { serve } from '../servers/served.ts';

describe('pinfold mode', () => {
  const machine = ofEachTest(() => serve());

  const runJson = async (...args: readonly string[]) => (await machine.json('mode', ...args)).service;

  it('prints the mode, and changes it with an event in the history', async () => {
    expect(await runJson()).to.deep.equal({ mode: 'normal', message: null });
    const readOnly = { mode: 'read_only', message: 'Back at noon' };
    expect(await runJson('read_only', '--message', 'Back at noon')).to.deep.equal(readOnly);
    expect(await runJson()).to.deep.equal(readOnly);
    expect((await machine.run('mode')).out).to.equal('read_only: Back at noon\n');
    expect((await machine.run('mode', 'normal')).out).to.equal('normal\n');
    const { events } = await machine.json('history');
    const changes = events
      .filter(({ account }: { account: unknown }) => account === null)
      .map(({ type, account }: { type: string; account: unknown }) => [type, account]);
    expect(changes).to.deep.equal([
      ['service.mode_changed', null],
      ['service.mode_changed', null],
    ]);
  });

  it('refuses an unknown mode, and a message without a mode', async () => {
    const wrong = [['off'], ['--message', 'x'], ['normal', '--message', 'x'], ['read_only', '--message', '']];
    for (const args of wrong) expect((await machine.run('mode', ...args)).code, args.join(' ')).to.equal(2);
  });

  it('stops publishing and cleanup, and no other command', async () => {
    await machine.run('mode', 'read_only', '--message', 'Back at noon');
    const refused = await callApi(machine.url, machine.key, 'POST', '/api/v1/pins');
    expect(refused.status).to.equal(503);
    expect(await refused.text()).to.include('"detail":"Back at noon"');
    expect((await machine.run('keys', 'create', '--account', 'ada')).code).to.equal(0);
    const blocked = await machine.run('accounts', 'block', 'ada', '--reason', 'x');
    expect(blocked.code).to.equal(0);
    expect((await machine.run('keys', 'create', '--account', 'ada')).code, 'of a blocked account').to.equal(
      0,
    );
    const swept = await machine.run('cleanup');
    expect(swept.code).to.equal(1);
    expect(swept.err).to.match(/^pinfold: the service is read-only, so nothing was removed/);
    const report = await machine.run('cleanup', '--json');
    expect([report.code, JSON.parse(report.out).rested]).to.deep.equal([1, true]);
    expect((await machine.run('cleanup', '--dry-run')).code).to.equal(0);
  });
});
