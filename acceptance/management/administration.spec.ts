import { accountId, OPERATOR } from '@pinfold/core';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { openPage } from '../browser/chromium.ts';
import { LOOKS, overflow, violations } from './looks.ts';
import { OWNER, openService, type Service } from './open-service.ts';
import { HOSTILE, stock } from './stock.ts';

/** How many lines each link of the navigation takes. */
const LINES_OF_NAVIGATION = `[...document.querySelectorAll('.top nav a')].map((link) => {
  const text = document.createRange();
  text.selectNodeContents(link);
  return text.getClientRects().length;
})`;

describe('the pages of those who administer, in a browser', function () {
  this.timeout(60_000);
  let service: Service;
  let publications: readonly string[];
  before(async () => {
    service = await openService();
    publications = (await stock(service)).filter((path) => /^\/publications\/[^/]+$/.test(path));
  });

  async function signIn(page: Page): Promise<void> {
    const { text } = await service.keys.create({
      by: OPERATOR,
      account: accountId('operators'),
      scopes: ['admin'],
    });
    await page.goto(`${service.screen}/sign-in`);
    await page.locator('input[name=key]').fill(text);
    await page.locator('form:has(input[name=key]) button:not([type=button])').click();
    await page.waitForURL(`${service.screen}/`);
  }

  it('take a publication down and block its account, by keyboard alone', async () => {
    const page = await openPage();
    await signIn(page);
    const { id } = await service.publish('Bait');
    await page.getByRole('link', { name: 'Administration' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'All publications' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Bait' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Take down…' }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Reason').focus();
    await page.keyboard.type('Phishing');
    await page.keyboard.press('Enter');
    await page.getByRole('status').waitFor();
    expect(await page.getByRole('status').textContent()).to.include('The same ZIP cannot be published again');
    expect((await fetch(`${service.url}/s/${id}`)).status).to.equal(404);
    await page.getByRole('link', { name: OWNER, exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Block…' }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Reason').focus();
    await page.keyboard.type('Phishing');
    await page.keyboard.press('Enter');
    await page.getByText('The account is blocked.').waitFor();
    await page.getByRole('button', { name: 'Unblock' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('no longer blocked').waitFor();
  });

  it('break no word of the navigation on the narrowest phone, behind a menu in a header of one line', async () => {
    const page = await openPage({ viewport: { width: 320, height: 640 }, locale: 'en-GB' });
    await signIn(page);
    expect((await page.locator('header.top').boundingBox())?.height).to.be.at.most(60);
    await page.getByRole('button', { name: 'Menu' }).click();
    const lines = await page.evaluate(LINES_OF_NAVIGATION);
    expect(lines).to.deep.equal([1, 1, 1, 1, 1]);
  });

  for (const { name, ...look } of LOOKS) {
    it(`are within everybody’s reach, and never wider than the screen: ${name}`, async () => {
      const page = await openPage(look);
      await signIn(page);
      const owner = `/accounts/${encodeURIComponent(OWNER)}`;
      const parts = ['', owner, '/publications', ...publications, '/takedowns', '/history', '/service'];
      for (const path of parts.map((part) => `/administration${part}`)) {
        const answer = await page.goto(`${service.screen}${path}`);
        expect(answer?.status(), path).to.equal(200);
        expect(await overflow(page), path).to.equal(0);
        await page.evaluate('document.querySelectorAll("details").forEach((one) => { one.open = true })');
        expect(await violations(page), path).to.deep.equal([]);
        expect(await overflow(page), `${path}, all open`).to.equal(0);
      }
      await page.goto(`${service.screen}/administration/publications`);
      for (const title of HOSTILE)
        expect(await page.getByRole('rowheader', { name: title }).count(), title).to.equal(1);
      expect(await page.evaluate('window.harmed')).to.equal(undefined);
    });
  }
});
