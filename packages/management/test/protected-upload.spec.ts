import { expect } from 'chai';
import { OWNER, openScreen, zipOf } from './open-screen.ts';

describe('a password at publication, on the screen', () => {
  it('protects the site with a password from the start, and says what is wrong with one', async () => {
    const screen = await openScreen();
    const person = await screen.signedIn();
    const { token: form } = await person.get('/');
    const published = async () => {
      const listed = await screen.useCases.list({ by: OWNER, limit: 10 });
      return listed.kind === 'page' ? listed.publications : [];
    };
    const formOf = (fields: Readonly<Record<string, string>>, zip: Uint8Array<ArrayBuffer>): FormData => {
      const data = new FormData();
      for (const [name, value] of Object.entries(fields)) data.set(name, value);
      data.set('archive', new Blob([zip], { type: 'application/zip' }), 'site.zip');
      return data;
    };
    const SITE = { 'index.html': 'x' };
    const good = formOf({ form, key: 'p1', title: '', password: 'correct horse' }, zipOf(SITE));
    expect((await person.post('/publish', good)).status).to.equal(303);
    expect((await published())[0]).to.include({ passwordProtected: true });
    const short = formOf({ form, key: 'p2', title: '', password: 'short' }, zipOf(SITE));
    const refused = await person.post('/publish', short);
    expect(refused.status).to.equal(422);
    expect(refused.text).to.include('The password is too short').and.not.include('value="short"');
    const script = await person.send('/upload', zipOf(SITE), {
      'x-pinfold-form': form,
      'idempotency-key': 'p3',
      'x-pinfold-filename': 'a.zip',
      'x-pinfold-title': encodeURIComponent('お知らせ'),
      'x-pinfold-password': encodeURIComponent('合言葉は山と川です'),
    });
    expect(script.status).to.equal(201);
    expect((await published()).find(({ title }) => title === 'お知らせ')).to.include({
      passwordProtected: true,
    });
    expect(JSON.stringify(screen.log)).not.to.match(/correct horse|合言葉/);
  });
});
