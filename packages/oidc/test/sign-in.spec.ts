import { after, hours, instant, minutes, seconds } from '@pinfold/core';
import { expect } from 'chai';
import { CLIENT_SECRET } from 'pinfold-test-servers/issuer';
import { expectNoSignIn, openScreen, type Screen, type ScreenOptions, throughIssuer } from './open-screen.ts';
import { type BrowserAnswer, TestBrowser } from './test-browser.ts';

describe('signing in by OpenID Connect', () => {
  let screen: Screen;
  let ada: TestBrowser;
  beforeEach(async () => {
    ada = new TestBrowser();
    screen = await openScreen();
  });
  afterEach(() => screen.close());

  const reopen = async (options: ScreenOptions): Promise<void> => {
    await screen.close();
    screen = await openScreen(options);
  };
  const page = (path = '/'): Promise<BrowserAnswer> => ada.get(`${screen.base}${path}`);

  /** The token of the form on the page. */
  const formIn = ({ text }: BrowserAnswer): string => /name="form" value="([^"]+)"/.exec(text)?.[1] ?? '';
  /** Goes to the issuer, refuses to sign in there, and returns to the screen. */
  const decline = async (): Promise<BrowserAnswer> => {
    const form = await ada.follow(await page('/sign-in/oidc/begin'));
    const abort = /href="([^"]+\/abort)"/.exec(form.text)?.[1] ?? '';
    const back = await ada.follow(await ada.get(new URL(abort, screen.issuer.url).href), screen.redirectUri);
    return await ada.get(back.location ?? '');
  };
  const expectRefused = (answer: BrowserAnswer, status: number, outcome: string): Promise<void> =>
    expectNoSignIn(screen, ada, answer, status, outcome);

  it('is offered, leads to the issuer, and back to the requested page', async () => {
    const shown = await ada.follow(await page('/keys'));
    expect(shown.text).to.include('Sign in with Example');
    const href = /href="(\/manage\/sign-in\/oidc\/begin[^"]*)"/.exec(shown.text)?.[1] ?? '';
    const begun = await ada.get(new URL(href, screen.base).href);
    const query = new URL(begun.location ?? '').searchParams;
    expect(begun.location).to.match(new RegExp(`^${screen.issuer.url}/auth\\?`));
    expect(Object.fromEntries(query)).to.include({
      response_type: 'code',
      redirect_uri: screen.redirectUri,
      scope: 'openid email profile',
      code_challenge_method: 'S256',
    });
    for (const name of ['state', 'nonce', 'code_challenge']) expect(query.get(name)).to.match(/^[\w-]{40,}$/);
    const back = await throughIssuer(ada, begun, 'ada', screen.redirectUri);
    const inside = await ada.get(back.location ?? '');
    expect(inside.location).to.equal(`${screen.base}/keys`);
    expect((await ada.get(inside.location ?? '')).text).to.include('Ada L.');
    const [started] = await screen.events();
    expect(started).to.deep.include({
      type: 'session.started',
      account: 'oidc:ada',
      actor: { kind: 'person', id: 'ada' },
    });
  });

  it('stores the state for ten minutes in a signed cookie, which browsers send on the way back from the issuer', async () => {
    const begun = await ada.get(`${screen.base}/sign-in/oidc/begin`);
    const cookie = begun.cookies.find((line) => line.startsWith('pinfold_oidc='));
    expect(cookie).to.match(/; Path=\/manage; Max-Age=600; HttpOnly; SameSite=Lax$/);
    const inside = await screen.signIn(ada, 'ada');
    expect(inside.cookies.find((line) => line.startsWith('pinfold_oidc='))).to.include('Max-Age=0');
  });

  it('continues with a page, not a redirect, if the browser sends no fetch metadata, so that it sends all cookies', async () => {
    const { location } = await screen.leadToReturn(ada, 'ada', '/keys');
    const cookie = ada.cookieHeader(screen.base);
    const headers = { cookie, accept: 'text/html,*/*;q=0.8' };
    const answer = await fetch(location ?? '', { redirect: 'manual', headers });
    expect(answer.status).to.equal(200);
    expect(await answer.text()).to.include('http-equiv="refresh" content="0; url=/manage/keys"');
    expect(answer.headers.getSetCookie().join()).to.include('pinfold_session=');
  });

  it('keeps no token, and logs no secret', async () => {
    const back = await screen.leadToReturn(ada, 'ada');
    const { searchParams } = new URL(back.location ?? '');
    await ada.get(back.location ?? '');
    const session = ada.cookiesOf(screen.base).get('pinfold_session') ?? '';
    const stored = await screen.service.sessions.find(session);
    expect(Object.keys(stored ?? {}).sort()).to.deep.equal(
      ['account', 'actor', 'apiKey', 'displayName', 'endsAt', 'scope', 'startedAt', 'tokenHash'].sort(),
    );
    const log = JSON.stringify(screen.log);
    for (const secret of [
      session,
      searchParams.get('code') ?? '',
      searchParams.get('state') ?? '',
      CLIENT_SECRET,
    ]) {
      expect(secret.length).to.be.greaterThan(20);
      expect(log).not.to.include(secret);
    }
  });

  it('leads to the sign-out of the issuer after a sign-out, only for people who signed in there', async () => {
    await screen.signIn(ada, 'ada');
    const form = formIn(await page());
    const window = ada.openWindow();
    const out = await ada.post(`${screen.base}/sign-out`, { form });
    expect(out.status).to.equal(200);
    const end = `${screen.issuer.url}/session/end?client_id=pinfold`;
    expect(out.text).to.include(`http-equiv="refresh" content="0; url=${end}"`);
    expect((await window.get(`${screen.base}/`)).location).to.equal(`${screen.base}/sign-in`);
    expect((await screen.events()).map(({ type }) => type)).to.have.members([
      'session.started',
      'session.ended',
    ]);
    expect((await ada.get(end)).status).to.equal(200);

    const { token } = await screen.service.sessions.offerLink('owner');
    await ada.post(`${screen.base}/sign-in`, { form: formIn(await page('/sign-in')), link: token });
    const home = await ada.post(`${screen.base}/sign-out`, { form: formIn(await page()) });
    expect(home.location).to.equal(`${screen.base}/sign-in`);
  });

  it('explains that the person declined at the issuer', async () => {
    const answer = await decline();
    await expectRefused(answer, 403, 'declined');
    expect(answer.text).to.include('Example did not sign you in');
  });

  it('accepts a clock that is a minute off, and refuses one that is hours off', async () => {
    for (const offset of [-1, 1]) {
      await reopen({ now: instant(Date.now() + offset * minutes(1)) });
      expect((await screen.signIn(new TestBrowser(), 'ada')).location).to.equal(`${screen.base}/`);
    }
    await reopen({ now: after(instant(Date.now()), hours(2)) });
    await expectRefused(await screen.signIn(ada, 'ada'), 502, 'clock');
  });

  it('refuses a state that is changed, from another browser, used before, or older than ten minutes', async () => {
    const back = (await screen.leadToReturn(ada, 'ada')).location ?? '';
    const changed = new URL(back);
    changed.searchParams.set('state', 'x'.repeat(43));
    const wrong = ada.openWindow();
    expect((await wrong.get(changed.href)).status).to.equal(400);
    expect((await new TestBrowser().get(back)).status, 'another browser').to.equal(400);
    const later = ada.openWindow();
    const again = ada.openWindow();
    expect((await ada.get(back)).location).to.equal(`${screen.base}/`);
    expect((await ada.get(back)).status, 'once more').to.equal(400);
    expect((await again.get(back)).text, 'a used code').to.include('was used before or is too old');
    screen.service.clock.advance(minutes(10));
    expect((await later.get(back)).status, 'too late').to.equal(400);
    expect(screen.log.flatMap(({ outcome }) => outcome ?? [])).to.deep.equal(
      ['forgotten', 'forgotten', 'forgotten', 'late', 'forgotten'].map((problem) => `sign_in_${problem}`),
    );
  });

  it('continues in the window that began last, even after another one came back', async () => {
    const [first, last] = [await page('/sign-in/oidc/begin'), await page('/sign-in/oidc/begin')];
    const comeBack = async (begun: BrowserAnswer): Promise<BrowserAnswer> => {
      const { location } = await throughIssuer(ada, begun, 'ada', screen.redirectUri);
      return await ada.get(location ?? '');
    };
    const refused = await comeBack(first);
    expect(refused.status).to.equal(400);
    expect(refused.text).to.include('began in another window');
    expect((await comeBack(last)).location).to.equal(`${screen.base}/`);
    expect([...ada.cookiesOf(screen.base).keys()]).not.to.include('pinfold_oidc');
  });

  it('refuses a cookie that it has not signed', async () => {
    const { location } = await screen.leadToReturn(ada, 'ada');
    const sent = ada.cookiesOf(screen.base).get('pinfold_oidc') ?? '';
    for (const forged of ['', '.', '~', `e30.${sent.split('.')[1]}`, `${sent.split('.')[0]}.`, 'a.b.c~d']) {
      const headers = { cookie: `pinfold_oidc=${forged}` };
      const answer = await fetch(location ?? '', { redirect: 'manual', headers });
      expect(answer.status, forged).to.equal(400);
    }
  });

  it('can end on another node than it began on', async () => {
    const { location } = await screen.leadToReturn(ada, 'ada');
    const cookie = ada.cookieHeader(screen.base);
    const onPeer = `${await screen.peer()}/sign-in/oidc${new URL(location ?? '').search}`;
    const answer = await fetch(onPeer, { redirect: 'manual', headers: { cookie } });
    expect(answer.headers.get('location')).to.equal('/manage/');
  });

  it('refuses a code that has expired', async () => {
    const { location } = await screen.leadToReturn(ada, 'ada');
    screen.issuer.expireCodes();
    await expectRefused(await ada.get(location ?? ''), 400, 'late');
  });

  const forged: readonly (readonly [what: string, change: Record<string, unknown>])[] = [
    ['another nonce', { nonce: 'x'.repeat(43) }],
    ['no nonce', { nonce: undefined }],
    ['another issuer', { iss: 'https://evil.example' }],
    ['another audience', { aud: 'another-client' }],
    ['several audiences, and issued to another of them', { aud: ['pinfold', 'other'], azp: 'other' }],
    ['one audience, and issued to another client', { azp: 'other' }],
    ['another person than userinfo', { sub: 'eve' }],
  ];
  for (const [what, change] of forged) {
    it(`refuses an id_token with ${what}`, async () => {
      screen.issuer.forge = (claims) => ({ ...claims, ...change });
      await expectRefused(await screen.signIn(ada, 'ada'), 502, 'untrusted');
    });
  }

  it('refuses an expired id_token', async () => {
    screen.issuer.forge = (claims) => ({ ...claims, exp: Number(claims.iat) - 600 });
    await expectRefused(await screen.signIn(ada, 'ada'), 502, 'clock');
  });

  it('refuses an answer of another issuer', async () => {
    const back = new URL((await screen.leadToReturn(ada, 'ada')).location ?? '');
    back.searchParams.set('iss', 'https://evil.example');
    await expectRefused(await ada.get(back.href), 502, 'untrusted');
  });

  it('explains that the issuer cannot be reached, before the browser goes there or after it comes back, and works later', async () => {
    screen.issuer.fail();
    const begun = await ada.get(`${screen.base}/sign-in/oidc/begin`);
    await expectRefused(begun, 503, 'unreachable');
    expect(begun.text).to.include('Example cannot be reached');
    screen.issuer.serve(screen.redirectUri);
    screen.service.clock.advance(seconds(5));
    const { location } = await screen.leadToReturn(ada, 'ada');
    screen.issuer.fail();
    await expectRefused(await ada.get(location ?? ''), 503, 'unreachable');
    screen.issuer.serve(screen.redirectUri);
    expect((await screen.signIn(new TestBrowser(), 'ada')).location).to.equal(`${screen.base}/`);
  });

  it('continues at once when the issuer has changed its keys', async () => {
    expect((await screen.signIn(ada, 'ada')).location).to.equal(`${screen.base}/`);
    screen.issuer.serve(screen.redirectUri);
    expect((await screen.signIn(new TestBrowser(), 'ada')).location).to.equal(`${screen.base}/`);
  });

  it('requests the keys again only for an unknown one', async () => {
    const keyRequests = (): number => screen.issuer.requests.filter((one) => one === 'GET /jwks').length;
    for (let n = 0; n < 2; n += 1) await screen.signIn(new TestBrowser(), 'ada');
    expect(keyRequests()).to.equal(1);
    screen.issuer.serve(screen.redirectUri);
    await screen.signIn(new TestBrowser(), 'ada');
    expect(keyRequests()).to.equal(2);
  });

  it('refuses a signature by a key that the issuer has withdrawn', async () => {
    screen.issuer.signWithWithdrawnKey();
    await expectRefused(await screen.signIn(ada, 'ada'), 502, 'untrusted');
  });

  for (const method of ['client_secret_basic', 'client_secret_post']) {
    it(`authenticates the client by ${method}`, async () => {
      await reopen({ registered: { token_endpoint_auth_method: method } });
      for (let n = 0; n < 2; n += 1) {
        expect((await screen.signIn(new TestBrowser(), 'ada')).location).to.equal(`${screen.base}/`);
      }
    });
  }

  it('reports a misconfiguration if the issuer rejects the client', async () => {
    await reopen({ client: { clientSecret: 'another secret' } });
    await expectRefused(await screen.signIn(ada, 'ada'), 502, 'misconfigured');
    expect(JSON.stringify(screen.log)).not.to.include('another secret');
  });

  it('sends no request to the issuer before a sign-in, and only one for several sign-ins', async () => {
    await ada.follow(await page());
    expect(screen.issuer.requests).to.deep.equal([]);
    for (let n = 0; n < 3; n += 1) await ada.get(`${screen.base}/sign-in/oidc/begin`);
    expect(screen.issuer.requests).to.deep.equal(['GET /.well-known/openid-configuration']);
  });

  it('refuses two cookies, since a sibling may have planted one', async () => {
    const { location } = await screen.leadToReturn(ada, 'ada');
    const sent = ada.cookiesOf(screen.base).get('pinfold_oidc') ?? '';
    const other = await ada.openWindow().get(`${screen.base}/sign-in/oidc/begin`);
    const planted = /pinfold_oidc=([^;]+)/.exec(other.cookies.join())?.[1] ?? '';
    const headers = { cookie: `pinfold_oidc=${planted}; pinfold_oidc=${sent}` };
    const answer = await fetch(location ?? '', { redirect: 'manual', headers });
    expect(answer.status).to.equal(400);
    expect(answer.headers.getSetCookie().join()).to.match(/pinfold_oidc=;.*Max-Age=0/);
  });

  it('logs errors that the operator must fix, but none if a person declines', async () => {
    await decline();
    screen.issuer.forge = (claims) => ({ ...claims, aud: 'another-client' });
    await screen.signIn(new TestBrowser(), 'ada');
    const entries = screen.log.filter(({ outcome }) => outcome?.startsWith('sign_in_'));
    expect(entries.map(({ error }) => error instanceof Error)).to.deep.equal([false, true]);
  });

  it('refuses people whom the issuer does not name', async () => {
    screen.issuer.forge = (claims) => ({ ...claims, sub: '' });
    await expectRefused(await screen.signIn(ada, 'ada'), 403, 'nameless');
  });
});
