import { accountId, hours, type IdentityProvider, OPERATOR, type SignInProblem } from '@pinfold/core';
import { listedKeys } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { createManagement } from '../src/index.ts';
import { OWNER, openScreen, type Screen } from './open-screen.ts';
import { Person } from './person.ts';

describe('signing in', () => {
  let screen: Screen;
  let person: Person;
  beforeEach(async () => {
    screen = await openScreen();
    person = new Person(screen.base);
  });

  it('asks people to sign in, and leads them back to their page', async () => {
    const role = await screen.publish('Report');
    const path = `/publications/${role.id}`;
    const asked = await person.get(path);
    expect(asked.status).to.equal(303);
    expect(asked.location).to.equal(`/manage/sign-in?to=${encodeURIComponent(path)}`);
    const head = await fetch(`${screen.base}${path}`, { method: 'HEAD', redirect: 'manual' });
    expect(head.headers.get('location')).to.equal(asked.location);
    expect(head.headers.getSetCookie().join()).not.to.include('pinfold_flash');
    const { token } = await screen.sessions.offerLink(OWNER);
    const inside = await person.signIn({ link: token, to: path });
    expect(inside.location).to.equal(`/manage${path}`);
    expect((await person.get(path)).text).to.include('Report');
  });

  it('leads back to an address in absolute form, and refuses other forms', async () => {
    const ask = async (target: string) => {
      const { status, headers } = await person.askRaw(`GET ${target}`, 'Accept: text/html');
      return { status, location: headers.get('location') };
    };
    for (const [target, location] of [
      ['http://other.example/manage/keys?x=1', '/manage/sign-in?to=%2Fkeys%3Fx%3D1'],
      ['http://other.example/manage', '/manage/sign-in'],
    ] as const) {
      expect(await ask(target)).to.deep.equal({ status: 303, location });
    }
    for (const target of ['ftp://other.example/manage/', 'http://ada@other.example/manage/']) {
      expect((await ask(target)).status, target).to.equal(400);
    }
  });

  it('never redirects to another host', async () => {
    const hosts = ['//evil.example', '/\\evil.example', 'https://evil.example'];
    for (const to of [...hosts, 'x', '/a\nb', `/${'a'.repeat(2_048)}`]) {
      const { token } = await screen.sessions.offerLink(OWNER);
      const inside = await new Person(screen.base).signIn({ link: token, to });
      expect(inside.location, to).to.equal('/manage/');
    }
  });

  it('does not use up a link by showing its page', async () => {
    const { token } = await screen.sessions.offerLink(OWNER);
    for (let n = 0; n < 3; n += 1)
      expect((await new Person(screen.base).get(`/sign-in?link=${token}`)).status).to.equal(200);
    expect((await person.signIn(token)).status).to.equal(303);
    expect((await new Person(screen.base).signIn(token)).status).to.equal(401);
  });

  it('accepts only API keys with the scope manage', async () => {
    const wrong = await screen.keys.create({ by: OPERATOR, account: OWNER });
    const right = await screen.keys.create({ by: OPERATOR, account: OWNER, scopes: ['manage'] });
    const other = right.text.endsWith('0') ? '1' : '0';
    for (const key of [wrong.text, `${right.text.slice(0, -1)}${other}`, '', ` ${right.text}`]) {
      const refused = await person.signIn({ key });
      expect(refused.status, key).to.equal(401);
      if (key !== '') expect(refused.text).not.to.include(key);
    }
    expect((await person.signIn({ key: right.text })).status).to.equal(303);
    expect((await person.get('/')).status).to.equal(200);
    await screen.keys.revoke({ id: right.key.id, by: OPERATOR });
    expect((await person.get('/')).status, 'revoked').to.equal(303);
  });

  it('ends after twelve hours, and at once by signing out', async () => {
    person = await screen.signedIn();
    const window = person.twin();
    await person.send('/', '/sign-out');
    expect((await person.get('/')).status).to.equal(303);
    expect((await window.get('/')).status, 'the other window').to.equal(303);
    person = await screen.signedIn();
    screen.clock.advance(hours(12));
    expect((await person.get('/')).status, 'later').to.equal(303);
  });

  it('shows each account its own', async () => {
    const other = accountId('other');
    const foreign = await screen.publish('Theirs', undefined, other);
    person = await screen.signedIn();
    expect((await person.get('/')).text).not.to.include('Theirs');
    expect((await person.get('/?state=published&q=theirs')).text).not.to.include(foreign.id);
    expect((await person.get(`/publications/${foreign.id}`)).status).to.equal(404);
    const { token: form } = await person.get('/');
    expect((await person.post(`/publications/${foreign.id}/stop`, { form })).status).to.equal(404);
    const key = await screen.keys.create({ by: OPERATOR, account: other });
    await person.post(`/keys/${key.key.id}/revoke`, { form });
    expect((await listedKeys(screen.keys, other))[0]?.revokedAt).to.equal(null);
  });

  it('writes cookies that no script reads and no other site sends', async () => {
    const shown = await person.get('/sign-in');
    const inside = await person.signIn((await screen.sessions.offerLink(OWNER)).token);
    const lines = [shown, inside].flatMap(({ headers }) => headers.getSetCookie());
    expect(lines.map((line) => line.split('=')[0])).to.deep.equal(['pinfold_form', 'pinfold_session']);
    for (const line of lines) {
      expect(line)
        .to.match(/; Path=\/manage;.*HttpOnly; SameSite=Strict$/)
        .and.not.match(/Secure/);
    }
  });

  it('binds cookies to the host over https', async () => {
    const secure = await openScreen({ publicUrl: 'https://pages.example.com' });
    const { token } = await secure.sessions.offerLink(OWNER);
    const inside = await new Person(secure.base).signIn(token);
    const lines = inside.headers.getSetCookie();
    expect(lines.map((line) => line.split('=')[0])).to.include('__Host-pinfold_session');
    for (const line of lines)
      expect(line)
        .to.match(/^__Host-[^;]+; Path=\/;.*; Secure; SameSite=Strict$/)
        .and.not.match(/Domain/i);
  });

  it('reloads the page if another site led here, since browsers then omit cookies', async () => {
    // fetch writes a Sec-Fetch-Mode of its own.
    const from = ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate'];
    const { status, body, headers } = await person.askRaw('GET /manage/', ...from);
    expect(status).to.equal(200);
    expect(body).to.include('http-equiv="refresh"').and.include('url=/manage/');
    expect(headers.get('set-cookie')).to.equal(undefined);
  });

  it('logs neither tokens nor queries', async () => {
    const { token } = await screen.sessions.offerLink(OWNER);
    await person.signIn(token);
    await person.get('/?q=secret-words');
    const log = JSON.stringify(screen.log);
    expect(screen.log.length).to.be.greaterThan(2);
    for (const secret of [token, 'secret-words', ...person.cookies.values()])
      expect(log).not.to.include(secret);
  });
});

describe("an embedding team's own sign-in", () => {
  it('replaces the built-in sign-in', async () => {
    const screen = await openScreen({
      management: {
        authenticate: async ({ headers }) =>
          headers['x-user'] === undefined
            ? undefined
            : {
                account: accountId(String(headers['x-user'])),
                scopes: headers['x-user'] === 'reader' ? ['pins:read'] : ['manage'],
              },
      },
    });
    const role = await screen.publish('Report');
    const person = new Person(screen.base);
    expect((await person.get('/')).status).to.equal(401);
    expect((await person.get('/sign-in')).status).to.equal(404);
    expect((await person.get('/', { 'x-user': 'reader' })).status).to.equal(403);
    const owner = { 'x-user': 'owner' };
    const page = await person.get('/', owner);
    expect(page.text).to.include('Report').and.not.include('sign-out');
    const path = `/publications/${role.id}/pin`;
    expect((await person.post(path, { form: 'x' }, owner)).status).to.equal(403);
    const other = { 'x-user': 'other' };
    expect((await person.post(path, { form: page.token }, other)).status).to.equal(403);
    expect((await person.post(path, { form: page.token }, owner)).status).to.equal(303);
  });

  it('logs a rejection without a reason, too', async () => {
    const screen = await openScreen({ management: { authenticate: () => Promise.reject() } });
    expect((await new Person(screen.base).get('/')).status).to.equal(500);
    expect(screen.log.at(-1)?.error).to.have.property('message', 'undefined was thrown');
  });

  it('accepts null from plain JavaScript', async () => {
    const screen = await openScreen({ management: { authenticate: async () => null as never } });
    expect((await new Person(screen.base).get('/')).status).to.equal(401);
  });

  function failing(problem: SignInProblem): IdentityProvider {
    return {
      name: 'Harbour',
      begin: async (url) => ({ kind: 'begun', url, browserState: 'kept' }),
      finish: async () => ({ kind: 'failed', problem, detail: 'why' }),
      signOutUrl: async () => undefined,
    };
  }

  for (const [problem, asks] of [
    ['unreachable', false],
    ['misconfigured', true],
    ['declined', false],
  ] as const) {
    it(`${asks ? 'asks' : 'does not ask'} to tell the operator that a provider is ${problem}`, async () => {
      const screen = await openScreen({ management: { identityProvider: failing(problem) } });
      const page = await new Person(screen.base).get('/sign-in/oidc?state=x');
      expect(page.text.includes('Tell the operator')).to.equal(asks);
      expect('error' in (screen.log.at(-1) ?? {})).to.equal(problem !== 'declined');
    });
  }

  it('lets a browser return again when the provider is too busy', async () => {
    const identityProvider = failing('busy');
    const screen = await openScreen({ management: { identityProvider } });
    const begun = await fetch(`${screen.base}/sign-in/oidc/begin`, { redirect: 'manual' });
    const cookies = begun.headers.getSetCookie().map((line) => line.split(';')[0]);
    const headers = { cookie: cookies.join('; '), 'accept-language': 'ja' };
    const back = await fetch(`${screen.base}/sign-in/oidc?state=x`, { headers });
    expect(back.status).to.equal(503);
    expect(await back.text()).to.include('いま Harbour でサインインする人が多く');
    expect(back.headers.getSetCookie().join()).not.to.include('pinfold_oidc');
    expect(screen.log.at(-1)).to.include({ outcome: 'sign_in_busy' }).and.not.have.property('error');
  });

  it('must be the only sign-in', async () => {
    const screen = await openScreen();
    const { useCases, sessions, url: publicUrl } = screen;
    const authenticate = async () => undefined;
    expect(() => createManagement({ useCases, publicUrl })).to.throw(TypeError);
    expect(() => createManagement({ useCases, publicUrl, sessions, authenticate })).to.throw(TypeError);
    const identityProvider = {} as IdentityProvider;
    expect(() => createManagement({ useCases, publicUrl, authenticate, identityProvider })).to.throw(
      TypeError,
    );
    for (const wrong of ['', 'pages.example.com', 'ftp://x', `${publicUrl}?x`, `${publicUrl}#x`]) {
      expect(() => createManagement({ useCases, publicUrl: wrong, sessions }), wrong).to.throw(TypeError);
    }
  });
});
