import { accountId, type RoleId } from '@pinfold/core';
import { expect } from 'chai';
import { OWNER, openSignedIn, person, screen } from './open-screen.ts';
import type { Person } from './person.ts';

describe('several publications at once', () => {
  beforeEach(() => openSignedIn());

  const stateOf = async (id: RoleId): Promise<string> => (await screen.read(id)).state;
  const stop = (ids: readonly string[], form: string): ReturnType<Person['post']> =>
    person.post('/stop', new URLSearchParams([['form', form], ...ids.map((id) => ['id', id])]));

  it('are named before they are stopped, and stopped together', async () => {
    const [one, two, three] = [
      await screen.publish('One'),
      await screen.publish('<Two>'),
      await screen.publish('Three'),
    ];
    const question = await person.get(`/stop?id=${one.id}&id=${two.id}`);
    expect(question.text)
      .to.include('Stop 2 publications?')
      .and.include('&lt;Two&gt;')
      .and.not.include('Three');
    for (const text of ['Their links stop working', '>Keep them<', '>Stop publications<'])
      expect(question.text).to.include(text);
    expect(await stateOf(one.id)).to.equal('published');
    const stopped = await stop([one.id, two.id, two.id], question.token);
    expect(stopped.location).to.equal('/manage/');
    expect((await person.get('/')).text).to.include('2 publications were stopped.');
    expect([await stateOf(one.id), await stateOf(two.id), await stateOf(three.id)]).to.deep.equal([
      'deleted',
      'deleted',
      'published',
    ]);
  });

  it('are reported as not stopped if all were stopped before', async () => {
    const { id } = await screen.publish('One');
    const { token } = await person.get(`/stop?id=${id}`);
    await stop([id], token);
    expect((await person.get('/')).text).to.include('1 publication was stopped.');
    const nothing = 'Nothing was stopped: select publications that are not stopped yet.';
    await stop([id], token);
    expect((await person.get('/')).text)
      .to.include(nothing)
      .and.not.include('0 publications');
    expect((await person.get(`/stop?id=${id}`)).location).to.equal('/manage/');
    expect((await person.get('/')).text).to.include(nothing);
  });

  it('must be of the account, and need a form token', async () => {
    const theirs = await screen.publish('Theirs', undefined, accountId('anonymous'));
    const mine = await screen.publish('Mine');
    expect((await person.get(`/stop?id=${theirs.id}&id=x`)).location).to.equal('/manage/');
    expect((await stop([mine.id], 'wrong')).status).to.equal(403);
    await stop([theirs.id], (await person.get('/')).token);
    const found = await screen.useCases.read({ by: 'anonymous', id: theirs.id });
    expect(found).to.have.nested.property('publication.state', 'published');
    expect(await stateOf(mine.id)).to.equal('published');
  });

  it('each count against the bound for ending access', async () => {
    const { token } = await person.get('/');
    for (let n = 0; n < 59; n += 1) await stop([], token);
    const [one, two] = [await screen.publish('One'), await screen.publish('Two')];
    expect((await stop([one.id, two.id], token)).status).to.equal(429);
    expect([await stateOf(one.id), await stateOf(two.id)]).to.have.members(['deleted', 'published']);
  });
});

describe('a protected site', () => {
  it('opens for its owner by a grant, unless the embedding team refuses', async () => {
    const calls: unknown[] = [];
    await openSignedIn({
      management: {
        createGrant: async ({ by, id }) => {
          calls.push([by, id]);
          return calls.length === 1
            ? { kind: 'created', url: 'https://site.example/?grant=x', expiresAt: 0 as never }
            : { kind: 'refused', code: 'forbidden' };
        },
      },
    });
    const { id } = await screen.publish('Mine');
    await screen.protect(id, 'correct horse');
    const { token, text } = await person.get(`/publications/${id}`);
    expect(text).to.include(`action="/manage/publications/${id}/open"`);
    const opened = await person.post(`/publications/${id}/open`, { form: token });
    expect(opened.text).to.include('url=https://site.example/?grant=x');
    expect((await person.post(`/publications/${id}/open`, { form: token })).status).to.equal(403);
    expect((await person.post(`/publications/${id}/open`, { form: 'wrong' })).status).to.equal(403);
    expect(calls).to.deep.equal([
      [OWNER, id],
      [OWNER, id],
    ]);
  });
});
