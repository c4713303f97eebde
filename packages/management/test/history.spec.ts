import { accountId, minutes, OPERATOR } from '@pinfold/core';
import { expect } from 'chai';
import { OWNER, openSignedIn, person, screen } from './open-screen.ts';

describe('the history', () => {
  beforeEach(() => openSignedIn());

  /** The texts of the page's rows, newest first. */
  async function titlesAt(path: string): Promise<readonly (string | undefined)[]> {
    const { text } = await person.get(path);
    return [...text.matchAll(/<th scope="row">([^<]*)</g)].map(([, what]) => what);
  }

  it('shows actors and actions, on the page of a publication and on its own page', async () => {
    const { id } = await screen.publish('Mine');
    await screen.publish('Theirs', undefined, accountId('anonymous'));
    screen.clock.advance(minutes(1));
    await person.send(`/publications/${id}`, `/publications/${id}/pin`);
    const { text } = await person.get(`/publications/${id}`);
    expect(text.slice(text.indexOf('id="history"'))).to.match(/Pinned.*The operator \(ada\)/);
    expect(await titlesAt('/history')).to.have.members([
      'Pinned',
      'Published',
      'Signed in',
      'Sign-in link created',
    ]);
    expect((await titlesAt('/history'))[0]).to.equal('Pinned');
    expect(await titlesAt(`/history?pin=${id}`)).to.deep.equal(['Pinned', 'Published']);
  });

  it('names publications and keys', async () => {
    const { key } = await screen.keys.create({ by: OPERATOR, account: OWNER, label: 'Build server' });
    const { id } = await screen.publish('Price list');
    await screen.useCases.pin({ by: OPERATOR, id, cause: { actor: { kind: 'key', id: key.id } } });
    const { text } = await person.get('/history');
    expect(text)
      .to.match(/>Price list<\/a>/)
      .and.include('API key “Build server”');
    expect((await person.get(`/history?pin=${id}`)).text).to.include('Only “Price list”.');
  });

  it('escapes names', async () => {
    const { id } = await screen.publish('Mine');
    const cause = { actor: { kind: 'person', id: '<b>Bobby</b>' } } as const;
    await screen.useCases.stop({ by: OWNER, id, cause });
    expect((await person.get('/history')).text)
      .to.include('&lt;b&gt;Bobby')
      .and.not.include('<b>Bobby');
  });

  it('links to earlier pages, and redirects from an invalid cursor', async () => {
    for (let n = 0; n < 60; n += 1) {
      screen.clock.advance(minutes(1));
      await screen.keys.create({ by: OPERATOR, account: OWNER });
    }
    const { next = '' } = await person.get('/history');
    expect(await titlesAt('/history')).to.have.lengthOf(50);
    expect(await titlesAt(next)).to.have.lengthOf(12);
    expect((await person.get('/history?cursor=x')).location).to.equal('/manage/history');
  });
});
