import { userInfo } from 'node:os';
import { ofEachTest } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { compose } from '../../src/compose/compose.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { openMachine } from '../servers/served.ts';

describe('pinfold sessions', () => {
  const machine = ofEachTest(() => openMachine({ PINFOLD_PUBLIC_URL: 'http://localhost:1' }));

  /** Signs in by a link that the command prints. */
  async function signIn(...args: readonly string[]): Promise<void> {
    const { url } = await machine.json('manage', ...args);
    const composition = await compose(readSettings(machine.env));
    const sessions = composition.manageSessions;
    const started = await sessions.redeem(new URL(url).searchParams.get('link') ?? '');
    expect(started?.kind).to.equal('started');
    await composition.close();
  }

  const listSessions = async (...args: readonly string[]): Promise<readonly Record<string, unknown>[]> =>
    (await machine.json('sessions', 'list', ...args)).sessions;

  it('lists sessions with their scope and the creator of their link', async () => {
    await signIn('--account', 'ada');
    await signIn('--account', 'ops', '--admin');
    expect(await listSessions()).to.have.length(2);
    const [ada, ...others] = await listSessions('--account', 'ada');
    expect(others).to.deep.equal([]);
    expect(ada).to.deep.include({ account: 'ada', scope: 'manage', display_name: null });
    expect(ada?.actor).to.deep.equal({ kind: 'operator', id: userInfo().username });
    const [ops] = await listSessions('--account', 'ops');
    expect(ops).to.include({ account: 'ops', scope: 'admin' });
    const line = (await machine.run('sessions', 'list', '--account', 'ops')).out;
    expect(line).to.match(new RegExp(`^${ops?.id}  ops  admin  operator \\S+  since \\S+  until \\S+\n$`));
  });

  it('ends one session, and records it in the history', async () => {
    await signIn('--account', 'ada');
    await signIn('--account', 'ada');
    const [one, other] = await listSessions();
    const ended = await machine.run('sessions', 'end', String(one?.id));
    expect(ended).to.deep.equal({ code: 0, out: `${one?.id} is signed out.\n`, err: '' });
    expect(await listSessions()).to.deep.equal([other]);
    const { events } = await machine.json('history', '--account', 'ada');
    expect(events[0]).to.include({ type: 'session.ended', account: 'ada' });
    expect(events[0].actor).to.deep.equal({ kind: 'operator', id: userInfo().username });
    for (const id of [String(one?.id), 'nobody', '%']) {
      const unknown = await machine.run('sessions', 'end', id);
      expect(unknown.code, id).to.equal(1);
      expect(unknown.err).to.match(/^pinfold: no session has this id[^\n]*\n$/);
    }
    expect((await machine.run('sessions', 'close')).code).to.equal(2);
  });

  it('ends all sessions of an account, or all', async () => {
    for (const account of ['ada', 'ada', 'grace', 'hedy']) await signIn('--account', account);
    const ofAda = (await listSessions('--account', 'ada')).map(({ id }) => id);
    const { ended } = await machine.json('sessions', 'end', '--account', 'ada');
    expect(ended).to.have.members(ofAda);
    expect((await listSessions()).map(({ account }) => account)).to.have.members(['grace', 'hedy']);
    const all = await machine.run('sessions', 'end', '--all');
    expect(all).to.deep.equal({ code: 0, out: '2 sessions ended.\n', err: '' });
    expect(await listSessions()).to.deep.equal([]);
    const wrong = [[], ['--account', 'ada', '--all'], ['9f86d081884c7d65', '--all']];
    for (const args of wrong) expect((await machine.run('sessions', 'end', ...args)).code).to.equal(2);
  });
});
