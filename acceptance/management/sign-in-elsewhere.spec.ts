import { openIdConnect, parseClaimRule } from '@pinfold/oidc';
import { SystemClock } from '@pinfold/platform-node';
import { expect } from 'chai';
import { CLIENT_ID, CLIENT_SECRET, type Issuer, openIssuer } from 'pinfold-test-servers/issuer';
import type { Page } from 'playwright-core';
import { openPage } from '../browser/chromium.ts';
import { openService, type Service } from './open-service.ts';
import { violations } from './page-checks.ts';

describe('signing in with OpenID Connect, in a browser', () => {
  let issuer: Issuer;
  let service: Service;
  let page: Page;
  before(async () => {
    // On another site than the screen's, so that the browser sends no SameSite=Strict cookies on the way back.
    issuer = await openIssuer('127.0.0.1');
    const provider = openIdConnect({
      issuer: issuer.url,
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      name: 'Example',
      require: parseClaimRule('groups=staff'),
      clock: new SystemClock(),
    });
    service = await openService(provider);
    issuer.serve(`${service.screen}/sign-in/oidc`);
    issuer.people.set('ada', { name: 'Ada L.', groups: ['staff'] });
    page = await openPage();
    // The issuer's pages load fonts from another host.
    await page.route(/fonts\.googleapis\.com/, (route) => route.abort());
  });
  after(async () => {
    await issuer.close();
  });

  /** Enters a name and consents at the issuer. */
  async function signInAtIssuer(name: string): Promise<void> {
    await page.getByPlaceholder('Enter any login').fill(name);
    await page.getByPlaceholder('and password').fill('any');
    await page.getByRole('button', { name: 'Sign-in' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
  }

  it('leads from the requested page to the issuer, and back to that page', async () => {
    await page.goto(`${service.screen}/history`);
    expect(await violations(page)).to.deep.equal([]);
    await page.getByRole('link', { name: 'Sign in with Example' }).click();
    await signInAtIssuer('ada');
    await page.waitForURL(`${service.screen}/history`);
    expect(await page.textContent('.who')).to.include('Ada L.');
    expect(await page.textContent('main')).to.include('Signed in');
  });

  it('signs out of the screen and of the issuer', async () => {
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${issuer.url}/session/end?client_id=${CLIENT_ID}`);
    await page.getByRole('button', { name: 'Yes, sign me out' }).click();
    await page.goto(`${service.screen}/history`);
    expect(page.url()).to.include('/sign-in?to=');
  });

  it('shows their name to a person who may not sign in, and offers another sign-in', async () => {
    await page.getByRole('link', { name: 'Sign in with Example' }).click();
    await signInAtIssuer('eve');
    await page.getByRole('heading', { name: 'You were not signed in' }).waitFor();
    expect(await page.textContent('main'))
      .to.include('oidc:eve')
      .and.include('Sign out of Example');
    expect(await violations(page)).to.deep.equal([]);
    await page.getByRole('link', { name: 'Sign in again' }).click();
    await page.getByText('Other ways to sign in').click();
    expect(await page.getByLabel('API key').isVisible()).to.equal(true);
  });
});
