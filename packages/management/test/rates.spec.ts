import {
  accountId,
  type IdentityProvider,
  minutes,
  OPERATOR,
  type Publication,
  type RateText,
  seconds,
} from '@pinfold/core';
import { RequestLimiter } from '@pinfold/http';
import { expect } from 'chai';
import type { ManagementOptions } from '../src/index.ts';
import { BY_ADA, OWNER, openScreen, type Screen, zipOf } from './open-screen.ts';
import { formOf, Person } from './person.ts';

/** One passes each second. */
const RATE = { count: 25, window: seconds(25) };

describe('the rate of requests on the screen', () => {
  let screen: Screen;
  let limiter: RequestLimiter;
  let person: Person;
  let role: Publication;
  let form: string;

  async function open(management: Partial<ManagementOptions> = {}, scope: 'manage' | 'admin' = 'manage') {
    limiter = new RequestLimiter();
    screen = await openScreen({
      management: { requestRate: RATE, requestLimiter: limiter, ...management },
    });
    role = await screen.publish('Report');
    person = await screen.signedIn(OWNER, scope);
    form = (await person.get('/')).token;
    screen.clock.advance(RATE.window);
  }
  beforeEach(() => open());

  const remaining = () => limiter.accounts.left(OWNER, RATE, screen.clock.now()).remaining;
  const change = (action: string) => person.post(`/publications/${role.id}/${action}`, { form });
  const useUp = (): void => {
    while (limiter.accounts.take(OWNER, RATE, screen.clock.now()).kind === 'admitted');
  };

  it('charges one for a page, ten for a change, and nothing for scripts, styles and pictures', async () => {
    const { text } = await person.get('/');
    expect(remaining()).to.equal(24);
    await person.get(`/publications/${role.id}`);
    expect(remaining()).to.equal(23);
    const assets = [...text.matchAll(/(?:href|src)="\/manage(\/assets\/[^"]+)"/g)].map(
      ([, path = '']) => path,
    );
    expect(assets.length).to.be.greaterThan(2);
    for (const path of [...assets, `/publications/${role.id}/code.svg`]) {
      expect((await person.get(path)).status, path).to.equal(200);
    }
    expect(remaining()).to.equal(23);
    expect((await change('pin')).status).to.equal(303);
    expect(remaining()).to.equal(13);
    expect((await person.post(`/publications/${role.id}/unpin`, { form: 'stale' })).status).to.equal(403);
    expect(remaining()).to.equal(3);
  });

  it('answers beyond the rate with a page, in either language, that says when to try again', async () => {
    await change('pin');
    await change('unpin');
    const limited = await change('pin');
    expect(limited.status).to.equal(429);
    expect(limited.headers.get('retry-after')).to.equal('5');
    expect(limited.headers.get('ratelimit')).to.equal('"requests";r=5;t=5');
    expect(limited.text).to.include('Too many requests').and.include('Try again in 5 seconds.');
    expect(limited.text, 'the way out').to.include('/manage/sign-out');
    expect((await person.get('/')).status, 'a page costs less').to.equal(200);
    useUp();
    const japanese = await person.get('/', { 'accept-language': 'ja' });
    expect(japanese.status).to.equal(429);
    expect(japanese.text).to.include('1 秒後に、もう一度お試しください。');
    expect(screen.log.at(-1)).to.include({ outcome: 'rate_limited', account: OWNER });
    screen.clock.advance(seconds(10));
    expect((await change('pin')).status).to.equal(303);
  });

  it('answers beyond the rate with a page that also shows the flash message of the previous change', async () => {
    useUp();
    expect((await person.get(`/publications/${role.id}/stop`)).status).to.equal(200);
    const { location } = await change('stop');
    const after = await person.get((location ?? '').replace('/manage', ''));
    expect(after.status).to.equal(429);
    expect(after.text).to.include('“Report” was stopped.').and.include('used up its rate of requests');
    expect(after.text).to.not.include('Nothing was changed');
  });

  it('answers an upload of our script beyond the rate with JSON, before it reads the body', async () => {
    const send = (key: string) => person.upload(formOf({ form, key }, zipOf({ 'index.html': key })));
    expect((await send('a')).status).to.equal(201);
    expect(remaining()).to.equal(15);
    expect((await send('b')).status).to.equal(201);
    const limited = await send('c');
    expect(limited.status).to.equal(429);
    expect(limited.headers.get('retry-after')).to.equal('5');
    expect(JSON.parse(limited.text)).to.have.property('kind', 'refused');
    expect(JSON.parse(limited.text).message).to.include('Try again in 5 seconds.');
  });

  it("is the account's own if one is set, or a rate by caller", async () => {
    await open({
      requestRate: ({ account }) => (account === OWNER ? { count: 1, window: minutes(1) } : null),
    });
    screen.clock.advance(minutes(1));
    expect((await person.get('/')).status).to.equal(200);
    expect((await person.get('/')).status).to.equal(429);
    await screen.administration.limitAccount(OWNER, { requests: 'off' as RateText }, BY_ADA);
    expect((await person.get('/')).status).to.equal(200);
  });

  it('never refuses forms that end access, nor the pages with these forms', async () => {
    const key = await screen.keys.create({ by: OPERATOR, account: OWNER });
    useUp();
    expect((await person.get('/')).status).to.equal(429);
    const revoked = await person.send('/keys', `/keys/${key.key.id}/revoke`);
    expect(revoked.location).to.equal('/manage/keys');
    expect(await screen.keys.authenticate(key.text)).to.equal(undefined);
    expect((await person.get(`/publications/${role.id}/stop`)).status).to.equal(200);
    expect((await change('stop')).status).to.equal(303);
    expect((await person.post('/sign-out', { form })).location).to.equal('/manage/sign-in');
    expect(remaining()).to.equal(0);
  });

  it('bounds forms that end access to sixty a minute for each session', async () => {
    for (let n = 0; n < 60; n += 1)
      expect((await person.post('/keys/x/revoke', { form })).status).to.equal(303);
    const limited = await person.post('/keys/x/revoke', { form });
    expect(limited.status).to.equal(429);
    expect(limited.headers.get('retry-after')).to.equal('1');
    const other = await screen.signedIn();
    expect((await other.send('/keys', '/keys/x/revoke')).status).to.equal(303);
    screen.clock.advance(seconds(1));
    expect((await person.post('/sign-out', { form })).status).to.equal(303);
  });

  it('charges ten when a signed-in person registers a program', async () => {
    const register = async (n: number) =>
      (await person.post('/connect/register', { request: String(n).padStart(64, '0') })).status;
    expect([await register(1), await register(2), await register(3)]).to.deep.equal([200, 200, 429]);
    expect(remaining()).to.equal(5);
  });

  it('charges administrators nothing on their pages, and others one', async () => {
    expect((await person.get('/administration')).status).to.equal(404);
    expect(remaining()).to.equal(24);
    await open({}, 'admin');
    useUp();
    expect((await person.get('/administration')).status).to.equal(200);
    const fields = { form, reason: 'A test', sites: 'keep' };
    expect((await person.post('/administration/accounts/other/block', fields)).status).not.to.equal(429);
  });
});

describe('anonymous clients at the screen', () => {
  let screen: Screen;
  let newcomer: Person;

  async function open(management: Partial<ManagementOptions> = {}): Promise<void> {
    screen = await openScreen({ management });
    newcomer = new Person(screen.base);
  }

  it('get 429 above sixty wrong keys, links and secrets a minute; a right one is always accepted', async () => {
    await open();
    const { text: right } = await screen.keys.create({ by: OPERATOR, account: OWNER, scopes: ['manage'] });
    const { text: weak } = await screen.keys.create({ by: OPERATOR, account: OWNER });
    const { token: link } = await screen.sessions.offerLink(OWNER);
    for (let n = 0; n < 20; n += 1) {
      expect((await newcomer.signIn({ key: 'pf_wrong' })).status).to.equal(401);
      expect((await newcomer.signIn({ link: 'wrong' })).status).to.equal(401);
      expect((await newcomer.post('/connect/key', { secret: 'wrong' })).status).to.equal(202);
    }
    const limited = await newcomer.signIn({ key: 'pf_wrong' });
    expect(limited.status).to.equal(429);
    expect(limited.headers.get('retry-after')).to.equal('1');
    expect(limited.text).to.include('Too many requests').and.include('Try again in 1 second.');
    const japanese = await newcomer.post('/connect/key', { secret: 'wrong' }, { 'accept-language': 'ja' });
    expect(japanese.status).to.equal(429);
    expect(japanese.text).to.include('サインイン');
    expect((await newcomer.signIn({ key: weak })).status, 'a right key without the scope').to.equal(401);
    expect((await newcomer.signIn({ key: right })).status).to.equal(303);
    expect((await newcomer.get('/')).status).to.equal(200);
    expect((await new Person(screen.base).signIn(link)).status).to.equal(303);
    screen.clock.advance(seconds(1));
    expect((await new Person(screen.base).signIn({ key: 'pf_wrong' })).status).to.equal(401);
  });

  it('may begin and fail sixty sign-ins at the provider a minute; successful ones are not counted', async () => {
    const person = { account: accountId('ada'), id: 'ada', displayName: null, scope: 'manage' } as const;
    let succeeds = false;
    const identityProvider: IdentityProvider = {
      name: 'Elsewhere',
      begin: async () => ({ kind: 'begun', url: 'https://id.example/', browserState: 'kept' }),
      finish: async () =>
        succeeds ? { kind: 'recognized', person } : { kind: 'failed', problem: 'declined' },
      signOutUrl: async () => undefined,
    };
    await open({ identityProvider });
    for (let n = 0; n < 30; n += 1) {
      expect((await newcomer.get('/sign-in/oidc/begin')).status).to.equal(303);
      expect((await newcomer.get('/sign-in/oidc?state=x', { accept: '*/*' })).status).to.equal(403);
    }
    expect((await newcomer.get('/sign-in/oidc/begin')).status).to.equal(429);
    expect((await newcomer.get('/sign-in/oidc?state=x', { accept: '*/*' })).status).to.equal(429);
    succeeds = true;
    expect((await newcomer.get('/sign-in/oidc?state=x', { accept: '*/*' })).status).to.equal(303);
    expect((await newcomer.get('/sign-in/oidc/begin')).status, 'signed in').to.equal(303);
  });
});
