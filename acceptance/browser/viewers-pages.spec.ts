import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { strToU8, zipSync } from 'fflate';
import { type App, createApp, readSettings } from 'pinfold';
import type { BrowserContext, Page } from 'playwright-core';
import { CONDITIONS, overflow, violations } from '../management/page-checks.ts';
import { openContext } from './chromium.ts';
import { openService, type Service } from './open-service.ts';

const ARCHIVE = zipSync(
  { 'index.html': strToU8('<!doctype html><title>Locked</title>') },
  { mtime: '2026-11-20' },
);
const PASSWORD = 'harbour lights';
const UNKNOWN_SITE = '/s/00000000-0000-4000-8000-000000000000';

describe("the viewers' pages in a browser", () => {
  let service: Service;
  let folder: string;
  let app: App;
  /** The site of a first start. */
  let welcome: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pinfold-pages-'));
    const env = {
      PINFOLD_PORT: '0',
      PINFOLD_DATA_DIR: folder,
      PINFOLD_REPORT_URL: 'mailto:abuse@share.example',
    };
    app = await createApp(readSettings(env), { log: () => undefined });
    const { addresses, firstStart } = await app.listen();
    welcome = `${addresses.publicUrl}/s/${firstStart?.welcome?.publication.id}`;
    service = await openService('origin');
  });
  after(async () => {
    await app?.close();
    await rm(folder, { recursive: true });
  });

  for (const { name, ...conditions } of CONDITIONS) {
    describe(name, () => {
      let context: BrowserContext;
      let page: Page;
      let messages: string[];
      beforeEach(async () => {
        context = await openContext(conditions);
        page = await context.newPage();
        messages = [];
        page.on('console', (message) => {
          if (message.type() === 'error' || message.type() === 'warning') messages.push(message.text());
        });
      });

      /** Checks that the page is accessible, no wider than the screen, and logs no violation of its policy. */
      async function expectFit(what: string): Promise<void> {
        expect(await violations(page), what).to.deep.equal([]);
        expect(await overflow(page), what).to.equal(0);
        expect(
          messages.filter((text) => !/status of [45]\d\d/.test(text)),
          what,
        ).to.deep.equal([]);
      }

      it('ask for the password with the field in focus, and show next to it that it was wrong', async () => {
        const pin = await service.publish(ARCHIVE, `locked ${name}`);
        await service.patch(pin.id, { password: PASSWORD });
        await page.goto(pin.shared_url);
        await page.locator('#password:focus').waitFor();
        await expectFit('password');
        await page.keyboard.type('not this one');
        await page.keyboard.press('Enter');
        await page.getByRole('alert').waitFor();
        await page.locator('#password:focus[aria-invalid]').waitFor();
        await expectFit('wrong password');
      });

      it('say that a site is not found, and what is at the public URL', async () => {
        expect((await page.goto(`${service.url}${UNKNOWN_SITE}`))?.status()).to.equal(404);
        await page.getByRole('heading', { name: /This link doesn’t work|このリンクは使えません/ }).waitFor();
        await expectFit('not found');
        await page.goto(`${service.url}/`);
        await expectFit('the page at the public URL');
      });

      it('say what to do when the browser sends too many cookies', async () => {
        for (const count of [4, 30]) {
          const jar = Array.from({ length: count }, (_, n) => ({ name: `b${n}`, value: 'x'.repeat(3_900) }));
          await context.addCookies(jar.map((cookie) => ({ ...cookie, url: service.url })));
          expect((await page.goto(`${service.url}/`))?.status(), `${count} cookies`).to.equal(431);
          await page
            .getByText(/Delete the cookies of this website|Cookie を削除してから/)
            .first()
            .waitFor();
          await expectFit(`${count} cookies`);
        }
      });

      it('say that there is no site', async () => {
        expect((await page.goto(service.url.replace('localhost', 'nothing.localhost')))?.status()).to.equal(
          421,
        );
        await page
          .getByRole('heading', { name: /There is no site at this address|このアドレスにサイトはありません/ })
          .waitFor();
        await expectFit('no site');
      });

      it('have a gap before the link to report them', async () => {
        await page.goto(new URL(UNKNOWN_SITE, welcome).href);
        const gap = await page.evaluate(`((report) =>
          report.getBoundingClientRect().top - report.previousElementSibling.getBoundingClientRect().bottom
        )(document.querySelector('.report'))`);
        expect(gap).to.equal(24);
        await expectFit('to report');
      });

      it('include the welcome site, styled in each of its languages', async () => {
        await page.goto(welcome);
        for (const path of ['index.html', 'ja/index.html']) {
          await page.goto(new URL(path, page.url()).href);
          await expectFit(path);
          const isStyled = 'getComputedStyle(document.documentElement).getPropertyValue("--page") !== ""';
          expect(await page.evaluate(isStyled), 'styled').to.equal(true);
        }
      });
    });
  }
});
