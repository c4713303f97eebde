import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { Fault, seconds } from '@pinfold/core';
import { Uploads } from '@pinfold/http';
import { createManualClock } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { OWNER, openScreen, type Screen, zipOf } from './open-screen.ts';
import { formOf, Person } from './person.ts';

const SITE = { 'index.html': '<a href="gone.html">x</a>', 'a/b.txt': 'x' };

describe('publishing from the screen', () => {
  let screen: Screen;
  let person: Person;
  let form: string;
  beforeEach(async () => {
    screen = await openScreen({ limits: { archiveBytes: 5_000 } });
    person = await screen.signedIn();
    form = (await person.get('/')).token;
  });

  const all = () => screen.owned();

  const upload = (archive: Uint8Array<ArrayBuffer>, headers: Readonly<Record<string, string>> = {}) =>
    person.upload(archive, form, 'key-1', {
      'x-pinfold-filename': encodeURIComponent('サイト.zip'),
      ...headers,
    });

  it('is refused before an upload is read while none can be received, and possible again afterwards', async () => {
    let isFull = true;
    const admit = (): void => {
      if (isFull) throw new Fault('staging_unavailable', 'no room');
    };
    screen = await openScreen({
      management: { uploads: new Uploads({ clock: createManualClock(), admit }) },
    });
    person = await screen.signedIn();
    form = (await person.get('/')).token;
    // What is read would be refused as too large.
    const archive = new Uint8Array(screen.useCases.limits.archiveBytes + 1);
    expect((await upload(archive)).status).to.equal(503);
    expect((await person.post('/publish', formOf({ form, key: 'k', title: '' }, archive))).status).to.equal(
      503,
    );
    isFull = false;
    expect((await upload(zipOf(SITE))).status).to.equal(201);
  });

  describe('by a form, without scripts', () => {
    it('publishes, and shows the link and the remarks', async () => {
      const sent = await person.post(
        '/publish',
        formOf({ form, key: 'k', title: '' }, zipOf(SITE), 'レポート.zip'),
      );
      const [role] = await all();
      expect(sent.location).to.equal(`/manage/publications/${role?.id}`);
      expect(role).to.include({ title: 'レポート', originalFilename: 'レポート.zip', fileCount: 2 });
      const { text } = await person.get(`/publications/${role?.id}`);
      expect(text).to.include(`${screen.url}/s/${role?.id}`).and.include('gone.html');
    });

    it('publishes once, however often the form is sent', async () => {
      for (let n = 0; n < 3; n += 1) {
        await person.post('/publish', formOf({ form, key: 'k', title: 'Mine' }, zipOf(SITE)));
      }
      expect(await all()).to.have.lengthOf(1);
      const other = await person.post(
        '/publish',
        formOf({ form, key: 'k', title: 'Mine' }, zipOf({ 'index.html': 'y' })),
      );
      expect(other.status).to.equal(409);
      expect(other.text).to.include('id="archive-error"');
    });

    it('lists what is wrong, by rule and file', async () => {
      const bad = zipOf({ 'page.html': 'x', '.env': 'x', 'node_modules/a/b.js': 'x' });
      const refused = await person.post('/publish', formOf({ form, key: 'k', title: '' }, bad));
      expect(refused.status).to.equal(422);
      for (const shown of [
        'no index.html',
        'do not belong in public',
        '.env',
        'node_modules/a/b.js',
        'aria-invalid',
      ]) {
        expect(refused.text, shown).to.include(shown);
      }
      expect(await all()).to.deep.equal([]);
    });

    it('says what the host says of an archive, in the language of the person', async () => {
      const words = { en: 'A licence is missing.', ja: 'ライセンスがありません。' };
      const refusal = { kind: 'refused', code: 'refused_by_host', rule: 'host:licence', words } as const;
      Object.assign(screen.useCases, { publish: async () => refusal });
      const sent = await person.post('/publish', formOf({ form, key: 'k' }, zipOf(SITE)));
      expect([sent.status, sent.text.includes(words.en)]).to.deep.equal([422, true]);
      const japanese = { 'accept-language': 'ja' };
      const uploaded = await upload(zipOf(SITE), { ...japanese, accept: 'application/json' });
      expect(uploaded.status).to.equal(422);
      expect(JSON.parse(uploaded.text)).to.deep.equal({ kind: 'refused', message: words.ja });
    });

    it('says what is missing or too large', async () => {
      const large = new Uint8Array(6_000);
      for (const [data, status] of [
        [formOf({ form, key: 'k' }), 422],
        [formOf({ form, key: 'k' }, large), 413],
        [formOf({ form, key: 'k', title: 'x'.repeat(300) }, zipOf(SITE)), 422],
        [formOf({ form, key: 'k' }, zipOf(SITE), `${'n'.repeat(300)}.zip`), 422],
        [formOf({ key: 'k' }, zipOf(SITE)), 403],
        [formOf({ form: 'x', key: 'k' }, zipOf(SITE)), 403],
      ] as const) {
        expect((await person.post('/publish', data)).status).to.equal(status);
      }
      expect(await all()).to.deep.equal([]);
      expect(
        await screen.useCases.staging.sweep((screen.clock.now() + seconds(1)) as never),
        'left behind',
      ).to.equal(0);
    });

    it('refuses a form whose token is there twice or follows the file, and keeps nothing of it', async () => {
      const twice = formOf({ form, key: 'k', title: '' }, zipOf(SITE));
      twice.append('form', form);
      const late = formOf({ key: 'k', title: '' }, zipOf(SITE));
      late.append('form', form);
      for (const [data, status, words] of [
        [twice, 400, 'Reload the page and try again.'],
        [late, 403, 'reload the page and try again'],
      ] as const) {
        const refused = await person.post('/publish', data);
        expect(refused.status).to.equal(status);
        expect(refused.text).to.include(words);
        expect(await screen.useCases.staging.sweep((screen.clock.now() + seconds(1)) as never)).to.equal(0);
      }
      expect(await all()).to.deep.equal([]);
    });

    it('refuses a form or a file that another parser of bodies has read, and says so', async () => {
      screen = await openScreen({
        management: {
          sessions: undefined as never,
          authenticate: async (request) => {
            for await (const _ of request.iterator({ destroyOnReturn: false }));
            return { account: OWNER, scopes: ['manage'] };
          },
        },
      });
      person = new Person(screen.base);
      form = (await person.get('/')).token;
      const sent = await person.post('/publish', formOf({ form, key: 'k', title: '' }, zipOf(SITE)));
      expect(sent.status).to.equal(400);
      expect(sent.text).to.include('Something went wrong');
      expect(String(screen.log.at(-1)?.error)).to.include('before any body parser');
      const script = await person.upload(zipOf(SITE), form, 'k');
      expect([script.status, script.text.includes('Reload the page')]).to.deep.equal([400, true]);
    });

    it('refuses what is no form', async () => {
      const headers = { 'content-type': 'multipart/form-data; boundary=x' };
      for (const body of ['', '--x', '--x\r\nContent-Disposition: form-data; name="form"\r\n\r\n', 'hello']) {
        const sent = await person.send('/publish', new TextEncoder().encode(body), {
          ...headers,
          accept: 'text/html',
        });
        expect(sent.status, body).to.be.within(400, 403);
      }
    });
  });

  describe('by the script', () => {
    it('publishes under the name of what was chosen', async () => {
      const sent = await upload(zipOf(SITE));
      const [role] = await all();
      expect(sent.status).to.equal(201);
      expect(JSON.parse(sent.text)).to.deep.include({
        kind: 'published',
        id: role?.id,
        sharedUrl: `${screen.url}/s/${role?.id}`,
        expiresAt: role?.expiresAt,
      });
      expect(role).to.include({ title: 'サイト', originalFilename: 'サイト.zip' });
    });

    it('answers a repeated upload with what it published before', async () => {
      const [first, second] = [await upload(zipOf(SITE)), await upload(zipOf(SITE))];
      expect(second.status).to.equal(200);
      expect(JSON.parse(second.text)).to.deep.equal({ ...JSON.parse(first.text), kind: 'replayed' });
      const other = await upload(zipOf({ 'index.html': 'y' }));
      expect([other.status, JSON.parse(other.text).kind]).to.deep.equal([409, 'mismatch']);
      expect(await all()).to.have.lengthOf(1);
    });

    it('publishes once, of many at once', async () => {
      const sent = await Promise.all(Array.from({ length: 8 }, () => upload(zipOf(SITE))));
      expect(await all()).to.have.lengthOf(1);
      const kinds = new Set(sent.map(({ text }) => JSON.parse(text).kind));
      expect([...kinds].every((kind) => ['published', 'replayed', 'in_progress'].includes(kind))).to.equal(
        true,
      );
    });

    it('refuses in a form that it reads', async () => {
      const cases = [
        [await upload(zipOf({ 'a.html': 'x' })), 422, 'problems'],
        [await upload(new Uint8Array(6_000)), 413, 'problems'],
        [await upload(zipOf(SITE), { 'x-pinfold-form': 'x' }), 403, 'refused'],
        [await upload(zipOf(SITE), { 'idempotency-key': '' }), 400, 'refused'],
        [await upload(zipOf(SITE), { 'x-pinfold-filename': '%ff' }), 400, 'refused'],
        [await upload(zipOf(SITE), { 'sec-fetch-site': 'cross-site' }), 403, 'refused'],
      ] as const;
      for (const [{ status, text }, expected, kind] of cases) {
        expect([status, JSON.parse(text).kind]).to.deep.equal([expected, kind]);
      }
      await person.post('/sign-out', { form });
      expect(JSON.parse((await upload(zipOf(SITE))).text)).to.deep.equal({ kind: 'signed_out' });
      expect(await all()).to.deep.equal([]);
    });

    it('publishes nothing of an upload that breaks off, and leaves nothing', async () => {
      const { port, hostname } = new URL(screen.base);
      const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const socket = connect(Number(port), hostname);
      const head = [
        'POST /manage/upload HTTP/1.1',
        'Host: x',
        `Cookie: ${cookie}`,
        `X-Pinfold-Form: ${form}`,
        'Idempotency-Key: key-1',
        'X-Pinfold-Filename: a.zip',
        'Content-Length: 1000',
        'Expect: 100-continue',
      ];
      socket.write(`${head.join('\r\n')}\r\n\r\n`);
      const before = screen.log.length;
      await once(socket, 'data');
      socket.write('PK', () => socket.destroy());
      while (screen.log.length === before) await setImmediate();
      expect(screen.log.at(-1)).to.include({ gone: true }).and.not.to.have.property('error');
      expect(await all()).to.deep.equal([]);
      expect(await screen.useCases.staging.sweep((screen.clock.now() + seconds(1)) as never)).to.equal(0);
      expect((await upload(zipOf(SITE))).status).to.equal(201);
    });
  });

  describe('while as many uploads are received as may be', () => {
    let crowded: Screen;
    let visitor: Person;
    let token: string;
    let free: () => void;
    beforeEach(async () => {
      const uploads = new Uploads({ clock: createManualClock(), places: 1, queue: 1 });
      crowded = await openScreen({ management: { uploads } });
      visitor = await crowded.signedIn();
      token = (await visitor.get('/')).token;
      const held = Promise.withResolvers<void>();
      free = held.resolve;
      void uploads.take(OWNER, new AbortController().signal, () => held.promise);
    });

    const send = (key: string) => visitor.upload(zipOf(SITE), token, key);
    const post = (key: string) =>
      visitor.post('/publish', formOf({ form: token, key, title: '' }, zipOf(SITE)));

    it('waits for its turn, by form and by script, and is told at once where too many wait', async () => {
      const both = [post('form'), send('script')];
      const refused = await Promise.race(both);
      expect(refused.status).to.equal(503);
      expect(refused.headers.get('retry-after')).to.equal('5');
      free();
      const answers = await Promise.all(both);
      const [other] = answers.filter((answer) => answer !== refused);
      expect([201, 303]).to.include(other?.status);
      // The key is free, or stands for what was published.
      expect([(await post('form')).status, [200, 201].includes((await send('script')).status)]).to.deep.equal(
        [303, true],
      );
    });
  });
});
