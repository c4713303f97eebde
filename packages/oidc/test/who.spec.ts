import { type AccountId, hours } from '@pinfold/core';
import { expect } from 'chai';
import { parseClaimRule } from '../src/index.ts';
import { expectNoSignIn, openScreen, type Screen, type ScreenOptions } from './open-screen.ts';
import { type BrowserAnswer, TestBrowser } from './test-browser.ts';

describe('people who sign in by OpenID Connect', () => {
  let screen: Screen;
  let ada: TestBrowser;
  beforeEach(() => {
    ada = new TestBrowser();
  });
  afterEach(() => screen.close());

  const open = async (options?: ScreenOptions): Promise<void> => {
    screen = await openScreen(options);
  };
  const expectRefused = (answer: BrowserAnswer, status: number, outcome: string): Promise<void> =>
    expectNoSignIn(screen, ada, answer, status, outcome);

  it('are admitted if they meet the conditions of the settings; others see the name they signed in with', async () => {
    await open({ client: { require: parseClaimRule('groups=staff') } });
    screen.issuer.people.set('eve', { name: '<b>Eve</b>', groups: ['guests'] });
    const answer = await screen.signIn(ada, 'eve');
    await expectRefused(answer, 403, 'not_allowed');
    expect(screen.log.find(({ outcome }) => outcome === 'sign_in_not_allowed')).to.include({
      account: 'oidc:eve',
      reason: 'unmet conditions: groups=staff; received claims: aud, exp, groups, iat, iss, name, nonce, sub',
    });
    expect(answer.text).to.include('&lt;b&gt;Eve&lt;/b&gt;').and.include(`${screen.issuer.url}/session/end`);
    expect(await screen.events('oidc:eve'), 'no event of a stranger').to.deep.equal([]);
    expect((await screen.signIn(new TestBrowser(), 'ada')).location).to.equal(`${screen.base}/`);
    screen.issuer.people.set('ada', { groups: [] });
    for (let n = 0; n < 2; n += 1) {
      expect((await screen.signIn(new TestBrowser(), 'ada')).status).to.equal(403);
    }
    const types = (await screen.events()).map(({ type }) => type);
    expect(types, 'once a minute').to.have.members(['session.refused', 'session.started']);
  });

  it('administer for an hour if they are administrators, or else manage for twelve', async () => {
    await open({ client: { admins: parseClaimRule('email=ada@example.com&groups=staff') } });
    screen.issuer.people.set('bob', { email: 'bob@example.com', email_verified: true });
    const bob = new TestBrowser();
    await screen.signIn(ada, 'ada');
    await screen.signIn(bob, 'bob');
    const sessionOf = (who: TestBrowser) =>
      screen.service.sessions.find(who.cookiesOf(screen.base).get('pinfold_session') ?? '');
    expect((await sessionOf(ada))?.scope).to.equal('admin');
    expect((await sessionOf(bob))?.scope).to.equal('manage');
    expect((await ada.get(`${screen.base}/administration`)).status).to.equal(200);
    expect((await bob.get(`${screen.base}/administration`)).status).to.equal(404);
    screen.service.clock.advance(hours(1));
    expect(await sessionOf(ada)).to.equal(undefined);
    screen.service.clock.advance(hours(10));
    expect((await sessionOf(bob))?.account).to.equal('oidc:bob');
  });

  it('are refused in their language while their account is being erased, and get a new account afterwards', async () => {
    await open();
    await screen.signIn(new TestBrowser(), 'ada');
    const { administration, sessions } = screen.service;
    await administration.eraseAccount('oidc:ada', { actor: { kind: 'operator', id: null } });
    for (const [language, text] of [
      ['en', 'This account is being erased and can no longer change.'],
      ['ja', 'このアカウントは消去中です。'],
    ] as const) {
      const { location = '' } = await screen.leadToReturn(ada, 'ada');
      const answer = await ada.get(location, language);
      expect(answer.status).to.equal(403);
      expect(answer.text).to.include(text);
      expect([...ada.cookiesOf(screen.base).keys()]).not.to.include('pinfold_session');
    }
    expect(screen.log.find(({ outcome }) => outcome === 'account_blocked')).to.include({
      account: 'oidc:ada',
    });
    await administration.finishErasure('oidc:ada' as AccountId);
    expect((await screen.signIn(ada, 'ada')).location).to.equal(`${screen.base}/`);
    const token = ada.cookiesOf(screen.base).get('pinfold_session') ?? '';
    expect((await sessions.find(token))?.account).to.equal('oidc:ada');
  });

  it('are refused without a claim that names them', async () => {
    await open({ client: { accountClaim: 'email', accountPrefix: '' } });
    screen.issuer.people.set('eve', { email: 'ada@example.com', email_verified: false });
    await expectRefused(await screen.signIn(ada, 'eve'), 403, 'nameless');
    const other = new TestBrowser();
    await screen.signIn(other, 'ada');
    const token = other.cookiesOf(screen.base).get('pinfold_session') ?? '';
    expect((await screen.service.sessions.find(token))?.account).to.equal('ada@example.com');
  });
});
