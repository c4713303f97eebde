import { accountId, OPERATOR } from '@pinfold/core';
import { expect } from 'chai';
import { OWNER, openScreen, type Screen } from './open-screen.ts';
import { Person } from './person.ts';

const PAGES = ['', '/accounts/owner', '/publications', '/takedowns', '/history', '/sessions', '/service'];

describe('the pages of administrators', () => {
  let screen: Screen;
  let admin: Person;
  beforeEach(async () => {
    screen = await openScreen();
    admin = await signedIn(['admin'], accountId('operators'));
  });

  async function signedIn(scopes: readonly ('admin' | 'manage')[], account = OWNER): Promise<Person> {
    const person = new Person(screen.base);
    const { text } = await screen.keys.create({ by: OPERATOR, account, scopes });
    await person.signIn({ key: text });
    return person;
  }

  it('answer others with the same page as unknown addresses', async () => {
    const { id } = await screen.publish('Mine');
    const [byLink, person] = [await screen.signedIn(), await signedIn(['manage'])];
    const nowhere = await person.get('/nowhere');
    for (const path of [...PAGES, `/publications/${id}`]) {
      const { status, text } = await person.get(`/administration${path}`);
      expect([status, (await byLink.get(`/administration${path}`)).status], path).to.deep.equal([404, 404]);
      expect(main(text)).to.equal(main(nowhere.text));
    }
    const { token } = await person.get('/');
    expect((await person.get('/')).text).not.to.include('Administration');
    const forms = ['accounts/owner/block', 'accounts/owner/limits', `publications/${id}/take-down`];
    for (const form of forms) {
      const fields = { form: token, reason: 'Because' };
      expect((await person.post(`/administration/${form}`, fields)).status, form).to.equal(404);
    }
    expect((await new Person(screen.base).get('/administration')).location).to.include('/sign-in');
  });

  it('are available after sign-in by an administrator’s link', async () => {
    const person = await screen.signedIn(OWNER, 'admin');
    for (const path of ['/', ...PAGES.map((page) => `/administration${page}`)])
      expect((await person.get(path)).status, path).to.equal(200);
  });

  it('show what each account uses', async () => {
    await screen.publish('One');
    await screen.publish('Two');
    const { text } = await admin.get('/administration');
    expect(cells(text, 'owner')).to.match(/^2\|\d+ bytes\|2\|now$/);
    expect(cells(text, 'operators')).to.equal('0|0 bytes|0|Never');
    const owner = '/manage/administration/accounts/owner';
    expect((await admin.get('/administration?name=owner')).location).to.equal(owner);
    expect((await admin.get('/administration/accounts/nobody')).status).to.equal(404);
    expect((await admin.get('/administration?name=WNE')).location, 'the only one').to.equal(owner);
    const both = (await admin.get('/administration?name=o&sort=use')).text;
    expect(both.indexOf('accounts/owner"')).to.be.below(both.indexOf('accounts/operators"')).and.above(0);
  });

  it('show how many accounts a search covered, and find any other by its full name', async () => {
    const { accounts } = screen.memory;
    const base = (await accounts.load(accountId('operators')))?.value;
    if (base === undefined) throw new Error('no account');
    expect((await admin.get('/administration?sort=use')).text).not.to.include('were searched');
    for (let n = 0; n < 1_000; n += 1)
      await accounts.save({ ...base, name: accountId(`a${n}`) }, undefined, []);
    await accounts.save({ ...base, name: accountId('zoe') }, undefined, []);
    const searched = 'Only the first 1,000 accounts by name were searched';
    for (const query of ['sort=use', 'name=zo', 'name=99&sort=use'])
      expect((await admin.get(`/administration?${query}`)).text, query).to.include(searched);
    const zoe = '/manage/administration/accounts/zoe';
    expect((await admin.get('/administration?name=zoe')).location).to.equal(zoe);
  });

  it('set limits of an account, and explain an invalid one', async () => {
    await screen.publish('One');
    const page = '/administration/accounts/owner';
    const wrong = await admin.send(page, `${page}/limits`, { publications: 'often', sites: '3' });
    expect(wrong.status).to.equal(422);
    expect(wrong.text).to.match(/value="often"[^>]*aria-invalid="true"/);
    expect(wrong.text).to.include('Enter a rate such as');
    const set = await admin.send(page, `${page}/limits`, {
      publications: '5/1h',
      sites: '3',
      bytes: '1.5 GiB',
    });
    expect(set.status).to.equal(303);
    expect((await admin.get(page)).text)
      .to.include('In force: 5 per 1 hour')
      .and.include('In force: 1.5 GiB')
      .and.include('In force: unlimited');
    const loaded = await screen.memory.accounts.load(OWNER);
    expect(loaded?.value.limits).to.deep.equal({
      requests: null,
      publications: '5/1h',
      sites: 3,
      bytes: 1_610_612_736,
    });
  });

  it('block an account with a reason, and unblock it', async () => {
    await screen.publish('One');
    const page = '/administration/accounts/owner';
    expect((await admin.send(page, `${page}/block`, { reason: ' ', sites: 'hide' })).status).to.equal(422);
    await admin.send(page, `${page}/block`, { reason: 'Phishing', sites: 'hide' });
    const blocked = (await screen.memory.accounts.load(OWNER))?.value.blocked;
    expect(blocked).to.include({ reason: 'Phishing', sites: 'hide' });
    expect((await admin.get(page)).text).to.match(/Blocked [^<]*: Phishing/);
    await admin.send(page, `${page}/unblock`);
    expect((await screen.memory.accounts.load(OWNER))?.value.blocked).to.equal(null);
  });

  it('let an administrator with a blocked account read, but change nothing', async () => {
    const page = '/administration/accounts/operators';
    const warning = 'signed in to this account';
    await screen.publish('One');
    expect((await admin.get(page)).text).to.include(warning);
    expect((await admin.get('/administration/accounts/owner')).text)
      .to.include('Block “owner”?')
      .and.not.include(warning);
    await admin.send(page, `${page}/block`, { reason: 'Key lost', sites: 'keep' });
    expect((await admin.get(page)).status).to.equal(200);
    expect((await admin.send(page, `${page}/unblock`)).status).to.equal(403);
    expect((await screen.memory.accounts.load(accountId('operators')))?.value.blocked).not.to.equal(null);
  });

  it('show whether the publication of a blocked account is hidden', async () => {
    const { id } = await screen.publish('Mine');
    const own = `/administration/publications/${id}`;
    expect((await admin.get(own)).text).not.to.include('Blocked');
    const account = '/administration/accounts/owner';
    for (const [sites, messages] of [
      ['keep', 'Its sites stay online.'],
      ['hide', 'Its sites are offline.'],
    ] as const) {
      await admin.send(account, `${account}/block`, { reason: 'Phishing', sites });
      expect((await admin.get(own)).text, sites)
        .to.include('Blocked')
        .and.to.include(messages);
    }
  });

  it('take a publication down with its copies, and lift the ban', async () => {
    const { id, sha256 } = await screen.publish('Bait');
    const copy = await screen.publish('Copy', undefined, accountId('anonymous'));
    expect((await admin.get('/administration/publications?q=bait')).text).to.include(id);
    const link = encodeURIComponent(`https://share.example/s/${id.toUpperCase()}/a?b#c`);
    const { text: linked } = await admin.get(`/administration/publications?q=${link}`);
    expect(linked).to.include(`publications/${id}`).and.not.include(copy.id);
    const page = `/administration/publications/${id}`;
    expect((await admin.send(page, `${page}/take-down`, { reason: '' })).status).to.equal(422);
    await admin.send(page, `${page}/take-down`, { reason: 'Phishing', copies: 'yes' });
    for (const each of [id, copy.id]) {
      const stored = await screen.memory.roles.load(each);
      expect(stored?.value.deletedAt).to.equal(screen.clock.now());
    }
    expect((await admin.get(page)).text).to.match(/Taken down [^<]*: Phishing/);
    const listed = await admin.get('/administration/takedowns');
    expect(listed.text).to.include(sha256.slice(0, 12));
    await admin.send('/administration/takedowns', `/administration/takedowns/${sha256}/lift`);
    expect((await admin.get('/administration/takedowns')).text).to.include('No takedowns');
  });

  it('list sessions page by page, and end one', async () => {
    for (let n = 0; n < 51; n += 1) await signedIn(['manage']);
    const other = await signedIn(['manage'], accountId('another'));
    const pages = (await admin.walk('/administration/sessions?account=owner')).map((text) =>
      [...text.matchAll(/action="\/manage([^"]+\/end\?account=owner)"/g)].map(([, path = '']) => path),
    );
    const all = pages.flat();
    expect(pages.map(({ length }) => length)).to.deep.equal([50, 1]);
    expect(new Set(all).size).to.equal(51);
    const ended = await admin.send('/administration/sessions', all[0] ?? '');
    expect(ended.location).to.equal('/manage/administration/sessions?account=owner');
    await admin.send('/administration/sessions', all[0] ?? '');
    expect((await screen.sessions.list({ by: OWNER, limit: 100 })).sessions).to.have.lengthOf(50);
    const { text } = await admin.get('/administration/sessions?account=operators');
    expect(text).to.include('This session').and.include('Admin');
    expect((await other.get('/')).status).to.equal(200);
    const history = await admin.walk('/administration/history?account=owner');
    expect(history.join('')).to.include('>Signed out<');
    for (const cursor of ['%00', 'x', 'g'.repeat(16)]) {
      expect((await admin.get(`/administration/sessions?cursor=${cursor}`)).status).to.equal(200);
    }
  });

  it('show the health of the node', async () => {
    const parts = { database: 'ok', storage: 'slow', staging: 'low' } as const;
    const health = () => ({ node: 'node <1>', version: '1.2.3', parts, clock: -2.25 });
    const watched = await openScreen({ management: { health } });
    const page = (await (await watched.signedIn(OWNER, 'admin')).get('/administration/service')).text;
    const facts = [...page.matchAll(/<dd>(.*?)<\/dd>/g)].map(([, fact = '']) => fact.replace(/<[^>]+>/g, ''));
    expect(facts).to.deep.equal([
      ...['Working', 'Slow', 'Little space', '-2.3 seconds', 'node &lt;1&gt;', '1.2.3'],
    ]);
    expect((await admin.get('/administration/service')).text).not.to.include('id="health"');
  });

  it('make the service read-only with a message, and normal again', async () => {
    const { id } = await screen.publish('Mine');
    const page = '/administration/service';
    const long = 'x'.repeat(256);
    expect((await admin.send(page, page, { mode: 'read_only', message: long })).status).to.equal(422);
    await admin.send(page, page, { mode: 'read_only', message: 'Back at noon' });
    const owner = await signedIn(['manage']);
    const { token } = await owner.get(`/publications/${id}`);
    const refused = await owner.post(`/publications/${id}/pin`, { form: token });
    expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '60']);
    expect(refused.text).to.include('Back at noon');
    await admin.send(page, page, { mode: 'normal', message: '' });
    expect((await owner.post(`/publications/${id}/pin`, { form: token })).status).to.equal(303);
  });

  it('answer invalid account names with a redirect, the whole history or 404', async () => {
    for (const name of ['%00', 'a%E2%80%A8b', 'x'.repeat(256)]) {
      const { status, location } = await admin.get(`/administration/publications?account=${name}`);
      expect([status, location], name).to.deep.equal([303, '/manage/administration/publications']);
      expect((await admin.get(`/administration/history?account=${name}`)).status, name).to.equal(200);
      expect((await admin.get(`/administration/accounts/${name}`)).status, name).to.equal(404);
    }
  });

  it('escape names and reasons', async () => {
    const name = accountId('<b>&"/..');
    await screen.publish('One', undefined, name);
    const page = `/administration/accounts/${encodeURIComponent(name)}`;
    await admin.send(page, `${page}/block`, { reason: '<i>why', sites: 'keep' });
    const { status, text } = await admin.get(page);
    expect(status).to.equal(200);
    expect(text).to.include('&lt;i&gt;why').and.not.include('<i>why').and.not.include('<b>&');
    const listed = await admin.get('/administration');
    expect(listed.text).to.include(`href="/manage${page}"`);
  });
});

function main(text: string): string {
  return text.slice(text.indexOf('<main'), text.indexOf('</main>'));
}

/** The texts in the row of an account. */
function cells(text: string, account: string): string {
  const row = text.slice(text.indexOf(`>${account}</a>`));
  const texts = [...row.slice(0, row.indexOf('</tr>')).matchAll(/<td[^>]*>(.*?)<\/td>/g)];
  return texts.map(([, cell = '']) => cell.replace(/<[^>]*>/g, '')).join('|');
}
