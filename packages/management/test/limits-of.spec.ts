import { days } from '@pinfold/core';
import { expect } from 'chai';
import { OWNER, openScreen, type Screen } from './open-screen.ts';
import type { Person } from './person.ts';

describe('the screen of an account with limits of its own', () => {
  let screen: Screen;
  let person: Person;
  beforeEach(async () => {
    screen = await openScreen({
      limitsOf: (account) =>
        account === OWNER ? { archiveBytes: 2_048, lifetime: days(30), renewal: days(3) } : {},
    });
    person = await screen.signedIn();
  });

  it('tells them beside the form, and for how long it renews', async () => {
    expect((await person.get('/')).text)
      .to.contain('2 KiB')
      .and.contain('30 days');
    const { id } = await screen.publish('Harbour');
    expect((await person.get(`/publications/${id}`)).text).to.contain('Renew for 3 days');
  });

  it('takes no archive above them, with and without scripts', async () => {
    const { token } = await person.get('/');
    const archive = new Uint8Array(2_049);
    const sent = await person.upload(archive, token, 'key-1');
    expect([sent.status, sent.text.includes('"limit":2048')]).to.deep.equal([413, true]);
    const form = new FormData();
    form.set('form', token);
    form.set('key', 'key-2');
    form.set('archive', new Blob([archive], { type: 'application/zip' }), 'site.zip');
    const posted = await person.post('/publish', form);
    expect([posted.status, posted.text.includes('2 KiB')]).to.deep.equal([413, true]);
  });
});
