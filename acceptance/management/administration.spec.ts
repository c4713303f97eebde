import { expect } from 'chai';
import { openPage } from '../browser/chromium.ts';
import { OPERATORS, OWNER, openService, type Service, signIn } from './open-service.ts';

/** How many lines each link of the navigation takes. */
const LINES_OF_NAVIGATION = `[...document.querySelectorAll('.top nav a')].map((link) => {
  const text = document.createRange();
  text.selectNodeContents(link);
  return text.getClientRects().length;
})`;

describe('the pages of administrators, in a browser', () => {
  let service: Service;
  before(async () => {
    service = await openService();
  });

  it('take a publication down and block its account, with only the keyboard', async () => {
    const page = await openPage();
    await signIn(page, service, OPERATORS);
    const { id } = await service.publish('Bait');
    const press = async (role: 'button' | 'link', name: string): Promise<void> => {
      await page.getByRole(role, { name, exact: true }).focus();
      await page.keyboard.press('Enter');
    };
    const giveReason = async (): Promise<void> => {
      await page.getByLabel('Reason').focus();
      await page.keyboard.type('Phishing');
      await page.keyboard.press('Enter');
    };
    for (const link of ['Administration', 'All publications', 'Bait']) await press('link', link);
    await press('button', 'Take down…');
    await giveReason();
    await page.getByRole('status').waitFor();
    expect(await page.getByRole('status').textContent()).to.include('The same ZIP cannot be published again');
    expect((await fetch(`${service.url}/s/${id}`)).status).to.equal(404);
    await press('link', OWNER);
    await press('button', 'Block…');
    await giveReason();
    await page.getByText('The account is blocked.').waitFor();
    await press('button', 'Unblock');
    await page.getByText('no longer blocked').waitFor();
  });

  it('break no word of the navigation on the narrowest phone, behind a menu in a header of one line', async () => {
    const page = await openPage({ viewport: { width: 320, height: 640 }, locale: 'en-GB' });
    await signIn(page, service, OPERATORS);
    expect((await page.locator('header.top').boundingBox())?.height).to.be.at.most(60);
    await page.getByRole('button', { name: 'Menu' }).click();
    const lines = await page.evaluate(LINES_OF_NAVIGATION);
    expect(lines).to.deep.equal([1, 1, 1, 1, 1]);
  });
});
