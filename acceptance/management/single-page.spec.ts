import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { BrowserContext, Page } from 'playwright-core';
import { openContext } from '../browser/chromium.ts';
import { violations } from './looks.ts';
import { OWNER, openService, type Service, signIn } from './open-service.ts';

const PAGE = '<!doctype html><title>Figures of May</title><p>Figures';

describe('publishing a single page in a browser', function () {
  this.timeout(60_000);
  let service: Service;
  let context: BrowserContext;
  let page: Page;
  let folder: string;

  beforeEach(async () => {
    service = await openService();
    context = await openContext();
    page = await context.newPage();
    folder = await mkdtemp(join(tmpdir(), 'pinfold-page-'));
    await signIn(page, service);
  });

  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  async function expectPublished(name: string): Promise<void> {
    await page.getByRole('heading', { name: 'Published', exact: true }).waitFor();
    const listed = await service.useCases.list({ by: OWNER, limit: 100 });
    if (listed.kind !== 'page') throw new Error(listed.code);
    const [role, ...others] = listed.publications;
    expect(others).to.deep.equal([]);
    expect(role).to.include({ title: 'Figures of May', originalFilename: `${name}.zip`, fileCount: 1 });
    const link = await page.locator('.stage .url').textContent();
    expect(link).to.match(new RegExp(`/s/${role?.id}$`));
  }

  /** What is drawn has a size of its own; a picture that the policy keeps out cannot be decoded. */
  async function expectCode(): Promise<void> {
    const code = page.getByRole('img', { name: 'QR code of the link' });
    const width = await code.evaluate(async (element) => {
      const picture = element as unknown as { decode(): Promise<void>; naturalWidth: number };
      await picture.decode();
      return picture.naturalWidth;
    });
    expect(width).to.be.greaterThan(0);
    expect(await violations(page)).to.deep.equal([]);
  }

  it('takes one that is dropped, and shows its link as a QR code there and on its page', async () => {
    await writeFile(join(folder, 'Report.html'), PAGE);
    const session = await context.newCDPSession(page);
    const data = { items: [], files: [join(folder, 'Report.html')], dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
      await session.send('Input.dispatchDragEvent', { type, x: 20, y: 20, data });
    }
    await expectPublished('Report');
    await expectCode();
    await page.getByRole('link', { name: 'Details' }).click();
    await page.getByRole('heading', { name: 'Figures of May', exact: true }).waitFor();
    await expectCode();
  });

  it('takes one that is chosen', async () => {
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Choose a ZIP or HTML file' }).click(),
    ]);
    await chooser.setFiles({ name: 'others.HTM', mimeType: 'text/html', buffer: Buffer.from(PAGE) });
    await expectPublished('others');
  });

  it('publishes what was chosen once its password is long enough', async () => {
    await page.getByText('Protect with a password').click();
    const password = page.locator('#publish-password');
    await password.pressSequentially('short');
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Choose a ZIP' }).click(),
    ]);
    await chooser.setFiles({ name: 'Report.html', mimeType: 'text/html', buffer: Buffer.from(PAGE) });
    await page.locator('#publish-password:invalid').waitFor();
    await password.pressSequentially(' no longer');
    await password.press('Tab');
    await expectPublished('Report');
    await page.goto(service.screen);
    await page.locator('.rows .chip', { hasText: 'Password' }).waitFor();
  });
});
