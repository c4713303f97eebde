import { accountId, days, parseName } from '@pinfold/core';
import { expect } from 'chai';
import { spellAsName } from '../src/name-spelling.ts';
import { namesShowing } from '../src/pages/names.ts';
import type { SignedInContext } from '../src/request/request-context.ts';
import { OWNER, openSignedIn, person, screen, signIn, zipOf } from './open-screen.ts';
import { formOf } from './person.ts';

describe('the names', () => {
  beforeEach(() => openSignedIn());

  const set = (id: string, name: string) => person.send('/names', `/publications/${id}/name`, { name });

  it('show the last chosen publication, and can be deleted without it', async () => {
    const [one, two] = [await screen.publish('One'), await screen.publish('<Two>')];
    expect((await person.get('/names')).text).to.include('No names yet');
    await set(one.id, 'pr-42');
    expect((await set(two.id, 'pr-42')).location).to.equal(`/manage/publications/${two.id}`);
    const { text } = await person.get('/names');
    expect(text)
      .to.match(/title="pr-42"[^>]*>pr-42<\/a>/)
      .and.match(/title="&lt;Two&gt;"[^>]*>&lt;Two&gt;<\/a>/)
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

  it('must follow the rules, and show only publications of the account', async () => {
    const { id } = await screen.publish('Mine');
    const theirs = await screen.publish('Theirs', undefined, accountId('anonymous'));
    await set(id, 'No Name');
    const pageText = (await person.get(`/publications/${id}`)).text;
    expect(pageText).to.include('A name has 1 to 63 of the characters').and.include('try “no-name”.');
    await set(id, '桜');
    expect((await person.get(`/publications/${id}`)).text).not.to.include('try “');
    expect((await set(theirs.id, 'x')).status).to.equal(404);
    expect((await set('%E6%97%A5', 'No Name')).status).to.equal(404);
    expect((await person.send('/names', '/names/none/delete')).status).to.equal(404);
    const forged = await person.post(`/publications/${id}/name`, { form: 'wrong', name: 'x' });
    expect(forged.status).to.equal(403);
  });

  it('ask before they replace a protected publication by an open one', async () => {
    const [locked, open] = [await screen.publish('Locked'), await screen.publish('Open')];
    await screen.protect(locked.id, 'a long password');
    await set(locked.id, 'docs');
    const shown = async () => {
      const found = await screen.useCases.names.get({ by: OWNER, name: 'docs' });
      return found.kind === 'refused' ? undefined : found.name.pin;
    };
    for (const [path, fields] of [
      [`/publications/${open.id}/name`, { name: 'docs' }],
      ['/names/docs', { pin: open.id }],
    ] as const) {
      const question = await person.send('/names', path, fields);
      expect(question.status).to.equal(200);
      expect(question.text)
        .to.include('Show “docs” without a password?')
        .and.include(`action="/manage${path}"`);
      expect(await shown(), 'nothing is moved yet').to.equal(locked.id);
      expect((await person.send('/names', path, { ...fields, open: 'yes' })).status).to.equal(303);
      expect(await shown()).to.equal(open.id);
      expect((await person.send('/names', path, fields)).status, 'it is open already').to.equal(303);
      await set(locked.id, 'docs');
    }
    await screen.protect(open.id, 'another password');
    expect((await set(open.id, 'docs')).status, 'to one with a password').to.equal(303);
  });

  it('show the state and end of their publication, which can be renewed or replaced there', async () => {
    const [one, two] = [await screen.publish('Autumn'), await screen.publish('<Winter>')];
    for (const name of ['seasons', 'stopped']) await set(one.id, name);
    await set(two.id, 'stopped');
    await screen.useCases.stop({ by: OWNER, id: two.id });
    screen.clock.advance(days(6.5));
    await signIn();
    expect((await person.get('/names')).text)
      .to.include('Ends soon')
      .and.include('Stopped');
    const { headers } = await person.send('/names', `/publications/${one.id}/renew`);
    expect(headers.get('location')).to.equal(`/manage/publications/${one.id}`);
    expect((await person.get('/names')).text).not.to.include('Ends soon');
    screen.clock.advance(days(8));
    await signIn();
    expect((await person.get('/names')).text)
      .to.include('Expired')
      .and.not.include('/renew');
    const three = await screen.publish('Spring');
    const page = await person.get('/names/seasons');
    expect(page.text).to.include('Spring').and.not.include('Winter').and.not.include('Autumn');
    const moved = await person.send('/names', '/names/seasons', { pin: three.id });
    expect(moved.location).to.equal('/manage/names');
    expect((await person.get('/names')).text).to.include('“seasons” shows the publication that you chose.');
    expect((await person.send('/names', '/names/seasons', { pin: two.id })).location).to.equal(
      '/manage/names',
    );
    expect((await person.get('/names')).text).to.include('point the name at one that is in service');
    expect((await person.get('/names/none')).status).to.equal(404);
  });

  it('offer their previous publication while that is in service', async () => {
    const [one, two] = [await screen.publish('One'), await screen.publish('Two')];
    await screen.protect(two.id, 'a long password');
    await set(one.id, 'docs');
    expect((await person.get('/names')).text, 'the first').not.to.include('Show the one before');
    await set(two.id, 'docs');
    const { text } = await person.get('/names');
    const [, action, pin] =
      /formaction="\/manage([^"]+)" name="pin" value="([^"]+)" title="One">Show the one before</.exec(text) ??
      [];
    expect([action, pin]).to.deep.equal(['/names/docs', one.id]);
    const question = await person.send('/names', '/names/docs', { pin: one.id });
    expect(question.text).to.include('Show “docs” without a password?');
    const back = await person.send('/names', '/names/docs', { pin: one.id, open: 'yes' });
    expect(back.location).to.equal('/manage/names');
    expect((await person.get('/names')).text).to.include('title="Two">Show the one before<');
    await screen.useCases.stop({ by: OWNER, id: two.id });
    expect((await person.get('/names')).text, 'a stopped one').not.to.include('Show the one before');
  });

  it('are suggested to our script, and show its new publication', async () => {
    const { token: form } = await person.get('/');
    const upload = async (key: string, name: string) => {
      const data = formOf({ form, key, name }, zipOf({ 'index.html': key }));
      const { status, text } = await person.upload(data);
      return { status, ...JSON.parse(text) };
    };
    const { id, name } = await upload('k1', 'spring');
    expect(name.name).to.equal('spring');
    expect(name.url).to.match(new RegExp(`^${screen.url}/n/spring-\\w{22}$`));
    const { text } = await person.get('/names.json');
    expect(JSON.parse(text).names).to.deep.equal(['spring']);
    const second = await upload('k2', 'spring');
    expect(second.name.url).to.equal(name.url);
    expect((await person.get(`/publications/${id}`)).text).not.to.include('>spring<');
    expect(await upload('k3', 'No Name')).to.include({ status: 422, kind: 'refused' });
    expect((await upload('k4', '')).name).to.equal(undefined);
    const codes = ['', '?name=spring', '?name=none'].map((query) =>
      person.get(`/publications/${id}/code.svg${query}`),
    );
    const [own, named, unknown] = (await Promise.all(codes)).map((answer) => answer.text);
    expect([named === own, unknown === own]).to.deep.equal([false, true]);
    const repeated = await upload('k1', 'spring');
    expect([repeated.kind, repeated.name], 'it shows another one').to.deep.equal(['replayed', undefined]);
  });

  it('can be spelled from most texts', () => {
    const spellings = [
      ['Spring Katalog', 'spring-katalog'],
      ['  Über uns: Straße & Söhne! ', 'uber-uns-strasse-sohne'],
      ['--a--b--', 'a-b'],
      ['Ｗｅｂ　２０２６', 'web-2026'],
      [`${'x'.repeat(62)} y`, 'x'.repeat(62)],
      ['桜', ''],
    ];
    for (const [text = '', name] of spellings) {
      expect(spellAsName(text)).to.equal(name);
      if (name !== '') expect(parseName(spellAsName(text))).to.equal(name);
    }
  });

  it('show up to twenty on a publication’s page, with a link to all', async () => {
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

  it('are searched up to a thousand for a publication’s page', async () => {
    const { id } = await screen.publish('Unnamed');
    let calls = 0;
    const list = async () => {
      calls += 1;
      return { kind: 'page', names: [], next: 'more' } as const;
    };
    const names = { ...screen.useCases.names, list };
    const { signal } = new AbortController();
    const context = { account: OWNER, signal, screen: { names } } as unknown as SignedInContext;
    expect(await namesShowing(context, id)).to.deep.equal({ names: [], areAll: false });
    expect(calls).to.equal(10);
  });
});
