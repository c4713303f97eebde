import { accountId } from '@pinfold/core';
import { expect } from 'chai';
import { OWNER, openScreen, openSignedIn, person, type ScreenOptions, screen } from './open-screen.ts';
import { Person } from './person.ts';

const THEIRS = accountId('mallory');

const cookieHeader = (...pairs: readonly (readonly [string, string | undefined])[]): string =>
  pairs.map(([name, value]) => `${name}=${value}`).join('; ');

describe('cookies planted by a sibling host', () => {
  let other: Person;
  const open = async (options: ScreenOptions = {}) => {
    await openSignedIn(options);
    other = await screen.signedIn(THEIRS);
    await screen.publish('Report');
    await screen.publish('Bait', undefined, THEIRS);
  };
  beforeEach(() => open({ publicUrl: 'http://share.pins.example' }));

  const session = (of: Person) => ['pinfold_session', of.cookies.get('pinfold_session')] as const;
  const form = (of: Person) => ['pinfold_form', of.cookies.get('pinfold_form')] as const;
  const get = (path: string, cookie: string, headers: Record<string, string> = {}) =>
    new Person(screen.base).get(path, { cookie, ...headers });

  it('sign no person in to another account: with two sessions or form secrets, none is trusted, in either order', async () => {
    for (const [first, second] of [
      [person, other],
      [other, person],
    ] as const) {
      for (const cookie of [
        cookieHeader(form(person), session(first), session(second)),
        cookieHeader(form(first), form(second), session(person)),
      ]) {
        const page = await get('/', cookie);
        expect([page.status, page.location]).to.deep.equal([303, '/manage/sign-in']);
        expect(page.text).not.to.match(/Report|Bait/);
      }
    }
  });

  it('change nothing', async () => {
    const role = await screen.publish('Kept');
    const { token } = await person.get('/');
    for (const cookie of [
      cookieHeader(form(person), session(other), session(person)),
      cookieHeader(form(person), form(other), session(person)),
    ]) {
      for (const path of [`/publications/${role.id}/stop`, '/sign-in', '/sign-out']) {
        const answer = await new Person(screen.base).post(path, { form: token, link: 'x' }, { cookie });
        expect(answer.status, path).to.be.oneOf(path === '/sign-in' ? [303, 401, 403] : [303]);
        expect(answer.headers.getSetCookie().some((line) => /session=[^;]/.test(line))).to.equal(false);
      }
    }
    expect((await screen.read(role.id)).deletedAt).to.equal(null);
  });

  it('are removed for each possible domain and path, together with the person’s own cookies', async () => {
    const role = await screen.publish('Deep');
    const paths = ['/', '/manage', '/manage/', '/manage/publications', '/manage/publications/'];
    const deep = [...paths, `/manage/publications/${role.id}`];
    for (const [name, cookie] of [
      ['session', cookieHeader(form(person), session(person), session(other))],
      ['form', cookieHeader(form(person), form(other), session(person))],
    ] as const) {
      const lines = (await get(`/publications/${role.id}`, cookie)).headers.getSetCookie();
      const removals = lines.filter((line) => line.startsWith(`pinfold_${name}=;`));
      for (const path of deep) {
        for (const domain of ['share.pins.example', 'pins.example']) {
          expect(removals).to.include(`pinfold_${name}=; Path=${path}; Domain=${domain}; Max-Age=0`);
        }
      }
      expect(removals.length).to.equal(2 * deep.length + 1);
      expect(lines.some((line) => /^pinfold_session=; Path=\/manage; Max-Age=0/.test(line))).to.equal(true);
      expect(lines.join('\r\n').length, 'what proxies take of headers').to.be.below(3_000);
    }
  });

  it('are removed at few paths of a foreign address of any length', async () => {
    const cookie = cookieHeader(form(person), form(other));
    const lines = (await get(`/${'a/'.repeat(7_000)}`, cookie)).headers.getSetCookie();
    const paths = lines.map((line) => /^pinfold_form=; Path=([^;]+); Domain=pins\.example;/.exec(line)?.[1]);
    expect(paths.filter((path) => path !== undefined)).to.deep.equal(['/', '/manage']);
  });

  it('leave a browser that signs in again with one session and one form secret', async () => {
    const browser = person.twin();
    const cookie = cookieHeader(form(other), form(person), session(other), session(person));
    const home = await browser.get('/', { cookie });
    const [fresh] = home.headers.getSetCookie().filter((line) => /^pinfold_form=[^;]/.test(line));
    expect(fresh).to.match(/^pinfold_form=[\w-]{43}; Path=\/manage;/);
    const page = await browser.get('/sign-in');
    expect(page.text).to.contain('cookies of two sign-ins at once');
    await browser.signIn((await screen.sessions.offerLink(OWNER)).token);
    expect((await browser.get('/')).text).to.contain('Report');
  });

  it('are removed by signing in if they are invalid', async () => {
    const { token: link } = await screen.sessions.offerLink(OWNER);
    const visitor = new Person(screen.base);
    const { token } = await visitor.get('/sign-in');
    const cookie = cookieHeader(form(visitor), session(other));
    const inside = await visitor.post('/sign-in', { form: token, link }, { cookie });
    const lines = inside.headers.getSetCookie().filter((line) => line.startsWith('pinfold_session='));
    expect(lines).to.include('pinfold_session=; Path=/manage/; Domain=pins.example; Max-Age=0');
    expect(lines.at(-1), 'the new one comes last').to.match(/^pinfold_session=[^;]+; Path=\/manage; /);
  });

  it('are removed by the sign-in page, which trusts none of them', async () => {
    const page = await get('/sign-in', cookieHeader(form(person), session(person), session(other)));
    expect(page.status).to.equal(200);
    expect(page.headers.getSetCookie()).to.include(
      'pinfold_session=; Path=/manage/sign-in; Domain=pins.example; Max-Age=0',
    );
  });

  it('lock no person out if they are invalid, unless there are too many to try', async () => {
    const planted = (count: number) =>
      Array.from({ length: count }, (_, n) => ['pinfold_session', `planted${n}`] as const);
    const few = await get('/', cookieHeader(form(person), ...planted(4), session(person)));
    expect(few.text).to.contain('Report');
    const same = await get('/', cookieHeader(form(person), form(person), session(person), session(person)));
    expect(same.text).to.contain('Report');
    const many = await get('/', cookieHeader(form(person), session(other), ...planted(5), session(person)));
    expect([many.status, many.location]).to.deep.equal([303, '/manage/sign-in']);
  });

  it('do not hide the flash message of this browser', async () => {
    await person.post('/sign-out', { form: (await person.get('/')).token });
    const flashCookie = ['pinfold_flash', person.cookies.get('pinfold_flash')] as const;
    const cookie = cookieHeader(form(person), ['pinfold_flash', 'cGxhbnRlZA'], flashCookie);
    expect((await get('/sign-in', cookie)).text).to.contain('You are signed out.');
  });

  it('answer a script that its session has ended', async () => {
    const cookie = cookieHeader(form(person), session(person), session(other));
    const headers = { accept: 'application/json' };
    const answer = await new Person(screen.base).post('/publish', {}, { ...headers, cookie });
    expect([answer.status, JSON.parse(answer.text)]).to.deep.equal([401, { kind: 'signed_out' }]);
  });

  it('are removed at a single path over https', async () => {
    await open({ publicUrl: 'https://share.pins.example' });
    const name = '__Host-pinfold_session';
    const cookie = cookieHeader([name, person.cookies.get(name)], [name, other.cookies.get(name)]);
    const page = await get('/', cookie);
    expect(page.status).to.equal(303);
    const lines = page.headers.getSetCookie().filter((line) => line.startsWith(name));
    expect(lines).to.deep.equal([`${name}=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Strict`]);
  });

  it('bind no form to a planted secret with an embedding team’s own sign-in', async () => {
    await openSignedIn({
      management: { authenticate: async () => ({ account: OWNER, scopes: ['manage'] }) },
    });
    const [one, two] = [new Person(screen.base), new Person(screen.base)];
    const { token } = await one.get('/');
    await two.get('/');
    const cookie = cookieHeader(form(two), form(one));
    const page = await get('/', cookie);
    expect(page.status).to.equal(200);
    const role = await screen.publish('Kept');
    const stop = async (form: string, known: string) =>
      (await one.post(`/publications/${role.id}/stop`, { form }, { cookie: known })).status;
    expect(await stop(token, cookie)).to.equal(403);
    expect(await stop(page.token, cookieHeader(form(one)))).to.equal(403);
  });

  it('are refused with 431 and advice when they are too many', async () => {
    const cookies = cookieHeader(
      ...Array.from({ length: 4 }, (_, n) => [`b${n}`, 'x'.repeat(3_300)] as const),
    );
    for (const path of ['/', '/sign-in', '/nowhere']) {
      const page = await get(path, cookies);
      expect(page.status, path).to.equal(431);
      expect(page.text).to.contain('Too many cookies');
    }
    const japanese = await get('/sign-in', cookies, { 'accept-language': 'ja' });
    expect(japanese.text).to.contain('Cookie が多すぎます');
  });
});

describe('an address that looks like another host', () => {
  const targets = [
    '//evil.example/',
    '//evil.example/x',
    '/\\evil.example/',
    '///evil.example',
    '/\\/evil.example/',
    '//evil.example/%2f..',
    '/manage//evil.example',
    '/manage/\\evil.example',
    '/sign-in//evil.example',
  ];
  const elsewhere = ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate'];

  for (const mount of ['/', '/manage', '/:tenant']) {
    it(`never leads to another host, with the screen at ${mount}`, async () => {
      const visitor = new Person((await openScreen({ mount })).base);
      for (const target of targets) {
        for (const [query, ...headers] of [
          ['?language=ja'],
          ['?language=ja&to=//evil.example', ...elsewhere],
          ['', ...elsewhere],
          [''],
        ]) {
          const { body, headers: sent } = await visitor.askRaw(`GET ${target}${query}`, ...headers);
          const [, refresh] = /http-equiv="refresh" content="0; url=([^"]*)"/.exec(body) ?? [];
          const links = [...body.matchAll(/(?:href|src|action)="([^"]*)"/g)].map(([, link]) => link);
          for (const address of [sent.get('location'), refresh, ...links]) {
            if (address === undefined) continue;
            const { host } = new URL(address, `http://localhost${target.replace(/^[/\\]+/, '/')}`);
            expect(host, `${target}${query} → ${address}`).to.equal('localhost');
          }
        }
      }
    });
  }

  it('still leads to the screen at the root', async () => {
    const visitor = new Person((await openScreen({ mount: '/' })).base);
    const redirected = await visitor.askRaw('GET //evil.example/?language=ja');
    expect([redirected.status, redirected.headers.get('location')]).to.deep.equal([303, '/evil.example/']);
    const reloaded = await visitor.askRaw('GET //evil.example/x', ...elsewhere);
    expect(reloaded.body).to.contain('content="0; url=/evil.example/x"');
  });
});
