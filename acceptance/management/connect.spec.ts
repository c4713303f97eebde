import { pairingCode } from '@pinfold/core/internal';
import { NodeSessionSecrets } from '@pinfold/platform-node';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { openPage } from '../browser/chromium.ts';
import { violations } from './looks.ts';
import { openService, type Service, signIn } from './open-service.ts';

describe('a person who gives the command a key', function () {
  this.timeout(60_000);
  let service: Service;
  let page: Page;
  before(async () => {
    service = await openService();
    page = await openPage();
    await signIn(page, service);
  });

  it('compares, chooses and agrees with the keyboard, and finds the key in the list', async () => {
    const { text: secret, hash } = new NodeSessionSecrets().mint();
    const registered = await fetch(`${service.screen}/connect/register`, {
      method: 'POST',
      body: new URLSearchParams({ request: hash }),
    });
    expect(registered.status).to.equal(200);
    await page.goto(`${service.screen}/connect?request=${hash}&label=Laptop`);
    expect(await page.textContent('main')).to.include(pairingCode(hash));
    expect(await violations(page)).to.deep.equal([]);
    await page.getByLabel('What is it for?').focus();
    for (const key of ['Tab', 'Tab', 'Space', 'Tab', 'Tab', 'Enter']) await page.keyboard.press(key);
    await page.waitForURL(`${service.screen}/keys`);
    expect(await page.textContent('.said')).to.include('within a few seconds');
    const given = await fetch(`${service.screen}/connect/key`, {
      method: 'POST',
      body: new URLSearchParams({ secret }),
    });
    expect(await given.json()).to.deep.include({ status: 'given', scopes: ['pins:read'] });
    await page.reload();
    expect(await page.textContent('table')).to.include('Laptop');
  });
});
