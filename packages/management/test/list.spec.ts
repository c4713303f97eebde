import { accountId, days, hours, minutes, OPERATOR, seconds } from '@pinfold/core';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { listedKeys } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { OWNER, openSignedIn, person, screen, signIn } from './open-screen.ts';

/** A text that compresses little, the same in every run. */
function incompressible(length: number): string {
  return Array.from({ length }, (_, n) => ((n * 2_654_435_761) >>> 8).toString(36)).join('');
}

describe('the list', () => {
  beforeEach(() => openSignedIn());

  const namesIn = (text: string) =>
    [...text.matchAll(/class="name" [^>]+>([^<]*)</g)].map(([, name]) => name);
  const namesAt = async (path: string) => namesIn((await person.get(path)).text);

  it('shows only the drop area while there are no publications', async () => {
    const { text } = await person.get('/');
    expect(text)
      .to.include('class="publish roomy"')
      .and.match(/<section class="list"[^>]* hidden/);
  });

  it('shows the newest first, with all details of each', async () => {
    for (const name of ['First', 'Second', 'Third']) {
      await screen.publish(name);
      screen.clock.advance(minutes(1));
    }
    expect(await namesAt('/')).to.deep.equal(['Third', 'Second', 'First']);
    const { text } = await person.get('/');
    expect(text)
      .to.include('in 7 days')
      .and.include('title="27 November 2026')
      .and.include('Published')
      .and.include('bytes');
  });

  it('shows the file name of a publication whose title nobody can see', async () => {
    for (const title of [' ', '\u3000', '\u202e\u200b', 'Seen']) await screen.publish(title);
    expect(await namesAt('/')).to.have.members(['site-1.zip', 'site-2.zip', 'site-3.zip', 'Seen']);
  });

  it('marks pinned and protected publications, and those that end within a day', async () => {
    const [pinned, locked] = [await screen.publish('Pinned'), await screen.publish('Locked')];
    await screen.useCases.pin({ by: OPERATOR, id: pinned.id });
    await screen.protect(locked.id, 'long enough');
    await screen.publish('Plain');
    expect((await person.get('/')).text).not.to.include('<tr class="soon');
    screen.clock.advance(hours(7 * 24 - 23));
    await signIn();
    const { text } = await person.get('/');
    const rows = text.split('<tr').slice(2);
    const rowOf = (name: string) => rows.find((row) => row.includes(`>${name}</a>`)) ?? '';
    expect(rowOf('Pinned')).to.include('Pinned</span>').and.include('Never').and.not.include('soon');
    expect(rowOf('Locked'))
      .to.include('Password</span>')
      .and.include('class="soon')
      .and.include('in 23 hours');
    expect(rowOf('Plain')).to.include('Ends soon');
  });

  it('filters by state, and searches titles, file names and ids', async () => {
    await screen.publish('Expired report');
    screen.clock.advance(days(7));
    await signIn();
    const stopped = await screen.publish('Stopped report');
    await screen.useCases.stop({ by: OPERATOR, id: stopped.id });
    const live = await screen.publish('Ｌｉｖｅ Report');
    expect(await namesAt('/')).to.deep.equal(['Ｌｉｖｅ Report', 'Expired report']);
    expect(await namesAt('/?state=published')).to.deep.equal(['Ｌｉｖｅ Report']);
    expect(await namesAt('/?state=expired')).to.deep.equal(['Expired report']);
    expect(await namesAt('/?state=deleted')).to.deep.equal(['Stopped report']);
    expect((await person.get('/?state=deleted')).text, 'no empty menu').not.to.include('class="more"');
    expect(await namesAt('/?q=live')).to.deep.equal(['Ｌｉｖｅ Report']);
    expect(await namesAt(`/?q=${live.id.slice(0, 8)}`)).to.deep.equal(['Ｌｉｖｅ Report']);
    expect(
      await namesAt(`/?q=${encodeURIComponent(String(live.originalFilename).toUpperCase())}`),
    ).to.deep.equal(['Ｌｉｖｅ Report']);
    const named = await screen.useCases.names.set({ by: OWNER, name: 'docs', pin: live.id });
    const url = `https://share.example${named.kind === 'refused' ? '' : named.name.url}`;
    for (const link of [
      `https://share.example/s/${live.id.toUpperCase()}`,
      `share.example/base/s/${live.id}/a.html?b=/s/c#d`,
      `http://${live.id}.sites.example:8080/a`,
      url,
      `${url}/a.html`,
    ]) {
      expect(await namesAt(`/?q=${encodeURIComponent(link)}`), link).to.deep.equal(['Ｌｉｖｅ Report']);
      expect((await person.get(`/?q=${encodeURIComponent(link)}`)).text).to.include(`value="${link}"`);
    }
    for (const link of [`${url}x`, url.replace('docs', 'other'), 'https://share.example/s/1']) {
      expect(await namesAt(`/?q=${encodeURIComponent(link)}`), link).to.deep.equal([]);
    }
    expect(await namesAt('/?q=nothing')).to.deep.equal([]);
    expect((await person.get('/?q=nothing')).text).to.include('Nothing matches');
    const { text } = await person.get(`/?q=${'x'.repeat(10_000)}`);
    expect(text).to.include(`value="${'x'.repeat(255)}"`);
    expect(await namesAt('/?state=nonsense')).to.have.lengthOf(2);
  });

  it('shows any number of publications page by page, each once', async () => {
    for (let n = 0; n < 60; n += 1) await screen.publish(`Site ${n}`);
    await screen.publish('Not mine', undefined, accountId('other'));
    const pages = (await person.walk('/?q=site')).map(namesIn);
    expect(pages.map(({ length }) => length)).to.deep.equal([20, 20, 20]);
    expect(new Set(pages.flat()).size).to.equal(60);
  });

  it('is sorted by date, end or size, and links from page to page keep order, filter and search', async () => {
    const sizes = Array.from({ length: 24 }, (_, n) => (7 * n) % 24);
    for (const [n, size] of sizes.entries()) {
      screen.clock.advance(minutes(1));
      const { id } = await screen.publish(`Site ${size}`, { 'index.html': incompressible(100 * size) });
      if (n === 0) await screen.useCases.pin({ by: OPERATOR, id });
    }
    const walk = async (start: string) => (await person.walk(start)).flatMap(namesIn);
    const named = (numbers: readonly number[]) => numbers.map((n) => `Site ${n}`);
    expect(await walk('/')).to.deep.equal(named(sizes.toReversed()));
    expect(await walk('/?sort=ending')).to.deep.equal(named([...sizes.slice(1), sizes[0] as number]));
    expect(await walk('/?state=published&q=site&sort=largest')).to.deep.equal(
      named(sizes.toSorted((one, other) => other - one)),
    );
    const { text } = await person.get('/?q=site&sort=largest');
    expect(text)
      .to.include('href="/manage/?state=published&amp;q=site&amp;sort=ending"')
      .and.include('href="/manage/?state=expired&amp;q=site&amp;sort=largest"')
      .and.match(/aria-sort="descending"><a [^>]+>ZIP size/)
      .and.include('<input type="hidden" name="sort" value="largest">');
    expect((await person.get('/?state=deleted&sort=largest')).text).not.to.include('aria-sort');
    expect(await namesAt('/?sort=nonsense')).to.deep.equal(await namesAt('/'));
  });

  it('links to the next page from an empty one, after a search of two seconds', async () => {
    await openSignedIn({
      ports: ({ roles }) => ({
        roles: replacing(roles, {
          list: async (query) => {
            const found = await roles.list(query);
            screen.clock.advance(seconds(2));
            return query.after === undefined ? { ...found, items: [] } : found;
          },
        }),
      }),
    });
    for (let n = 0; n < 21; n += 1) await screen.publish(`Site ${n}`);
    const { text, next = '' } = await person.get('/?q=site');
    expect(text).to.include('Nothing found so far').and.include('Keep searching');
    expect(await namesAt(next)).to.have.lengthOf(1);
  });

  it('redirects from an invalid cursor to the first page', async () => {
    const answer = await person.get('/?cursor=nonsense');
    expect([answer.status, answer.location]).to.deep.equal([303, '/manage/']);
  });

  it('uses the language of the browser, or the chosen one', async () => {
    const japanese = { 'accept-language': 'la;q=0.9, ja-JP;q=0.8, en;q=0.1' };
    expect((await person.get('/', japanese)).text)
      .to.include('<html lang="ja">')
      .and.include('フォルダー、ZIP、HTML ファイルをドロップして公開');
    await person.get('/?language=en', japanese);
    expect((await person.get('/', japanese)).text).to.include('<html lang="en">');
  });

  it('leads to the page of a form when the language is chosen on the answer to the form', async () => {
    const { id } = await screen.publish('First');
    const { token: form } = await person.get('/');
    for (const [path, page] of [
      [`/publications/${id}/rename`, `/publications/${id}/`],
      ['/publish', '/'],
    ] as const) {
      const { text } = await person.post(path, { form, title: 'two\nlines' });
      const href = /href="([^"]*language=ja)"/.exec(text)?.[1] ?? '';
      expect(new URL(href, `http://localhost${path}`).pathname, path).to.equal(page);
      expect((await person.get(page)).status, page).to.equal(200);
    }
  });

  it('keeps the rest of the address when the language is chosen', async () => {
    for (const query of ['?link=a%26b&x=%22%3E', '?id=1&id=2', '?search=%E6%97%A5+x&language=xx']) {
      const { text } = await person.get(`/sign-in${query}`);
      const href = /href="([^"]*language=(?:en|ja))"/.exec(text)?.[1] ?? '';
      const { status, location } = await person.get(`/sign-in${href.replaceAll('&amp;', '&')}`);
      expect(status, href).to.equal(303);
      const [chosen, requested] = [`${location}`, query].map(
        (address) => new URL(address, 'http://localhost'),
      );
      requested?.searchParams.delete('language');
      expect([...(chosen?.searchParams ?? [])]).to.deep.equal([...(requested?.searchParams ?? [])]);
    }
  });
});

describe('the keys', () => {
  beforeEach(() => openSignedIn());

  it('are shown once when they are created', async () => {
    const { token: form } = await person.get('/keys');
    const fields = new URLSearchParams({ form, label: 'Nightly' });
    fields.append('scope', 'pins:read');
    fields.append('scope', 'manage');
    const made = await person.post('/keys', fields);
    expect(made.status).to.equal(200);
    const text = /id="new-key">(pf_\w+)</.exec(made.text)?.[1] ?? '';
    expect(await screen.keys.authenticate(text)).to.deep.include({
      label: 'Nightly',
      scopes: ['pins:read', 'manage'],
      account: OWNER,
    });
    expect((await person.get('/keys')).text).not.to.include(text);
    expect(JSON.stringify([...person.cookies])).not.to.include(text);
  });

  it('need a scope, and a label that is not too long', async () => {
    const { token: form } = await person.get('/keys');
    for (const fields of [
      { label: 'x' },
      { label: 'x', scope: 'everything' },
      { label: 'x'.repeat(101), scope: 'manage' },
    ]) {
      const refused = await person.post('/keys', { form, ...fields });
      expect(refused.status).to.equal(422);
      expect(refused.text).to.include('id="label-error"').and.include(`value="${fields.label}"`);
    }
    expect(await listedKeys(screen.keys, OPERATOR)).to.deep.equal([]);
  });

  it('are shown fifty at a time, the newest first', async () => {
    for (let n = 0; n < 51; n += 1) {
      await screen.keys.create({ by: OPERATOR, account: OWNER, label: `Key ${n}.` });
      screen.clock.advance(seconds(1));
    }
    const [first, second, ...others] = await person.walk('/keys');
    expect(first?.match(/Key \d+\./g)?.at(0)).to.equal('Key 50.');
    expect(first).not.to.include('Key 0.');
    expect(second).to.include('Key 0.').and.not.include('Key 1.');
    expect(others).to.deep.equal([]);
    expect((await person.get('/keys?cursor=x')).location).to.equal('/manage/keys');
  });

  it('are limited: the page answers 403 to a request for one more', async () => {
    const { token: form } = await person.get('/keys');
    for (let n = 0; n < 100; n += 1) await screen.keys.create({ by: OPERATOR, account: OWNER });
    for (const [language, messages] of [
      ['en', 'limit of API keys (100)'],
      ['ja', '100 個まで'],
    ] as const) {
      const headers = { 'accept-language': language };
      const refused = await person.post('/keys', { form, label: 'x', scope: 'pins:read' }, headers);
      expect(refused.status).to.equal(403);
      expect(refused.text).to.include(messages).and.not.include('name="scope"');
      expect((await person.get('/keys', headers)).text).to.include(messages);
    }
    expect(await listedKeys(screen.keys, OWNER)).to.have.lengthOf(100);
    expect(screen.log.filter(({ outcome }) => outcome === 'quota_exceeded')).to.have.lengthOf(2);
  });

  it('are revoked at once, and stay in the list', async () => {
    const { key, text } = await screen.keys.create({ by: OPERATOR, account: OWNER, label: 'Laptop' });
    const { token: form } = await person.get('/keys');
    await person.post(`/keys/${key.id}/revoke`, { form });
    expect(await screen.keys.authenticate(text)).to.equal(undefined);
    const page = await person.get('/keys');
    expect(page.text).to.include('Laptop').and.include('Revoked').and.not.include(`/keys/${key.id}/revoke`);
    await person.post('/keys/unknown/revoke', { form });
    expect((await person.get('/keys')).text).to.include('no such key');
  });
});
