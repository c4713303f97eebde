import { accountId } from '@pinfold/core';
import { pairingCode } from '@pinfold/core/accounts';
import { NodeSessionSecrets } from '@pinfold/platform-node';
import { expect } from 'chai';
import { OWNER, openScreen, type Screen } from './open-screen.ts';
import { type Page, Person } from './person.ts';

describe('giving a program a key', () => {
  let screen: Screen;
  let person: Person;
  const secrets = new NodeSessionSecrets();
  beforeEach(async () => {
    screen = await openScreen();
    person = new Person(screen.base);
    await person.signIn((await screen.sessions.offerLink(OWNER)).token);
  });
  afterEach(() => screen.close());

  /** A program has no cookies. */
  const poll = async (
    secret: string,
  ): Promise<{ readonly page: Page; readonly body: Record<string, unknown> }> => {
    const page = await new Person(screen.base).post('/connect/key', { secret });
    return { page, body: JSON.parse(page.text) };
  };

  const agree = async (hash: string, fields: Readonly<Record<string, string>> = {}): Promise<Page> => {
    const { token: form } = await person.get(`/connect?request=${hash}`);
    return await person.post('/connect', {
      form,
      request: hash,
      label: 'Laptop',
      scope: 'pins:read',
      ...fields,
    });
  };

  it('shows what to compare, and gives the key to whoever has the secret, once', async () => {
    const { text: secret, hash } = secrets.mint();
    const asked = await person.get(`/connect?request=${hash}&label=${encodeURIComponent('"><b>x')}`);
    expect(asked.text).to.include(pairingCode(hash)).and.include('value="&quot;&gt;&lt;b&gt;x"');
    expect(asked.text).not.to.include('value="admin"');
    expect((await poll(secret)).page.status, 'before').to.equal(202);
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
    expect(
      screen.log.some((entry) => entry.route === '/manage/connect/key' && entry.key === body.id),
    ).to.equal(true);
  });

  it('gives no key to who has only seen the page', async () => {
    const { hash } = secrets.mint();
    await agree(hash);
    for (const secret of [hash, '', secrets.mint().text])
      expect((await poll(secret)).page.status).to.equal(202);
    expect(await screen.keys.list(OWNER)).to.deep.equal([]);
  });

  it('asks strangers to sign in, and brings them back', async () => {
    const { hash } = secrets.mint();
    const stranger = new Person(screen.base);
    const asked = await stranger.get(`/connect?request=${hash}`);
    const to = `/connect?request=${hash}`;
    expect(asked.location).to.equal(`/manage/sign-in?to=${encodeURIComponent(to)}`);
    const { token: form } = await stranger.get('/sign-in');
    const { token: link } = await screen.sessions.offerLink(OWNER);
    expect((await stranger.post('/sign-in', { form, link, to })).location).to.equal(`/manage${to}`);
  });

  it('takes no agreement without the token of the page, nor of a blocked account, nor to administer', async () => {
    const { text: secret, hash } = secrets.mint();
    expect((await agree(hash, { form: 'x' })).status).to.equal(403);
    expect((await agree(hash, { scope: 'admin' })).status).to.equal(422);
    expect((await agree(hash, { label: 'x'.repeat(101) })).status).to.equal(422);
    expect((await agree('no hash')).status).to.equal(400);
    const cause = { actor: { kind: 'operator', id: null } } as const;
    await screen.administration.blockAccount(OWNER, { reason: 'a test', sites: 'keep' }, cause);
    expect((await agree(hash)).status).to.equal(403);
    expect((await poll(secret)).page.status).to.equal(202);
  });

  it('says how a program is made to ask, where none does', async () => {
    expect((await person.get('/connect')).text).to.include(`pinfold login ${screen.url}`);
    const wrong = await person.get('/connect?request=1');
    expect(wrong.status).to.equal(400);
    expect(wrong.text).to.include('not complete');
  });

  it('is not there where nobody gives keys so', async () => {
    const closed = await openScreen({ management: { pairings: undefined as never } });
    try {
      expect((await new Person(closed.base).post('/connect/key', { secret: 'x' })).status).to.equal(404);
    } finally {
      await closed.close();
    }
  });

  it('works with the sign-in of a team', async () => {
    const { text: secret, hash } = secrets.mint();
    const theirs = await openScreen({
      management: {
        authenticate: async () => ({ account: accountId('ada'), person: 'u7', scopes: ['manage'] }),
      },
    });
    try {
      const one = new Person(theirs.base);
      const { token: form } = await one.get(`/connect?request=${hash}`);
      await one.post('/connect', { form, request: hash, label: '', scope: 'pins:write' });
      const given = await one.post('/connect/key', { secret });
      expect(JSON.parse(given.text)).to.include({ account: 'ada' });
      const told = await theirs.history.list({ by: 'ada' });
      expect(told.kind === 'page' && told.events[0]).to.deep.include({
        type: 'key.created',
        actor: { kind: 'person', id: 'u7' },
      });
    } finally {
      await theirs.close();
    }
  });
});
