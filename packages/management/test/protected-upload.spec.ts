import { expect } from 'chai';
import { openScreen, zipOf } from './open-screen.ts';
import { formOf } from './person.ts';

describe('a password at publication, on the screen', () => {
  it('protects the site with a password from the start, and says what is wrong with one', async () => {
    const screen = await openScreen();
    const person = await screen.signedIn();
    const { token: form } = await person.get('/');
    const SITE = { 'index.html': 'x' };
    const good = formOf({ form, key: 'p1', title: '', password: 'correct horse' }, zipOf(SITE));
    expect((await person.post('/publish', good)).status).to.equal(303);
    expect((await screen.owned())[0]).to.include({ passwordProtected: true });
    const short = formOf({ form, key: 'p2', title: '', password: 'short' }, zipOf(SITE));
    const refused = await person.post('/publish', short);
    expect(refused.status).to.equal(422);
    expect(refused.text).to.include('The password is too short').and.not.include('value="short"');
    const script = await person.upload(zipOf(SITE), form, 'p3', {
      'x-pinfold-title': encodeURIComponent('お知らせ'),
      'x-pinfold-password': encodeURIComponent('合言葉は山と川です'),
    });
    expect(script.status).to.equal(201);
    expect((await screen.owned()).find(({ title }) => title === 'お知らせ')).to.include({
      passwordProtected: true,
    });
    expect(JSON.stringify(screen.log)).not.to.match(/correct horse|合言葉/);
  });
});
