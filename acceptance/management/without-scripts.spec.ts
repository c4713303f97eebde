import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { openPage } from '../browser/chromium.ts';
import { zipFile } from './open-publisher.ts';
import { OWNER, openService, type Service, signIn } from './open-service.ts';
import { overflow } from './page-checks.ts';

describe('the screen without scripts', () => {
  let service: Service;
  let page: Page;
  beforeEach(async () => {
    service = await openService();
    page = await openPage({ javaScriptEnabled: false });
    await signIn(page, service);
  });

  async function onlyPublication() {
    const listed = await service.useCases.list({ by: OWNER, limit: 2 });
    if (listed.kind !== 'page' || listed.publications[0] === undefined)
      throw new Error('nothing is published');
    return listed.publications[0];
  }

  it('publishes a ZIP, and shows its link', async () => {
    expect(await page.getByRole('button', { name: 'Choose a folder' }).isVisible()).to.equal(false);
    expect(await page.getByText('Drop a folder').isVisible(), 'only a ZIP can be sent').to.equal(false);
    await page.getByRole('heading', { name: 'Publish a ZIP' }).waitFor();
    await page.getByLabel('ZIP of the site').setInputFiles(zipFile({ 'index.html': 'x' }));
    await page.getByRole('textbox', { name: 'Title', exact: true }).fill('Summer picnic');
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByText('“Summer picnic” is published.').waitFor();
    const { id } = await onlyPublication();
    expect(await page.getByRole('link', { name: `${service.url}/s/${id}` }).count()).to.equal(1);
  });

  it('lists the problems of a ZIP beside the field', async () => {
    await page.getByLabel('ZIP of the site').setInputFiles(zipFile({ 'page.html': 'x', '.env': 'x' }));
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    const alert = page.getByRole('alert');
    await alert.getByText('There is no index.html').waitFor();
    expect(await alert.textContent()).to.include('.env');
    expect(await page.getByLabel('ZIP of the site').getAttribute('aria-describedby')).to.equal(
      'archive-error',
    );
  });

  it('is no wider than a phone, even with problems', async () => {
    const narrow = await openPage({
      javaScriptEnabled: false,
      viewport: { width: 320, height: 640 },
      locale: 'ja-JP',
    });
    await signIn(narrow, service);
    const file = `${'a-name-without-any-gap-'.repeat(8)}:.txt`;
    await narrow.locator('#archive').setInputFiles(zipFile({ 'page.html': 'x', [file]: 'x' }));
    await narrow.locator('.upload button').click();
    await narrow.getByRole('alert').waitFor();
    expect(await overflow(narrow)).to.equal(0);
  });

  it('offers every change of a publication', async () => {
    await service.publish('Report');
    await page.reload();
    await page.getByRole('button', { name: 'More Report' }).click();
    await page.getByRole('button', { name: 'Pin', exact: true }).click();
    await page.getByText('“Report” is pinned').waitFor();
    await page.getByRole('link', { name: 'Report', exact: true }).click();
    await page.getByRole('button', { name: 'Unpin' }).click();
    await page.getByRole('button', { name: 'Renew for 7 days' }).click();
    await page.getByText('can be opened until').waitFor();
    await page.getByRole('textbox', { name: 'Title' }).fill('Minutes');
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByText('Set password…').click();
    await page.getByLabel('New password').fill('under the tree');
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('Remove password…').click();
    await page.getByRole('button', { name: 'Remove password', exact: true }).click();
    await page.getByText('The password was removed').waitFor();
    expect(await onlyPublication()).to.include({ title: 'Minutes', pinned: false, passwordProtected: false });
    await page.getByRole('link', { name: 'Stop publication…' }).click();
    await page.getByRole('heading', { name: 'Stop this publication?' }).waitFor();
    await page.getByRole('button', { name: 'Stop publication' }).click();
    await page.getByText('“Minutes” was stopped').waitFor();
  });
});
