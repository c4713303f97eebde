import { accountId, OPERATOR } from '@pinfold/core';
import { pairingCode } from '@pinfold/core/internal';
import { NodeSessionSecrets } from '@pinfold/platform-node';
import { listedKeys } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { OWNER, openScreen, openSignedIn, person, screen } from './open-screen.ts';
import { type Page, Person } from './person.ts';

describe('giving a program a key', () => {
  const secrets = new NodeSessionSecrets();
  beforeEach(() => openSignedIn());

  /** A program has no cookies. */
  const poll = async (secret: string) => {
    const page = await new Person(screen.base).post('/connect/key', { secret });
    return { page, body: JSON.parse(page.text) as Record<string, unknown> };
  };

  /** Registers a program; returns its secret. */
  const registerProgram = async () => {
    const minted = secrets.mint();
    const page = await new Person(screen.base).post('/connect/register', { request: minted.hash });
    expect([page.status, JSON.parse(page.text)]).to.deep.equal([200, { status: 'registered' }]);
    return minted;
  };

  const agree = async (hash: string, fields: Readonly<Record<string, string>> = {}): Promise<Page> => {
    const sent = { request: hash, label: 'Laptop', scope: 'pins:read', ...fields };
    return await person.send(`/connect?request=${hash}`, '/connect', sent);
  };

  it('shows a code to compare, and gives the key once, to the program with the secret', async () => {
    const { text: secret, hash } = await registerProgram();
    const answer = await person.get(`/connect?request=${hash}&label=${encodeURIComponent('"><b>x')}`);
    expect(answer.text).to.include(pairingCode(hash)).and.include('value="&quot;&gt;&lt;b&gt;x"');
    expect(answer.text).not.to.include('value="admin"');
    const early = await poll(secret);
    expect(early.page.status, 'before').to.equal(202);
    expect(early.page.headers.get('retry-after')).to.equal('2');
    expect((await agree(hash)).location).to.equal('/manage/keys');
    const { page, body } = await poll(secret);
    expect(page.status).to.equal(200);
    expect(page.headers.get('cache-control')).to.equal('no-store');
    expect(page.headers.getSetCookie()).to.deep.equal([]);
    expect(body).to.include({ status: 'given', account: OWNER });
    expect((await screen.keys.authenticate(String(body.key)))?.scopes).to.deep.equal(['pins:read']);
    expect((await poll(secret)).body, 'again').to.deep.equal({ status: 'waiting' });
    const log = JSON.stringify(screen.log);
    for (const hidden of [secret, String(body.key), hash]) expect(log).not.to.include(hidden);
    const entries = screen.log.filter(({ route, key }) => route?.endsWith('/key') && key === body.id);
    expect(entries).to.have.lengthOf(1);
  });

  it('gives no key to a program that has only seen the page', async () => {
    const { hash } = await registerProgram();
    await agree(hash);
    for (const secret of [hash, '', secrets.mint().text])
      expect((await poll(secret)).page.status).to.equal(202);
    expect(await listedKeys(screen.keys, OWNER)).to.deep.equal([]);
  });

  it('asks people to sign in, and leads them back', async () => {
    const { hash } = await registerProgram();
    const newcomer = new Person(screen.base);
    const answer = await newcomer.get(`/connect?request=${hash}`);
    const to = `/connect?request=${hash}`;
    expect(answer.location).to.equal(`/manage/sign-in?to=${encodeURIComponent(to)}`);
    const { token: link } = await screen.sessions.offerLink(OWNER);
    expect((await newcomer.signIn({ link, to })).location).to.equal(`/manage${to}`);
  });

  it('refuses consent without a form token, of a blocked account, or to the scope admin', async () => {
    const { text: secret, hash } = await registerProgram();
    expect((await agree(hash, { form: 'x' })).status).to.equal(403);
    expect((await agree(hash, { scope: 'admin' })).status).to.equal(422);
    expect((await agree(hash, { label: 'x'.repeat(101) })).status).to.equal(422);
    expect((await agree('no hash')).status).to.equal(400);
    const cause = { actor: { kind: 'operator', id: null } } as const;
    await screen.administration.blockAccount(OWNER, { reason: 'a test', sites: 'keep' }, cause);
    expect((await agree(hash)).status).to.equal(403);
    expect((await poll(secret)).page.status).to.equal(202);
  });

  it('explains how a program requests a key, if none has requested one', async () => {
    expect((await person.get('/connect')).text).to.include(`pinfold login ${screen.url}`);
    for (const request of ['1', secrets.mint().hash]) {
      const wrong = await person.get(`/connect?request=${request}`);
      expect(wrong.status).to.equal(400);
      expect(wrong.text).to.include('This login has expired').and.include(`pinfold login ${screen.url}`);
      expect(wrong.text).not.to.include('name="request"');
    }
    expect((await agree(secrets.mint().hash)).status, 'a hash that is not registered').to.equal(400);
    expect((await new Person(screen.base).post('/connect/register', { request: 'x' })).status).to.equal(400);
  });

  it('refuses a consent after the session has ended', async () => {
    const { text: secret, hash } = await registerProgram();
    await agree(hash);
    await person.send('/', '/sign-out');
    expect((await poll(secret)).page.status).to.equal(202);
    expect(await listedKeys(screen.keys, OWNER)).to.deep.equal([]);
  });

  it('shows instead of the form that the account has reached its limit of keys', async () => {
    const [first, second] = [await registerProgram(), await registerProgram()];
    await agree(first.hash);
    for (let n = 0; n < 100; n += 1) await screen.keys.create({ by: OPERATOR, account: OWNER });
    for (const language of ['en', 'ja']) {
      const answer = await person.get(`/connect?request=${second.hash}`, { 'accept-language': language });
      expect(answer.status).to.equal(403);
      expect(answer.text).to.include('100').and.not.include('name="request"');
    }
    expect((await agree(second.hash)).status).to.equal(403);
    const { page, body } = await poll(first.text);
    expect(page.status).to.equal(403);
    expect(body.message).to.include('100');
    expect(screen.log.filter(({ outcome }) => outcome === 'quota_exceeded')).to.have.lengthOf(5);
    const [key] = await listedKeys(screen.keys, OWNER);
    await screen.keys.revoke({ by: OPERATOR, id: String(key?.id) });
    expect((await poll(first.text)).body.status, 'once there is room').to.equal('given');
  });

  it('answers 404 without pairings', async () => {
    const closed = await openScreen({ management: { pairings: undefined as never } });
    expect((await new Person(closed.base).post('/connect/key', { secret: 'x' })).status).to.equal(404);
  });

  it('works with an embedding team’s own sign-in', async () => {
    const { text: secret, hash } = secrets.mint();
    const theirs = await openScreen({
      management: {
        authenticate: async () => ({ account: accountId('ada'), person: 'u7', scopes: ['manage'] }),
      },
    });
    const one = new Person(theirs.base);
    await one.post('/connect/register', { request: hash });
    const agreed = { request: hash, label: '', scope: 'pins:write' };
    await one.send(`/connect?request=${hash}`, '/connect', agreed);
    const given = await one.post('/connect/key', { secret });
    expect(JSON.parse(given.text)).to.include({ account: 'ada' });
    const page = await theirs.history.list({ by: 'ada' });
    const events = page.kind === 'page' ? page.events : [];
    expect(events.map(({ type }) => type)).to.have.members(['key.agreed', 'key.created']);
    for (const { actor } of events) expect(actor).to.deep.equal({ kind: 'person', id: 'u7' });
  });
});
