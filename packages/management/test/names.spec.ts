import { accountId } from '@pinfold/core';
import { expect } from 'chai';
import { namesShowing } from '../src/pages/names.ts';
import type { SignedInContext } from '../src/request/request-context.ts';
import { enter, OWNER, person, screen } from './open-screen.ts';

describe('the names', () => {
  beforeEach(() => enter());

  const set = (id: string, name: string) => person.send('/names', `/publications/${id}/name`, { name });

  it('show the publication that was chosen last, and are deleted without it', async () => {
    const [one, two] = [await screen.publish('One'), await screen.publish('<Two>')];
    expect((await person.get('/names')).text).to.include('No names yet');
    await set(one.id, 'pr-42');
    expect((await set(two.id, 'pr-42')).location).to.equal(`/manage/publications/${two.id}`);
    const { text } = await person.get('/names');
    expect(text)
      .to.match(/>pr-42<\/a>/)
      .and.include('&lt;Two&gt;')
      .and.not.include('>One<');
    expect((await person.get(`/publications/${two.id}`)).text).to.match(
      /href="[^"]*\/n\/pr-42-\w+"[^>]*>pr-42</,
    );
    expect((await person.get(`/publications/${one.id}`)).text).not.to.include('>pr-42<');
    const deleted = await person.send('/names', '/names/pr-42/delete');
    expect(deleted.location).to.equal('/manage/names');
    expect((await person.get('/names')).text).to.include('The name “pr-42” was deleted.');
    expect((await screen.useCases.read({ by: OWNER, id: two.id })).kind).to.equal('found');
    for (const path of ['/history', `/publications/${two.id}`])
      expect((await person.get(path)).text)
        .to.include('Name “pr-42” set')
        .and.include('Name “pr-42” deleted');
  });

  it('have their rules, and lead to publications of the account alone', async () => {
    const { id } = await screen.publish('Mine');
    const theirs = await screen.publish('Theirs', undefined, accountId('stranger'));
    await set(id, 'No Name');
    expect((await person.get(`/publications/${id}`)).text).to.include('A name has 1 to 63 of the characters');
    expect((await set(theirs.id, 'x')).status).to.equal(404);
    expect((await person.send('/names', '/names/none/delete')).status).to.equal(404);
    const forged = await person.post(`/publications/${id}/name`, { form: 'wrong', name: 'x' });
    expect(forged.status).to.equal(403);
  });

  it('of a publication are twenty on its page, with a link to all', async () => {
    const { id } = await screen.publish('Popular');
    const named = async (count: number) => {
      for (let n = 0; n < count; n += 1)
        await screen.useCases.names.set({ by: OWNER, name: `pr-${n + 10}`, pin: id });
      const { text } = await person.get(`/publications/${id}`);
      return [text.match(/>pr-\d+<\/a>/g)?.length, /<p><a href="\/manage\/names">/.test(text)];
    };
    expect(await named(20)).to.deep.equal([20, false]);
    expect(await named(21)).to.deep.equal([20, true]);
  });

  it('are looked through up to a thousand for that page', async () => {
    const { id } = await screen.publish('Unnamed');
    let calls = 0;
    const list = async () => {
      calls += 1;
      return { kind: 'page', names: [], next: 'more' } as const;
    };
    const useCases = { ...screen.useCases, names: { ...screen.useCases.names, list } };
    const { signal } = new AbortController();
    const visit = { account: OWNER, signal, screen: { useCases } } as unknown as SignedInContext;
    expect(await namesShowing(visit, id)).to.deep.equal({ names: [], areAll: false });
    expect(calls).to.equal(10);
  });
});
