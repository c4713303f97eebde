import { accountId, days, hours, minutes, OPERATOR, type Publication } from '@pinfold/core';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { BY_ADA, OWNER, openScreen, openSignedIn, person, screen, signIn } from './open-screen.ts';
import { Person } from './person.ts';
import { readCode } from './read-code.ts';

describe('one publication', () => {
  let role: Publication;
  let path: string;
  let form: string;
  beforeEach(async () => {
    await openSignedIn();
    role = await screen.publish('Report', { 'index.html': 'hi', 'b/c.txt': 'x'.repeat(2_048) });
    path = `/publications/${role.id}`;
    form = (await person.get(path)).token;
  });

  const currentRole = (): Promise<Publication> => screen.read(role.id);

  const act = (verb: string, fields: Readonly<Record<string, string>> = {}) =>
    person.post(`${path}/${verb}`, { form, ...fields });

  it('shows all its details', async () => {
    const { text } = await person.get(path);
    const facts = [role.id, 'Report', 'site-1.zip', `${screen.url}/s/${role.id}`];
    for (const shown of [...facts, 'index.html', 'b/c.txt', '2 KiB', '27 November 2026', 'in 7 days'])
      expect(text, shown).to.include(shown);
  });

  it('shows its link as a readable QR code, to its account only', async () => {
    const { text: detail } = await person.get(path);
    expect(detail).to.include(`src="/manage${path}/code.svg" alt="QR code of the link"`);
    const answer = await person.get(`${path}/code.svg`);
    expect(answer.headers.get('content-type')).to.match(/^image\/svg\+xml/);
    expect(answer.headers.get('content-security-policy')).to.include("default-src 'none'");
    expect(readCode(answer.text)).to.equal(`${screen.url}/s/${role.id}`);
    const other = await screen.signedIn(accountId('other'));
    expect((await other.get(`${path}/code.svg`)).status).to.equal(404);
    expect((await new Person(screen.base).get(`${path}/code.svg`)).status).to.equal(303);
  });

  it('can be downloaded as the uploaded ZIP, by its account only', async () => {
    expect((await person.get(path)).text).to.include(`href="/manage${path}/archive">Download the ZIP</a>`);
    const answer = await person.get(`${path}/archive`);
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('content-type')).to.equal('application/zip');
    expect(answer.headers.get('content-disposition')).to.include('filename="site-1.zip"');
    expect(answer.headers.get('etag')).to.equal(`"${role.sha256}"`);
    expect(answer.headers.get('cache-control')).to.equal('no-store');
    const part = await person.get(`${path}/archive`, { range: 'bytes=0-1' });
    expect([part.status, part.text]).to.deep.equal([206, 'PK']);
    const other = await screen.signedIn(accountId('other'));
    expect((await other.get(`${path}/archive`)).status).to.equal(404);
    expect((await new Person(screen.base).get(`${path}/archive`)).status).to.equal(303);
  });

  it('can be downloaded in read-only mode and by a blocked account, until it is stopped', async () => {
    const { blockAccount, changeService } = screen.administration;
    await changeService({ kind: 'read_only', message: null }, BY_ADA);
    await blockAccount(OWNER, { reason: 'x', sites: 'hide' }, BY_ADA);
    expect((await person.get(`${path}/archive`)).status).to.equal(200);
    await screen.useCases.stop({ by: OPERATOR, id: role.id });
    expect((await person.get(path)).text).not.to.include('Download the ZIP');
    expect((await person.get(`${path}/archive`)).location).to.equal(`/manage${path}`);
    expect((await person.get(path)).text).to.match(/role="alert"[\s\S]+can no longer be downloaded/);
  });

  it('charges a download like a change', async () => {
    await openSignedIn({ management: { requestRate: { count: 12, window: minutes(1) } } });
    role = await screen.publish('Report');
    expect((await person.get(`/publications/${role.id}/archive`)).status).to.equal(200);
    expect((await person.get(`/publications/${role.id}/archive`)).status).to.equal(429);
  });

  it('has no download without `openArchive`, and explains a refused one', async () => {
    await openSignedIn({ management: { openArchive: undefined } });
    role = await screen.publish('Report');
    expect((await person.get(`/publications/${role.id}`)).text).not.to.include('Download the ZIP');
    expect((await person.get(`/publications/${role.id}/archive`)).status).to.equal(404);
    await openSignedIn({ management: { openArchive: async () => ({ kind: 'refused', code: 'forbidden' }) } });
    role = await screen.publish('Report');
    expect((await person.get(`/publications/${role.id}/archive`)).status).to.equal(403);
  });

  it('is shared below a public URL with a trailing slash', async () => {
    const other = await openScreen({ publicUrl: 'https://pages.example.com/' });
    const someone = await other.signedIn();
    const { id } = await other.publish('Report');
    const { text } = await someone.get(`/publications/${id}`);
    expect(text).to.include(`"https://pages.example.com/s/${id}"`);
  });

  it('can be pinned and unpinned, and shows its state', async () => {
    const pinned = await act('pin');
    expect(pinned.location).to.equal(`/manage${path}`);
    expect((await currentRole()).pinned).to.equal(true);
    expect((await person.get(path)).text).to.include('“Report” is pinned');
    expect((await person.get(path)).text, 'shown once').not.to.include('“Report” is pinned');
    await act('unpin');
    expect((await currentRole()).expiresAt).to.equal(screen.clock.now() + days(7));
  });

  it('leads back to the list after a form there', async () => {
    const referer = `${screen.url}/manage/?state=published`;
    const at = await person.post(`${path}/pin`, { form }, { referer });
    expect(at.location).to.equal('/manage/?state=published');
    expect((await person.get('/')).text).to.include('“Report” is pinned');
  });

  it('can be renewed, or explains why not', async () => {
    screen.clock.advance(hours(5));
    await act('renew');
    expect((await currentRole()).expiresAt).to.equal(screen.clock.now() + days(7));
    await act('pin');
    expect((await person.get(path)).text)
      .to.match(/<button type="button" disabled[^>]*>Renew for 7 days/)
      .and.include('is pinned and has no expiration');
    await act('renew');
    expect((await person.get(path)).text).to.match(/role="alert"[\s\S]+is pinned and has no expiration/);
  });

  it('offers only to stop it once it is expired', async () => {
    screen.clock.advance(days(7));
    await signIn();
    form = (await person.get(path)).token;
    const { text } = await person.get(path);
    expect(text)
      .to.include('is expired and cannot be restored or renewed')
      .and.include('The link no longer works. Stopping deletes the files now.')
      .and.not.include('The link stops working immediately')
      .and.not.include('/rename')
      .and.not.include('/pin');
    for (const verb of ['pin', 'renew', 'rename', 'password']) {
      await act(verb, {
        title: 'x',
        seen: verb === 'password' ? String(role.generation) : 'Report',
        password: 'long enough',
      });
      expect((await person.get(path)).text, verb).to.include('role="alert"');
    }
    expect(await currentRole()).to.deep.equal({ ...role, state: 'expired' });
    await act('stop');
    expect((await currentRole()).deletedAt).to.equal(screen.clock.now());
  });

  it('can be renamed, and its title cleared', async () => {
    await act('rename', { title: ' Draft \u{1f9ed}', seen: 'Report' });
    expect((await currentRole()).title).to.equal(' Draft \u{1f9ed}');
    await act('rename', { title: '', seen: ' Draft \u{1f9ed}' });
    expect((await currentRole()).title).to.equal(null);
    expect((await person.get(path)).text).to.include('<h1 dir="auto">site-1.zip</h1>');
  });

  it('shows an invalid title again with the error', async () => {
    const long = 'x'.repeat(256);
    const refused = await act('rename', { title: long, seen: 'Report' });
    expect(refused.status).to.equal(422);
    expect(refused.text)
      .to.include(`value="${long}"`)
      .and.include('aria-invalid="true"')
      .and.include('id="title-error"')
      .and.include('it has 256 characters, and 255 are allowed');
    expect((await currentRole()).title).to.equal('Report');
  });

  it('keeps a title that another window set meanwhile', async () => {
    await screen.useCases.update({ by: OPERATOR, id: role.id }, { type: 'set_title', title: 'Theirs' });
    const overtaken = await act('rename', { title: 'Mine', seen: 'Report' });
    expect(overtaken.status).to.equal(422);
    expect(overtaken.text)
      .to.include('Theirs')
      .and.include('value="Mine"')
      .and.include('name="seen" value="Theirs"');
    expect((await currentRole()).title).to.equal('Theirs');
    await act('rename', { title: 'Mine', seen: 'Theirs' });
    expect((await currentRole()).title).to.equal('Mine');
  });

  it('sets the password exactly as typed, and removes it', async () => {
    const seen = String(role.generation);
    await act('password', { password: '  spaces stay  ', seen });
    const first = await currentRole();
    expect(first.passwordProtected).to.equal(true);
    const tryPassword = (password: string) =>
      screen.useCases.enter({ id: role.id, password, address: '::1' });
    expect((await tryPassword('spaces stay')).kind).to.equal('wrong');
    expect((await tryPassword('  spaces stay  ')).kind).to.equal('granted');
    expect((await person.get(path)).text).to.include('is set. Everyone is asked');
    await act('password', { remove: 'yes', seen: String(first.generation) });
    expect((await currentRole()).passwordProtected).to.equal(false);
  });

  it('keeps a password that another window set meanwhile', async () => {
    await screen.protect(role.id, 'theirs, first');
    const before = await currentRole();
    await act('password', { password: 'mine, later', seen: String(role.generation) });
    expect(await currentRole()).to.deep.equal(before);
    expect((await person.get(path)).text).to.include('the publication was changed elsewhere');
  });

  it('refuses a password from a form without the seen generation', async () => {
    for (const seen of ['', '0', '-1', '1.5', '01', '1e3', '9'.repeat(16)]) {
      expect((await act('password', { password: 'long enough', seen })).status).to.equal(400);
    }
    expect((await currentRole()).passwordProtected).to.equal(false);
  });

  it('explains an invalid password without showing it', async () => {
    for (const [password, expectedText] of [
      ['qwzyx', 'needs 8 characters'],
      ['', 'needs 8 characters'],
      ['あ'.repeat(25), 'it has 75 bytes, and 72 are allowed'],
    ] as const) {
      const refused = await act('password', { password, seen: String(role.generation) });
      expect(refused.status).to.equal(422);
      expect(refused.text).to.include(expectedText).and.include('<details open');
      if (password !== '') expect(refused.text).not.to.include(password);
    }
    expect((await currentRole()).passwordProtected).to.equal(false);
  });

  it('asks by name before it is stopped for good', async () => {
    const question = await person.get(`${path}/stop`);
    expect(question.text).to.include('Stop this publication?').and.include('Report');
    expect(question.text).to.include('the files are deleted');
    expect((await currentRole()).deletedAt).to.equal(null);
    await act('stop');
    expect((await currentRole()).deletedAt).to.equal(screen.clock.now());
    screen.clock.advance(minutes(1));
    await act('stop');
    expect((await person.get(path)).text).to.include('can no longer change');
    expect((await person.get(`${path}/stop`)).status).to.equal(303);
  });

  it('answers 404 to invalid ids, and understands an id in capital letters', async () => {
    for (const id of ['x', '../keys', 'ffffffff-ffff-4fff-8fff-ffffffffffff', '%00', `${role.id}0`]) {
      expect((await person.get(`/publications/${encodeURIComponent(id)}`)).status, id).to.equal(404);
    }
    expect((await person.get(`/publications/${role.id.toUpperCase()}`)).status).to.equal(200);
  });

  it('can be stopped even if the storage lost its files', async () => {
    const lossy = await openScreen({
      ports: ({ roles }) => ({
        roles: replacing(roles, { loadManifest: async () => undefined }),
      }),
    });
    const lost = await lossy.publish('Lost');
    const owner = await lossy.signedIn();
    const page = await owner.get(`/publications/${lost.id}`);
    expect([page.status, page.text.includes('The files have been removed.')]).to.deep.equal([200, true]);
    await owner.send(`/publications/${lost.id}`, `/publications/${lost.id}/stop`);
    expect((await owner.get(`/publications/${lost.id}`)).text).to.include('was stopped');
  });
});
