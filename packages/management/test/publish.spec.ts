import { setImmediate } from 'node:timers/promises';
import { days, Fault, hours, seconds } from '@pinfold/core';
import { Uploads } from '@pinfold/http';
import { createManualClock, replacing } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { OWNER, openSignedIn, person, type ScreenOptions, screen, zipOf } from './open-screen.ts';
import { formOf, type Page } from './person.ts';

const SITE = { 'index.html': '<a href="gone.html">x</a>', 'a/b.txt': 'x' };

describe('publishing from the screen', () => {
  let form: string;
  const open = async (options: ScreenOptions = { limits: { archiveBytes: 5_000 } }): Promise<void> => {
    await openSignedIn(options);
    form = (await person.get('/')).token;
  };
  beforeEach(() => open());

  const publications = () => screen.owned();
  const dataOf = (archive = zipOf(SITE), fields: Readonly<Record<string, string>> = {}, name?: string) =>
    formOf({ form, key: 'k', ...fields }, archive, name);
  /** Without scripts, the answer is a page. */
  const post = (...data: Parameters<typeof dataOf>) => person.post('/publish', dataOf(...data));
  const upload = (...data: Parameters<typeof dataOf>) => person.upload(dataOf(...data));
  const bodyOf = ({ text }: Page) => JSON.parse(text);

  async function expectNothingLeft(): Promise<void> {
    expect(await publications()).to.deep.equal([]);
    expect(await screen.useCases.staging.sweep((screen.clock.now() + seconds(1)) as never)).to.equal(0);
  }

  it('refuses uploads before reading them while none can be received, and accepts them afterwards', async () => {
    let isFull = true;
    const admit = (): void => {
      if (isFull) throw new Fault('staging_unavailable', 'no room');
    };
    await open({ management: { uploads: new Uploads({ clock: createManualClock(), admit }) } });
    // A body that is read would be refused as too large.
    const archive = new Uint8Array(screen.useCases.limits.archiveBytes + 1);
    expect([(await upload(archive)).status, (await post(archive)).status]).to.deep.equal([503, 503]);
    isFull = false;
    expect((await upload()).status).to.equal(201);
  });

  it('shows the link and the warnings after a form was published', async () => {
    const { location } = await post(zipOf(SITE), { title: ' ' }, 'レポート.zip');
    const [role] = await publications();
    expect(location).to.equal(`/manage/publications/${role?.id}`);
    expect(role).to.include({ title: 'レポート', originalFilename: 'レポート.zip', fileCount: 2 });
    const { text } = await person.get(`/publications/${role?.id}`);
    expect(text).to.include(`${screen.url}/s/${role?.id}`).and.include('gone.html');
  });

  it('gives our script the link', async () => {
    const sent = await upload(zipOf(SITE), { title: 'お知らせ' }, 'サイト.zip');
    const [role] = await publications();
    expect(sent.status).to.equal(201);
    const { id, expiresAt } = role ?? {};
    const link = { sharedUrl: `${screen.url}/s/${id}`, expiresAt, passwordProtected: false };
    expect(bodyOf(sent)).to.deep.include({ kind: 'published', id, ...link });
    expect(role).to.include({ title: 'お知らせ', originalFilename: 'サイト.zip' });
  });

  it('publishes a repeated upload once, and stages the archive once', async () => {
    let staged = 0;
    await open({
      ports: ({ staging }) => ({
        staging: replacing(staging, {
          receive: (...inputs) => {
            staged += 1;
            return staging.receive(...inputs);
          },
        }),
      }),
    });
    const [first, second, third] = [await upload(), await upload(), await post()];
    expect([first.status, second.status, third.status]).to.deep.equal([201, 200, 303]);
    expect(bodyOf(second)).to.deep.equal({ ...bodyOf(first), kind: 'replayed' });
    expect(staged).to.equal(1);
    const other = zipOf({ 'index.html': 'y' });
    const [page, answer] = [await post(other), await upload(other)];
    expect([page.status, answer.status, bodyOf(answer).kind]).to.deep.equal([409, 409, 'mismatch']);
    expect(page.text).to.include('id="archive-error"');
    expect(await publications()).to.have.lengthOf(1);
  });

  it('cancels an upload that arrives later, and answers the script with a completed publication', async () => {
    await open({ management: { requestRate: { count: 40, window: hours(1) } } });
    const cancel = (fields: Readonly<Record<string, string>>) =>
      person.post('/publish/cancel', fields, { accept: 'application/json' });
    expect(bodyOf(await cancel({ form, key: 'k' }))).to.deep.equal({ kind: 'cancelled' });
    expect((await upload()).status).to.equal(409);
    const { kind, warnings, ...shared } = bodyOf(await upload(zipOf(SITE), { key: 'late' }));
    expect(kind).to.equal('published');
    await upload();
    expect((await upload()).status, 'past the rate').to.equal(429);
    const late = { kind, ...shared, state: 'published' };
    expect(bodyOf(await cancel({ form, key: 'late' }))).to.deep.equal(late);
    expect((await cancel({ form })).status).to.equal(400);
    expect((await cancel({ key: 'late' })).status).to.equal(403);
    expect((await publications()).map(({ id }) => id)).to.deep.equal([shared.id]);
  });

  it('protects the site with a password from the start, and explains an invalid one', async () => {
    expect((await post(zipOf(SITE), { key: 'p1', password: 'correct horse' })).status).to.equal(303);
    expect((await upload(zipOf(SITE), { key: 'p2', password: '合言葉は山と川です' })).status).to.equal(201);
    const published = await publications();
    expect(published.map(({ passwordProtected }) => passwordProtected)).to.deep.equal([true, true]);
    const refused = await post(zipOf(SITE), { key: 'p3', password: 'short' });
    expect(refused.status).to.equal(422);
    expect(refused.text).to.include('The password is too short').and.not.include('value="short"');
    expect(JSON.stringify(screen.log)).not.to.match(/correct horse|合言葉/);
  });

  it('lists problems by rule and file', async () => {
    const bad = zipOf({ 'page.html': 'x', '.env': 'x', 'node_modules/a/b.js': 'x' });
    const { status, text } = await post(bad);
    expect(status).to.equal(422);
    for (const shown of ['no index.html', 'do not belong in public', '.env', 'node_modules/a/b.js'])
      expect(text, shown).to.include(shown);
    expect(text).to.include('aria-invalid');
    const answer = await upload(bad);
    expect([answer.status, bodyOf(answer).kind]).to.deep.equal([422, 'problems']);
    await expectNothingLeft();
  });

  it('shows the refusal of the embedding server in the language of the person', async () => {
    const words = { en: 'A licence is missing.', ja: 'ライセンスがありません。' };
    const refusal = { kind: 'refused', code: 'refused_by_host', rule: 'host:licence', words } as const;
    Object.assign(screen.useCases, { publish: async () => refusal });
    const sent = await post();
    expect([sent.status, sent.text.includes(words.en)]).to.deep.equal([422, true]);
    const uploaded = await person.upload(dataOf(), { 'accept-language': 'ja' });
    expect([uploaded.status, bodyOf(uploaded)]).to.deep.equal([422, { kind: 'refused', message: words.ja }]);
  });

  it('explains missing, unknown and too large input, and stores none of it', async () => {
    const twice = dataOf();
    twice.append('form', form);
    const late = formOf({ key: 'k' }, zipOf(SITE));
    late.append('form', form);
    const longest = { title: 'x'.repeat(70_000) };
    for (const [data, status, messages] of [
      [formOf({ form, key: 'k' }), 422, 'Choose a ZIP first.'],
      [dataOf(new Uint8Array(6_000)), 413, 'The ZIP is too large'],
      [dataOf(zipOf(SITE), { title: 'x'.repeat(300) }), 422, 'it has 300 characters, and 255 are allowed'],
      [dataOf(zipOf(SITE), longest), 422, '+ characters, and 255 are allowed'],
      [formOf({ form, key: 'k', ...longest }), 422, 'Choose a ZIP first. The title is too long'],
      [dataOf(new Uint8Array(6_000), longest), 413, 'The title is too long'],
      [dataOf(zipOf(SITE), { password: longest.title }), 400, 'Reload the page and try again.'],
      [dataOf(zipOf(SITE), { title: 'a\tb' }), 422, 'The title has a line break'],
      [dataOf(zipOf(SITE), {}, `${'n'.repeat(300)}.zip`), 422, 'The file needs a name'],
      [dataOf(zipOf(SITE), { key: '' }), 422, 'Reload the page and try again.'],
      [twice, 400, 'Reload the page and try again.'],
      [late, 403, 'reload the page and try again'],
      [formOf({ key: 'k' }, zipOf(SITE)), 403, 'reload the page and try again'],
      [dataOf(zipOf(SITE), { form: 'x' }), 403, 'reload the page and try again'],
    ] as const) {
      const page = await person.post('/publish', data);
      expect([page.status, page.text.includes(messages)], messages).to.deep.equal([status, true]);
      const answer = await person.upload(data);
      expect([answer.status, bodyOf(answer).kind], messages).to.deep.equal([
        status,
        status === 413 ? 'problems' : 'refused',
      ]);
      await expectNothingLeft();
    }
    expect((await person.upload(dataOf(), { 'sec-fetch-site': 'cross-site' })).status).to.equal(403);
    await person.post('/sign-out', { form });
    expect(bodyOf(await upload())).to.deep.equal({ kind: 'signed_out' });
  });

  it('applies and shows the account’s own limits', async () => {
    const own = { archiveBytes: 2_048, lifetime: days(30), renewal: days(3) };
    await open({ limitsOf: (account) => (account === OWNER ? own : {}) });
    expect((await person.get('/')).text)
      .to.contain('2 KiB')
      .and.contain('30 days');
    const { id } = await screen.publish('Harbour');
    expect((await person.get(`/publications/${id}`)).text).to.contain('Renew for 3 days');
    const archive = new Uint8Array(2_049);
    const [sent, posted] = [await upload(archive), await post(archive)];
    expect([sent.status, sent.text.includes('"limit":2048')]).to.deep.equal([413, true]);
    expect([posted.status, posted.text.includes('2 KiB')]).to.deep.equal([413, true]);
  });

  it('refuses a form that another body parser has read, with a reason', async () => {
    await openSignedIn({
      management: {
        authenticate: async (request) => {
          for await (const _ of request.iterator({ destroyOnReturn: false }));
          return { account: OWNER, scopes: ['manage'] };
        },
      },
    });
    form = (await person.get('/')).token;
    const sent = await post();
    expect([sent.status, sent.text.includes('Something went wrong')]).to.deep.equal([400, true]);
    expect(String(screen.log.at(-1)?.error)).to.include('before any body parser');
  });

  it('refuses bodies that are not a form', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    for (const body of ['', '--x', '--x\r\nContent-Disposition: form-data; name="form"\r\n\r\n', 'hello'])
      expect((await person.post('/publish', body, headers)).status, body).to.be.within(400, 403);
  });

  it('publishes and stores nothing of an upload that breaks off', async () => {
    const connection = await person.begin(
      'POST /manage/publish',
      'Content-Type: multipart/form-data; boundary=x',
      'Content-Length: 1000',
      'Expect: 100-continue',
    );
    const before = screen.log.length;
    await connection.answer();
    await connection.send('--x\r\n');
    connection.destroy();
    while (screen.log.length === before) await setImmediate();
    expect(screen.log.at(-1)).to.include({ gone: true }).and.not.to.have.property('error');
    await expectNothingLeft();
    expect((await upload()).status).to.equal(201);
  });

  it('lets uploads wait for their turn, and refuses them at once if too many wait', async () => {
    const uploads = new Uploads({ clock: createManualClock(), places: 1, queue: 1 });
    await open({ management: { uploads } });
    const blocked = Promise.withResolvers<void>();
    void uploads.take(OWNER, new AbortController().signal, () => blocked.promise);
    const both = [post(), upload()];
    const refused = await Promise.race(both);
    expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '5']);
    blocked.resolve();
    const [other] = (await Promise.all(both)).filter((answer) => answer !== refused);
    expect([201, 303]).to.include(other?.status);
    // The key is free, or belongs to the stored publication.
    expect([200, 201]).to.include((await upload()).status);
  });
});
