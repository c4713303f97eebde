import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { openPublisher, type Publisher, zipFile } from './open-publisher.ts';
import { violations } from './page-checks.ts';

const SITE = { 'index.html': '<a href="Map.html">the map</a>', 'map.html': 'x' };
const PAGE = '<!doctype html><title>Figures of May</title><p>Figures';
const UPLOAD = '**/manage/publish';

describe('publishing in a browser', () => {
  let publisher: Publisher;
  let page: Page;
  beforeEach(async () => {
    publisher = await openPublisher();
    ({ page } = publisher);
  });

  /** Waits for how publishing ended without a question, and looks for texts below the heading. */
  async function expectEnd(title: string, ...texts: readonly string[]): Promise<void> {
    await publisher.waitForHeading(title);
    expect(await page.getByRole('dialog').count()).to.equal(0);
    const shown = await page.locator('.stage').textContent();
    for (const text of texts) expect(shown).to.include(text);
    expect(await violations(page)).to.deep.equal([]);
  }

  /** Agrees to leave out what the dialog lists. */
  async function leaveOut(...items: readonly string[]): Promise<void> {
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    expect(await dialog.getByRole('listitem').allTextContents()).to.deep.equal(items);
    expect(await dialog.textContent()).to.include('The remaining 2 files');
    await dialog.getByRole('button', { name: 'Leave out and publish' }).click();
    await publisher.waitForHeading('Published');
  }

  /** A picture that the policy blocks cannot be decoded. */
  async function expectQrCode(): Promise<void> {
    const code = page.getByRole('img', { name: 'QR code of the link' });
    const width = await code.evaluate(async (element) => {
      const picture = element as unknown as { decode(): Promise<void>; naturalWidth: number };
      await picture.decode();
      return picture.naturalWidth;
    });
    expect(width).to.be.greaterThan(0);
    expect(await violations(page)).to.deep.equal([]);
  }

  it('accepts a folder, a ZIP or a single page that is dropped anywhere on the page', async () => {
    const site = { 'index.html': 'x', 'deep/er/file.txt': 'x', 'node_modules/a/b.js': 'x' };
    const folder = await publisher.writeFiles('dropped', site);
    const zip = await publisher.writeFiles('second.zip', { '': zipFile(SITE).buffer });
    const single = await publisher.writeFiles('Report.html', { '': PAGE });
    await publisher.drop(folder);
    await leaveOut('node_modules/ and everything in it');
    for (const dropped of [zip, single]) {
      const before = (await page.locator('.stage .url').textContent()) ?? '';
      await publisher.drop(dropped);
      await page.locator('.stage .url').filter({ hasNotText: before }).waitFor();
    }
    const files = (await publisher.published()).map((one) => [
      one.title,
      one.originalFilename,
      one.fileCount,
    ]);
    expect(files).to.have.deep.members([
      ['dropped', 'dropped.zip', 2],
      ['second', 'second.zip', 2],
      ['Figures of May', 'Report.zip', 1],
    ]);
  });

  it('shows the QR code of a single page’s link after publishing, and on the page of the publication', async () => {
    const buffer = Buffer.from(PAGE);
    await publisher.choose('Choose a ZIP or HTML file', {
      name: 'others.HTM',
      mimeType: 'text/html',
      buffer,
    });
    await publisher.waitForHeading('Published');
    const [{ id, originalFilename } = {}] = await publisher.published();
    expect(originalFilename).to.equal('others.zip');
    expect(await page.locator('.stage .url').textContent()).to.match(new RegExp(`/s/${id}$`));
    await expectQrCode();
    await page.getByRole('link', { name: 'Details' }).click();
    await publisher.waitForHeading('Figures of May');
    await expectQrCode();
  });

  it('publishes the chosen site once its password is long enough', async () => {
    await page.getByText('Protect with a password').click();
    const password = page.locator('#publish-password');
    await password.pressSequentially('short');
    await publisher.chooseZip(SITE);
    await page.locator('#publish-password:invalid').waitFor();
    await password.pressSequentially(' no longer');
    await password.press('Tab');
    await publisher.waitForHeading('Published');
    expect((await publisher.published())[0]).to.include({ passwordProtected: true });
    expect(await page.locator('.stage').textContent()).to.include('with the link and the password');
    expect(await page.getByRole('link', { name: 'Protect with a password…' }).count()).to.equal(0);
  });

  it('uses a password for one publication, and offers no field for it below what is published', async () => {
    const protect = page.locator('.options summary').first();
    const ready = protect.getByText('For the next publication');
    expect(await ready.isVisible()).to.equal(false);
    await protect.click();
    const password = page.locator('#publish-password');
    await password.pressSequentially('geheim und lang');
    await protect.click();
    expect(await ready.isVisible(), 'beside the closed field').to.equal(true);
    await publisher.chooseZip(SITE);
    await publisher.waitForHeading('Published');
    expect(await password.isVisible()).to.equal(false);
    await publisher.drop(await publisher.writeFiles('Open.html', { '': PAGE }));
    await page.getByText('Anyone with the link can open it until').waitFor();
    const protectedTitles = async () =>
      (await publisher.published()).filter((one) => one.passwordProtected).map(({ title }) => title);
    expect(await protectedTitles()).to.deep.equal(['site']);
    expect(await password.isVisible()).to.equal(false);
    await page.getByRole('link', { name: 'Protect with a password…' }).click();
    const field = page.locator('#new-password');
    await field.pressSequentially('nachtraeglich geheim');
    await field.press('Enter');
    await page.getByText('The password of “Figures of May” is set.').waitFor();
    expect(await protectedTitles()).to.have.members(['site', 'Figures of May']);
  });

  it('lists what the owner should check in the site', async () => {
    await publisher.chooseZip(SITE);
    await expectEnd('Published', 'index.html', 'Map.html');
  });

  it('leaves out forbidden files of a ZIP, after asking', async () => {
    const files = ['index.html', 'node_modules/a/b.js', '.env', 'c.txt'].map((path) => [`site/${path}`, 'x']);
    await publisher.chooseZip(Object.fromEntries(files));
    await leaveOut('site/.env', 'site/node_modules/ and everything in it');
    expect((await publisher.published())[0]).to.include({ title: 'site', fileCount: 2 });
  });

  it('publishes nothing if the person refuses to leave out forbidden files', async () => {
    await publisher.chooseFolder({ 'index.html': 'x', 'node_modules/a.js': 'x' });
    await page.getByRole('dialog').waitFor();
    expect(await violations(page)).to.deep.equal([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await publisher.waitForHeading('Nothing was published.');
    await page.getByRole('button', { name: 'Choose something else' }).click();
    await page.getByRole('button', { name: 'Choose a folder' }).waitFor();
    expect(await publisher.published()).to.deep.equal([]);
  });

  for (const way of ['chooseFolder', 'chooseZip'] as const) {
    it(`asks for no consent if the other files cannot be published either, and gives the reason: ${way}`, async () => {
      const forbidden = { 'node_modules/a.js': 'x', '.env': 'x' };
      await publisher[way]({ 'page.html': 'x', 'other.html': 'x', ...forbidden });
      const leftOut = 'These would be left out: .env, node_modules/';
      await expectEnd('This cannot be published yet', 'There is no index.html', leftOut);
      await page.getByRole('button', { name: 'Choose something else' }).click();
      await publisher[way](forbidden);
      await expectEnd('Nothing in it can be published', '.env, node_modules/');
    });
  }

  it('names the folder to publish, even one whose name begins with a dot', async () => {
    const built = { 'docs/.vitepress/dist/index.html': 'x', 'docs/.vitepress/dist/a.js': 'x' };
    for (const rest of [{ 'docs/notes.txt': 'x', 'package.json': '{}' }, {}]) {
      await publisher.chooseFolder({ ...built, ...rest });
      await expectEnd('This cannot be published yet', 'the folder “docs/.vitepress/dist” has one');
      await page.getByRole('button', { name: 'Choose something else' }).click();
    }
  });

  it('asks for no consent if the ZIP of the other files is too large', async () => {
    // Bytes that cannot be compressed.
    const noise = Array.from({ length: 6 }, (_, n) => [`${n}.bin`, randomBytes(2 * 1024 * 1024)]);
    const site = { 'index.html': 'x', 'node_modules/a.js': 'x', ...Object.fromEntries(noise) };
    await publisher.chooseFolder(site);
    await expectEnd('This cannot be published yet', 'The ZIP is too large');
  });

  it('does not offer to leave out files that cannot be removed from the ZIP', async () => {
    const file = zipFile({ 'index.html': 'x', '.env': 'x' });
    // Both entries begin at the same place: the ZIP cannot be cut between them.
    const second = file.buffer.lastIndexOf(Buffer.from('PK\x01\x02', 'latin1'));
    file.buffer.writeUInt32LE(0, second + 42);
    await publisher.choose('Choose a ZIP', file);
    await expectEnd('This cannot be published yet', 'do not belong in public');
  });

  it('lists every problem of a folder and of a ZIP by file, before anything is sent', async () => {
    let sent = 0;
    await page.route(UPLOAD, (route) => {
      sent += 1;
      return route.abort();
    });
    const wrong = Array.from({ length: 8 }, (_, n) => [`a${n}:b.txt`, 'x']);
    await publisher.chooseFolder({ 'Index.html': 'x', ...Object.fromEntries(wrong) });
    const another = page.getByRole('button', { name: 'Choose something else' });
    const spelled = 'There is no index.html, but “Index.html”. Rename it';
    await expectEnd('This cannot be published yet', spelled, 'a4:b.txt', 'and 3 more');
    expect(await page.locator('.stage').textContent()).not.to.include('a5:b.txt');
    await another.click();
    await publisher.chooseZip({ 'site/page.html': 'x', 'site/a:b': 'x' });
    await expectEnd('This cannot be published yet', 'site/a:b', 'There is no index.html');
    await another.click();
    await publisher.choose('Choose a ZIP', { ...zipFile({}), buffer: Buffer.from('hello') });
    await page.getByText('This is not a ZIP file').waitFor();
    expect(sent).to.equal(0);
  });

  it('gives advice for files that are not a site', async () => {
    const office = { '[Content_Types].xml': '<Types/>', 'word/document.xml': '<document/>' };
    const folder = await publisher.writeFiles('no-sites', {
      'site.tar.gz': Uint8Array.of(0x1f, 0x8b, 8, 0),
      'report.pdf': '%PDF-1.7',
      'report.docx': zipFile(office).buffer,
      'about.html': PAGE,
      'home.html': PAGE,
      'site.zip': zipFile(SITE).buffer,
      'notes.txt': 'x',
      'empty/.DS_Store': 'x',
    });
    const title = 'This cannot be published yet';
    const noZip = 'This is not a ZIP file. Unpack another kind of archive';
    for (const [names, heading, ...texts] of [
      [['site.tar.gz'], title, noZip],
      [['report.pdf'], title, `${noZip} and publish its files; put a document`],
      [['report.docx'], title, 'Save it as a web page (HTML)'],
      [['about.html', 'home.html'], title, 'pages such as “about.html” and “home.html”. Rename the one'],
      [
        ['site.zip', 'notes.txt'],
        title,
        'but “site.zip”, which is packed',
        'a ZIP can also be published alone',
      ],
      [['site.zip', 'empty'], 'Drop one folder, one ZIP, or the files of one site at a time.'],
      [['empty'], 'The folder is empty.'],
    ] as const) {
      await publisher.drop(...names.map((name) => `${folder}/${name}`));
      await expectEnd(heading, ...texts);
      await page.getByRole('button', { name: 'Choose something else' }).click();
    }
    expect(await publisher.published()).to.deep.equal([]);
  });

  it('takes files that are dropped together as one site, and the only page as its start page', async () => {
    const report = '<title>Report</title><link rel="stylesheet" href="style.css"><img src="img/a.svg">';
    const folder = await publisher.writeFiles('parts', {
      'report.html': report,
      'style.css': 'body { color: green }',
      'img/a.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    });
    await publisher.drop(`${folder}/report.html`);
    await expectEnd(
      'Published',
      'style.css in report.html',
      'Publish the folder that contains it and these files',
    );
    await publisher.drop(...['report.html', 'style.css', 'img'].map((name) => `${folder}/${name}`));
    const dialog = page.getByRole('dialog');
    await dialog.getByText('report.html can take its place.').waitFor();
    expect(await violations(page)).to.deep.equal([]);
    await dialog.getByRole('button', { name: 'Use report.html' }).click();
    await page.locator('.stage:not(:has(.warnings)) .url').waitFor();
    const [one, other] = await publisher.published();
    expect([one?.title, other?.title]).to.deep.equal(['Report', 'Report']);
    expect([one?.fileCount, other?.fileCount]).to.have.members([1, 3]);
  });

  it('shows a fault of the ZIP that only the server finds', async () => {
    const file = zipFile({ 'index.html': 'hello hello hello' });
    file.buffer[40] = (file.buffer[40] ?? 0) ^ 0xff;
    await publisher.choose('Choose a ZIP', file);
    await expectEnd('This cannot be published yet');
    expect(await publisher.published()).to.deep.equal([]);
  });

  it('restarts the progress bar for the upload, and moves the focus to it', async () => {
    const uploadBegan = Promise.withResolvers<void>();
    await page.route(UPLOAD, () => uploadBegan.resolve());
    await publisher.chooseFolder(SITE);
    await uploadBegan.promise;
    await page.getByText('Uploading site…').first().waitFor();
    const bar = await page.evaluate('document.querySelector("progress").value');
    expect(bar, 'of the upload, not of the packing').to.equal(0);
    expect(await page.evaluate('document.activeElement.closest(".stage") !== null')).to.equal(true);
  });
});
