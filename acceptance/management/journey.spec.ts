import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { openPage } from '../browser/chromium.ts';
import { type Database, openService, type Service, signIn } from './open-service.ts';

const SITE = {
  'index.html': '<link rel="stylesheet" href="style/main.css"><h1>Our picnic</h1>',
  'style/main.css': 'h1 { color: green }',
  'node_modules/left-pad/index.js': 'x',
  '.env': 'SECRET=1',
  '.env.local': 'SECRET=1',
  'server.key': '-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n',
  'ca.pem': '-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----\n',
  '.DS_Store': 'x',
};

for (const database of ['SQLite', 'PostgreSQL'] as readonly Database[]) {
  describe(`a person's whole way through the screen, on ${database}`, function () {
    this.timeout(60_000);
    let service: Service;
    let page: Page;
    let folder: string;
    before(async () => {
      service = await openService(database);
      page = await openPage({ permissions: ['clipboard-read', 'clipboard-write'] });
      folder = join(await mkdtemp(join(tmpdir(), 'pinfold-dropped-')), 'picnic');
      for (const [path, text] of Object.entries(SITE)) {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), text);
      }
    });
    after(async () => {
      await rm(dirname(folder), { recursive: true });
    });

    /** What a viewer sees who has nothing but the link. */
    async function viewed(url: string): Promise<{ readonly status: number; readonly text: string }> {
      const site = await openPage();
      const answer = await site.goto(url);
      return { status: answer?.status() ?? 0, text: (await site.textContent('body')) ?? '' };
    }

    let url: string;

    it('signs in by the printed link', () => signIn(page, service));

    it('publishes a folder without what must stay at home, and has the link in the clipboard', async () => {
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        page.getByRole('button', { name: 'Choose a folder' }).click(),
      ]);
      await chooser.setFiles(folder);
      const dialog = page.getByRole('dialog', { name: 'Leave these out?' });
      await dialog.waitFor();
      expect(await dialog.getByRole('listitem').allTextContents()).to.deep.equal([
        '.env',
        '.env.local',
        'node_modules/ and everything in it',
        'server.key',
      ]);
      expect(await dialog.textContent()).to.include('The remaining 3 files');
      await dialog.getByRole('button', { name: 'Leave out and publish' }).click();
      await page.getByRole('heading', { name: 'Published', exact: true }).waitFor();
      url = (await page.locator('.stage .url').textContent()) ?? '';
      expect(url).to.match(new RegExp(`^${service.url}/s/[0-9a-f-]{36}$`));
      expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(url);
      expect(await page.locator('.stage').textContent()).to.include(
        'Left out: .env, .env.local, node_modules/, server.key.',
      );
      expect(await viewed(url)).to.deep.include({ status: 200, text: 'Our picnic' });
    });

    it('finds it in the list, and copies its link again', async () => {
      await page.getByRole('link', { name: 'picnic', exact: true }).waitFor();
      await page.evaluate("navigator.clipboard.writeText('something else')");
      // It says so for two seconds.
      const said = page.getByRole('button', { name: 'Copied picnic' }).waitFor();
      await Promise.all([said, page.getByRole('button', { name: 'Copy link picnic' }).click()]);
      expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(url);
    });

    it('pins it from the list', async () => {
      await page.getByRole('button', { name: 'More picnic' }).click();
      await page.getByRole('button', { name: 'Pin', exact: true }).click();
      await page.getByText('“picnic” is pinned').waitFor();
      expect(page.url()).to.equal(`${service.screen}/`);
    });

    it('protects it, so that the link alone opens nothing', async () => {
      await page.getByRole('link', { name: 'picnic', exact: true }).click();
      await page.getByText('Set a password…').click();
      await page.getByLabel('New password').fill('under the tree');
      await page.getByRole('button', { name: 'Show', exact: true }).click();
      expect(await page.getByLabel('New password').getAttribute('type')).to.equal('text');
      await page.getByRole('button', { name: 'Set password' }).click();
      await page.getByText('is set. Everyone is asked').waitFor();
      expect((await viewed(url)).text)
        .to.include('Enter the password')
        .and.not.include('picnic');
    });

    it('renames it', async () => {
      await page.getByRole('textbox', { name: 'Title' }).fill('Summer picnic');
      await page.getByRole('button', { name: 'Rename' }).click();
      await page.getByRole('heading', { name: 'Summer picnic', level: 1 }).waitFor();
    });

    it('unpins and renews it', async () => {
      expect(await page.getByRole('button', { name: 'Renew for 7 days' }).isDisabled()).to.equal(true);
      await page.getByRole('button', { name: 'Unpin' }).click();
      await page.getByText('is no longer pinned').waitFor();
      await page.getByRole('button', { name: 'Renew for 7 days' }).click();
      await page.getByText('can be opened until').waitFor();
    });

    it('makes an API key, sees it once, and revokes it', async () => {
      await page.getByRole('link', { name: 'API keys' }).click();
      await page.getByLabel('What is it for?').fill('Nightly build');
      await page.getByRole('button', { name: 'Create a key' }).click();
      const text = (await page.locator('#new-key').textContent()) ?? '';
      expect(await service.keys.authenticate(text)).to.include({ label: 'Nightly build' });
      await page.reload();
      expect(await page.content()).not.to.include(text);
      await page.getByText('Revoke…').click();
      await page.getByRole('button', { name: 'Revoke', exact: true }).click();
      await page.getByText('The key was revoked').waitFor();
      expect(await service.keys.authenticate(text)).to.equal(undefined);
    });

    it('stops it, after being asked by name, and nobody gets in any more', async () => {
      await page.getByRole('link', { name: 'Publications' }).first().click();
      await page.getByRole('button', { name: 'More Summer picnic' }).click();
      await page.getByRole('link', { name: 'Stop publication…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Stop this publication?' });
      await dialog.getByText('Summer picnic').waitFor();
      await dialog.getByRole('button', { name: 'Stop publication' }).click();
      await page.getByText('“Summer picnic” was stopped').waitFor();
      expect((await viewed(url)).status).to.equal(404);
    });

    it('signs out', async () => {
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByText('You are signed out.').waitFor();
      await page.goto(service.screen);
      expect(new URL(page.url()).pathname).to.equal('/manage/sign-in');
    });
  });
}
