import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { openPage } from '../browser/chromium.ts';
import { openPublisher, type Publisher } from './open-publisher.ts';

const SITE = {
  'index.html': '<link rel="stylesheet" href="style/main.css"><h1>Our picnic</h1>',
  'style/main.css': 'h1 { color: green }',
  'node_modules/left-pad/index.js': 'x',
  '.env': 'SECRET=1',
  '.env.local': 'SECRET=1',
  'server.key': '-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n',
  'ca.pem': '-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----\n',
  '.DS_Store': 'x',
  'style/._main.css': '\0\x05\x16\x07\0\x02\0\0',
  'Icon\r': '',
};

/** Pages without scripts have their own spec. */
describe("a person's way through the screen with scripts", () => {
  let publisher: Publisher;
  let page: Page;
  before(async () => {
    publisher = await openPublisher();
    ({ page } = publisher);
  });

  /** The page of a viewer who has only the link. */
  async function viewed(): Promise<{ readonly status: number; readonly text: string }> {
    const site = await openPage();
    const answer = await site.goto(url);
    return { status: answer?.status() ?? 0, text: (await site.textContent('body')) ?? '' };
  }

  let url: string;

  it('publishes a folder without private files, and copies the link to the clipboard', async () => {
    await publisher.choose('Choose a folder', await publisher.writeFiles('picnic', SITE));
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
    await publisher.waitForHeading('Published');
    url = (await page.locator('.stage .url').textContent()) ?? '';
    expect(url).to.match(new RegExp(`^${publisher.service.url}/s/[0-9a-f-]{36}$`));
    expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(url);
    const leftOut = 'Left out: .env, .env.local, node_modules/, server.key.';
    expect(await page.locator('.stage').textContent()).to.include(leftOut);
    expect(await viewed()).to.deep.include({ status: 200, text: 'Our picnic' });
  });

  it('finds the publication in the list, and copies its link again', async () => {
    await page.getByRole('link', { name: 'picnic', exact: true }).waitFor();
    await page.evaluate("navigator.clipboard.writeText('something else')");
    // The message is visible for two seconds.
    const copied = page.getByRole('button', { name: 'Copied picnic' }).waitFor();
    await Promise.all([copied, page.getByRole('button', { name: 'Copy link picnic' }).click()]);
    expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(url);
  });

  it('protects the publication, so that the link needs a password', async () => {
    await page.getByRole('link', { name: 'picnic', exact: true }).click();
    await page.getByText('Set password…').click();
    await page.getByLabel('New password').fill('under the tree');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    expect(await page.getByLabel('New password').getAttribute('type')).to.equal('text');
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('is set. Everyone is asked').waitFor();
    expect((await viewed()).text)
      .to.include('Enter the password')
      .and.not.include('picnic');
  });

  it('creates an API key, and no second one by a double click or by reloading the page', async () => {
    const { keys, screen } = publisher.service;
    await page.goto(`${screen}/keys`);
    await page.getByLabel('What is it for?').fill('Nightly build');
    await page.getByRole('button', { name: 'Create a key' }).dblclick({ delay: 50 });
    const text = (await page.locator('#new-key').textContent()) ?? '';
    expect(await keys.authenticate(text)).to.include({ label: 'Nightly build' });
    await page.reload();
    expect(await page.content()).not.to.include(text);
    expect(await page.locator('tbody tr').count()).to.equal(1);
  });

  it('stops the publication after a confirmation, and no viewer can open it any more', async () => {
    await page.getByRole('link', { name: 'Publications' }).first().click();
    await page.getByRole('button', { name: 'More picnic' }).click();
    await page.getByRole('link', { name: 'Stop publication…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Stop this publication?' });
    await dialog.getByText('picnic').waitFor();
    await dialog.getByRole('button', { name: 'Stop publication' }).click();
    await page.getByText('“picnic” was stopped').waitFor();
    expect((await viewed()).status).to.equal(404);
  });
});
