import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { strToU8, zipSync } from 'fflate';
import type { BrowserContext, Page, Route } from 'playwright-core';
import { openContext } from '../browser/chromium.ts';
import { violations } from './looks.ts';
import { OWNER, openService, type Service, signIn } from './open-service.ts';

const SITE = { 'index.html': '<a href="Map.html">the map</a>', 'map.html': 'x' };
const UPLOAD = '**/manage/publish';

function zipOf(files: Readonly<Record<string, string>>): Buffer {
  return Buffer.from(
    zipSync(Object.fromEntries(Object.entries(files).map(([path, text]) => [path, strToU8(text)])), {
      mtime: new Date('2026-11-20T12:00:00'),
    }),
  );
}

function keyOf(route: Route): string {
  const [, key] = /name="key"\s+(\S+)/.exec(route.request().postData() ?? '') ?? [];
  if (key === undefined) throw new Error('an upload without a key');
  return key;
}

describe('publishing in a browser', function () {
  this.timeout(60_000);
  let service: Service;
  let context: BrowserContext;
  let page: Page;
  let folder: string;
  beforeEach(async () => {
    service = await openService();
    context = await openContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    page = await context.newPage();
    folder = await mkdtemp(join(tmpdir(), 'pinfold-chosen-'));
    await signIn(page, service);
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  async function published() {
    const listed = await service.useCases.list({ by: OWNER, limit: 100 });
    if (listed.kind !== 'page') throw new Error(listed.code);
    return listed.publications;
  }

  async function choose(
    button: 'Choose a folder' | 'Choose a ZIP',
    files: string | { name: string; mimeType: string; buffer: Buffer },
  ) {
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: button }).click(),
    ]);
    await chooser.setFiles(files);
  }

  const chooseZip = (files: Readonly<Record<string, string>>, name = 'site.zip') =>
    choose('Choose a ZIP', { name, mimeType: 'application/zip', buffer: zipOf(files) });

  async function lay(name: string, files: Readonly<Record<string, string>>) {
    for (const [path, text] of Object.entries(files)) {
      const file = join(folder, name, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
  }

  async function chooseFolder(name: string, files: Readonly<Record<string, string>>) {
    await lay(name, files);
    await choose('Choose a folder', join(folder, name));
  }

  /** Drops a file or folder of this machine as a hand does, on the edge of the page. */
  async function drop(path: string, looks = false) {
    const session = await context.newCDPSession(page);
    const event = { x: 20, y: 20, data: { items: [], files: [path], dragOperationsMask: 1 } };
    await session.send('Input.dispatchDragEvent', { type: 'dragEnter', ...event });
    await session.send('Input.dispatchDragEvent', { type: 'dragOver', ...event });
    if (looks) await page.locator('[data-publish][data-over]').waitFor();
    await session.send('Input.dispatchDragEvent', { type: 'drop', ...event });
  }

  const heading = (name: string) => page.getByRole('heading', { name, exact: true }).waitFor();

  it('takes what is dropped anywhere on the page: a folder or a ZIP', async () => {
    await lay('dropped', { 'index.html': 'x', 'deep/er/file.txt': 'x', 'node_modules/a/b.js': 'x' });
    await drop(join(folder, 'dropped'), true);
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    expect(await dialog.getByRole('listitem').allTextContents()).to.deep.equal([
      'node_modules/ and everything in it',
    ]);
    await dialog.getByRole('button', { name: 'Leave out and publish' }).click();
    await heading('Published');
    expect((await published())[0]).to.include({
      title: 'dropped',
      originalFilename: 'dropped.zip',
      fileCount: 2,
    });
    const first = await page.locator('.stage .url').textContent();
    await writeFile(join(folder, 'second.zip'), zipOf(SITE));
    await drop(join(folder, 'second.zip'));
    await page
      .locator('.stage .url')
      .filter({ hasNotText: first ?? '' })
      .waitFor();
    expect((await published()).map(({ title }) => title)).to.have.members(['dropped', 'second']);
  });

  it('lists what its owner should check', async () => {
    await chooseZip(SITE);
    await heading('Published');
    expect(await violations(page)).to.deep.equal([]);
    expect(await page.locator('.remarks').textContent())
      .to.include('index.html')
      .and.include('Map.html');
  });

  it('leaves out of a ZIP what may not be in it, after asking', async () => {
    await chooseZip({
      'site/index.html': 'x',
      'site/node_modules/a/b.js': 'x',
      'site/.env': 'x',
      'site/c.txt': 'x',
    });
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    expect(await dialog.getByRole('listitem').allTextContents()).to.deep.equal([
      'site/.env',
      'site/node_modules/ and everything in it',
    ]);
    expect(await dialog.textContent()).to.include('The remaining 2 files');
    await dialog.getByRole('button', { name: 'Leave out and publish' }).click();
    await heading('Published');
    expect((await published())[0]).to.include({ title: 'site', fileCount: 2 });
  });

  it('publishes nothing when what must be left out may not be', async () => {
    await chooseFolder('site', { 'index.html': 'x', 'node_modules/a.js': 'x' });
    await page.getByRole('dialog').waitFor();
    expect(await violations(page)).to.deep.equal([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await heading('Nothing was published.');
    await page.getByRole('button', { name: 'Choose something else' }).click();
    await page.getByRole('button', { name: 'Choose a folder' }).waitFor();
    expect(await published()).to.deep.equal([]);
  });

  for (const [what, chooseIt] of [
    ['folder', (files: Readonly<Record<string, string>>) => chooseFolder('site', files)],
    ['ZIP', (files: Readonly<Record<string, string>>) => chooseZip(files)],
  ] as const) {
    it(`asks nothing about a ${what} whose rest could not be published either, and says why`, async () => {
      await chooseIt({ 'page.html': 'x', 'node_modules/a.js': 'x', '.env': 'x' });
      await heading('This cannot be published yet');
      expect(await page.getByRole('dialog').count()).to.equal(0);
      expect(await page.locator('.stage').textContent())
        .to.include('There is no index.html')
        .and.include('These would be left out: .env, node_modules/');
      expect(await violations(page)).to.deep.equal([]);
    });

    it(`asks nothing about a ${what} of which nothing would remain, and says so`, async () => {
      await chooseIt({ 'node_modules/a.js': 'x', '.env': 'x' });
      await heading('Nothing in it can be published');
      expect(await page.getByRole('dialog').count()).to.equal(0);
      expect(await page.locator('.stage').textContent()).to.include('.env, node_modules/');
    });
  }

  it('asks nothing about a folder whose ZIP is too large without the rest, too', async () => {
    // Bytes that no packing makes smaller.
    const noise = Array.from({ length: 6 }, () => randomBytes(2 * 1024 * 1024));
    await lay('large', { 'index.html': 'x', 'node_modules/a.js': 'x' });
    for (const [n, bytes] of noise.entries()) await writeFile(join(folder, 'large', `${n}.bin`), bytes);
    await choose('Choose a folder', join(folder, 'large'));
    await heading('This cannot be published yet');
    expect(await page.locator('.stage').textContent()).to.include('The ZIP is too large');
    expect(await page.getByRole('dialog').count()).to.equal(0);
  });

  it('offers to leave out nothing that it cannot take out of the ZIP', async () => {
    const archive = zipOf({ 'index.html': 'x', '.env': 'x' });
    // Both entries begin at the same place: the ZIP cannot be cut between them.
    const second = archive.lastIndexOf(Buffer.from('PK\x01\x02', 'latin1'));
    archive.writeUInt32LE(0, second + 42);
    await choose('Choose a ZIP', { name: 'x.zip', mimeType: 'application/zip', buffer: archive });
    await heading('This cannot be published yet');
    expect(await page.getByRole('dialog').count()).to.equal(0);
    expect(await page.locator('.stage').textContent()).to.include('These do not belong in public');
  });

  it('lists every problem of a folder and of a ZIP by file, before anything is sent', async () => {
    let sent = 0;
    await page.route(UPLOAD, (route) => {
      sent += 1;
      return route.abort();
    });
    await chooseFolder('bad', {
      'Index.html': 'x',
      ...Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`a${n}:b.txt`, 'x'])),
    });
    await heading('This cannot be published yet');
    expect(await violations(page)).to.deep.equal([]);
    const text = (await page.locator('.stage').textContent()) ?? '';
    expect(text)
      .to.include('There is no index.html')
      .and.include('a4:b.txt')
      .and.include('and 3 more')
      .and.not.include('a5:b.txt');
    await page.getByRole('button', { name: 'Choose something else' }).click();
    await chooseZip({ 'site/page.html': 'x', 'site/a:b': 'x' });
    await heading('This cannot be published yet');
    expect(await page.locator('.stage').textContent())
      .to.include('site/a:b')
      .and.include('There is no index.html');
    await page.getByRole('button', { name: 'Choose something else' }).click();
    await choose('Choose a ZIP', {
      name: 'x.zip',
      mimeType: 'application/zip',
      buffer: Buffer.from('hello'),
    });
    await page.getByText('This is not a ZIP file').waitFor();
    expect(sent).to.equal(0);
  });

  it('shows what only the server finds', async () => {
    const zip = zipOf({ 'index.html': 'hello hello hello' });
    zip[zip.indexOf('hello')] = (zip[zip.indexOf('hello')] ?? 0) ^ 1;
    const damaged = Buffer.from(zip);
    damaged[40] = (damaged[40] ?? 0) ^ 0xff;
    await choose('Choose a ZIP', { name: 'x.zip', mimeType: 'application/zip', buffer: damaged });
    await heading('This cannot be published yet');
    expect(await published()).to.deep.equal([]);
  });

  it('sends again by itself when the answer is lost, and publishes once', async () => {
    await page.clock.install();
    const keys: string[] = [];
    await page.route(UPLOAD, async (route: Route) => {
      keys.push(keyOf(route));
      if (keys.length > 1) return route.continue();
      await route.fetch();
      await route.abort('connectionreset');
    });
    // The clock of the page goes on by itself, too: it says so for a second.
    const said = page.getByText('The connection was lost. Trying again…').first().waitFor();
    await chooseZip(SITE);
    await said;
    await page.clock.runFor(1_000);
    await heading('Already published: here is the link.');
    expect(new Set(keys).size).to.equal(1);
    expect(keys).to.have.lengthOf(2);
    expect(await published()).to.have.lengthOf(1);
  });

  it('offers to try again when the server stays away, with the same key', async () => {
    await page.clock.install();
    const keys = new Set<string>();
    let tries = 0;
    let reachable = false;
    await page.route(UPLOAD, (route) => {
      tries += 1;
      keys.add(keyOf(route));
      return reachable ? route.continue() : route.abort('connectionrefused');
    });
    await chooseZip(SITE);
    for (const [n, wait] of [1_000, 2_000, 4_000, 8_000].entries()) {
      while (tries < n + 2) await page.clock.runFor(wait);
    }
    await heading('The server cannot be reached. Trying again is safe: nothing is published twice.');
    expect(tries).to.equal(5);
    reachable = true;
    await page.getByRole('button', { name: 'Try again' }).click();
    await heading('Published');
    expect(keys.size).to.equal(1);
    expect(await published()).to.have.lengthOf(1);
  });

  it('begins the bar anew for the upload, with the focus where the work is shown', async () => {
    const asked = Promise.withResolvers<void>();
    await page.route(UPLOAD, () => asked.resolve());
    await chooseFolder('site', SITE);
    await asked.promise;
    await page.getByText('Uploading site…').first().waitFor();
    const bar = await page.evaluate('document.querySelector("progress").value');
    expect(bar, 'of the upload, not of the packing').to.equal(0);
    expect(await page.evaluate('document.activeElement.closest(".stage") !== null')).to.equal(true);
  });

  it('can be cancelled while it uploads, and then publishes nothing', async () => {
    await page.route(UPLOAD, () => {});
    await chooseZip(SITE);
    await page.getByRole('progressbar').waitFor();
    expect(await violations(page)).to.deep.equal([]);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await heading('Cancelled. Nothing was published.');
    expect(await published()).to.deep.equal([]);
  });

  it('says that one was signed out meanwhile, and goes on after signing in again', async () => {
    const window = await context.newPage();
    await window.goto(service.screen);
    await window.getByRole('button', { name: 'Sign out' }).click();
    await window.getByText('You are signed out.').waitFor();
    await chooseZip(SITE);
    await heading('You were signed out. Sign in again in another window, then try again here.');
    expect(await published()).to.deep.equal([]);
    await signIn(window, service);
    await page.getByRole('button', { name: 'Try again' }).click();
    await heading('Published');
  });
});
