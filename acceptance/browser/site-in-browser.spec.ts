import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { builtSite, EVERYTHING, enterPassword, reportOf } from './build-site.ts';
import { openPage } from './chromium.ts';
import { openService, type Service } from './open-service.ts';
import { snooper } from './snooper.ts';

const PASSWORD = 'harbour lights';

/** A page without an origin of its own cannot even send the request. */
const REGISTERED_WORKERS = `(async () => {
  try {
    return (await navigator.serviceWorker.getRegistrations()).length;
  } catch {
    return 0;
  }
})()`;

describe('a built site in a real browser', () => {
  for (const mode of ['origin', 'path'] as const) {
    describe(`in ${mode} mode`, () => {
      let service: Service;
      let page: Page;

      before(async () => {
        service = await openService(mode);
      });
      beforeEach(async () => {
        page = await openPage();
      });

      const publish = async (name: string) => service.publish(await builtSite(mode), name);

      it('loads modules, chunks, styles, fonts, images and data, and runs no service worker', async () => {
        const pin = await publish('parts');
        await page.goto(pin.shared_url);
        const report = await reportOf(page);
        expect(report).to.include(EVERYTHING);
        expect(report.worker).to.match(/^failed|^none here/);
        expect(await page.evaluate(REGISTERED_WORKERS)).to.equal(0);
      });

      it('asks for the password, usable by keyboard, in Japanese if the browser prefers it', async () => {
        const pin = await publish('japanese');
        await service.patch(pin.id, { password: PASSWORD });
        const visitorPage = await openPage({ locale: 'ja-JP' });
        await visitorPage.goto(`${pin.shared_url}`);
        expect(await visitorPage.locator('html').getAttribute('lang')).to.equal('ja');
        expect(await visitorPage.title()).to.contain('パスワード');
        await enterPassword(visitorPage, 'not this one');
        await visitorPage.locator('[role=alert]').waitFor();
        await enterPassword(visitorPage, PASSWORD);
        expect(await reportOf(visitorPage)).to.include(EVERYTHING);
      });

      it('refuses the next request of an open tab after the password changes', async () => {
        const pin = await publish('change');
        await service.patch(pin.id, { password: PASSWORD });
        await page.goto(pin.shared_url);
        await enterPassword(page, PASSWORD);
        await reportOf(page);
        await service.patch(pin.id, { password: 'another password' });
        const status = await page.evaluate(async () => {
          const answer = await fetch(`tides.json?${Math.random()}`);
          return answer.status;
        });
        expect(status).to.equal(403);
        await page.reload();
        await enterPassword(page, 'another password');
        expect(await reportOf(page)).to.include(EVERYTHING);
      });

      it('is not found at the next request after it is stopped', async () => {
        const pin = await publish('stop');
        await page.goto(pin.shared_url);
        await reportOf(page);
        await service.stop(pin.id);
        expect((await page.reload())?.status()).to.equal(404);
        expect((await page.goto(pin.shared_url))?.status()).to.equal(404);
      });

      it('cannot read another site, the API or the storage of another site', async () => {
        const neighbour = await publish('neighbour');
        await page.goto(neighbour.shared_url);
        await reportOf(page);
        const site = page.url();
        const pin = await service.publish(snooper(service.url, neighbour.shared_url, site), 'snooper');
        await page.goto(pin.shared_url);
        const report = await reportOf(page);
        expect(Object.keys(report)).to.have.length.above(5);
        for (const [name, seen] of Object.entries(report)) {
          if (name !== 'done') expect(seen, name).to.match(/^failed|^nothing/);
        }
      });
    });
  }

  describe('with an origin of its own', () => {
    let service: Service;
    before(async () => {
      service = await openService('origin');
    });

    it('answers deep links with absolute paths to its parts, even with a password', async () => {
      const pin = await service.publish(await builtSite('origin'), 'deep');
      const page = await openPage();
      await page.goto(pin.shared_url);
      await page.locator('#deep').click();
      await page.waitForURL('**/tides/today');
      expect(await reportOf(page)).to.include(EVERYTHING);
      expect(await page.locator('#where').textContent()).to.equal('/tides/today');
      const deep = page.url();
      await service.patch(pin.id, { password: PASSWORD });
      await page.goto(`${deep}?day=1#noon`);
      await enterPassword(page, PASSWORD);
      expect(await reportOf(page)).to.include(EVERYTHING);
      expect(page.url()).to.equal(`${deep}?day=1#noon`);
      await page.goto(new URL('/guide', deep).href);
      expect(page.url()).to.equal(new URL('/guide/', deep).href);
      expect(await page.locator('h1').textContent()).to.equal('港の案内');
    });
  });

  describe('under a path', () => {
    let service: Service;
    before(async () => {
      service = await openService('path');
    });

    it('does not open for another person with the address from the address bar', async () => {
      const pin = await service.publish(await builtSite('path'), 'copied');
      await service.patch(pin.id, { password: PASSWORD });
      const page = await openPage();
      await page.goto(pin.shared_url);
      await enterPassword(page, PASSWORD);
      await reportOf(page);
      const copied = page.url();
      expect(copied).to.contain('/~');
      const visitorPage = await openPage();
      await visitorPage.goto(copied);
      await visitorPage.locator('input[type=password]').waitFor();
    });
  });
});
