import { expect } from 'chai';
import type { BrowserContext, Page } from 'playwright-core';
import { openContext, openPage } from '../browser/chromium.ts';
import { OPERATORS, openService, type Service, signIn } from './open-service.ts';
import { CONDITIONS, coveredRows, overflow, violations } from './page-checks.ts';
import { createStock, HOSTILE } from './stock.ts';

const FIRST_PAGE_BYTES = 50_000;

describe('the pages in a browser', () => {
  let service: Service;
  let paths: Awaited<ReturnType<typeof createStock>>;
  before(async () => {
    service = await openService();
    paths = await createStock(service);
  });

  async function expectFit(page: Page, path: string): Promise<void> {
    await page.goto(`${service.screen}${path}`);
    expect(await overflow(page), path).to.equal(0);
    expect(await coveredRows(page), path).to.deep.equal([]);
    await page.evaluate('document.querySelectorAll("details").forEach((one) => { one.open = true })');
    expect(await violations(page), path).to.deep.equal([]);
    expect(await overflow(page), `${path}, all open`).to.equal(0);
  }

  async function expectHarmless(page: Page, path: string): Promise<void> {
    await page.goto(`${service.screen}${path}`);
    for (const title of HOSTILE)
      expect(await page.getByRole('rowheader', { name: title }).count(), title).to.equal(1);
    expect(await page.evaluate('window.harmed')).to.equal(undefined);
  }

  for (const { name, ...conditions } of CONDITIONS) {
    describe(name, () => {
      let context: BrowserContext;
      let page: Page;
      const messages: string[] = [];
      before(async () => {
        context = await openContext(conditions);
        page = await context.newPage();
        await signIn(page, service);
        page.on('console', (message) => messages.push(message.text()));
        page.on('pageerror', (error) => messages.push(String(error)));
      });

      it('are accessible, and never wider than the screen', async () => {
        const link = new URL(await service.link());
        for (const path of ['/sign-in', `/sign-in${link.search}`, ...paths.own]) await expectFit(page, path);
      });

      it('of administration are accessible, and never wider than the screen', async () => {
        const admin = await openPage(conditions);
        await signIn(admin, service, OPERATORS);
        for (const path of paths.administration) await expectFit(admin, path);
        await expectHarmless(admin, '/administration/publications');
      });

      it('are accessible with a menu or a dialog open', async () => {
        await page.goto(`${service.screen}/`);
        await page.locator('.more').first().click();
        expect(await violations(page), 'menu').to.deep.equal([]);
        await page.locator('.menu:popover-open a[data-dialog]').click();
        await page.locator('dialog').waitFor();
        expect(await violations(page), 'dialog').to.deep.equal([]);
      });

      it('are accessible while the service is read-only, with the longest message allowed', async () => {
        const { mode } = service.stores;
        const message = `<i>${'maintenance'.repeat(22)}</i>`;
        await mode.change({ kind: 'read_only', message }, []);
        try {
          for (const path of ['/', '/keys', ...paths.own.slice(0, 3)]) {
            await page.goto(`${service.screen}${path}`);
            expect(await page.getByText(message).count(), path).to.equal(1);
            expect(await violations(page), path).to.deep.equal([]);
            expect(await overflow(page), path).to.equal(0);
          }
        } finally {
          await mode.change({ kind: 'normal', message: null }, []);
        }
      });

      it('run no script of a title or a file name, and log no error', async () => {
        await expectHarmless(page, '/');
        expect(messages.filter((text) => !text.includes('404'))).to.deep.equal([]);
      });
    });
  }

  it('can be used with only the keyboard', async () => {
    const page = await openPage();
    await page.goto(await service.link());
    await page.locator('.sign-in button:focus').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`${service.screen}/`);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).to.equal('Skip to the content');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).to.equal('Choose a folder');
    const menu = page.locator('.more').first();
    await menu.focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.parentElement.className')).to.equal('menu');
    await page.keyboard.press('Escape');
    expect(await page.evaluate('document.activeElement.className'), 'back on the button').to.equal('more');
    await page.keyboard.press('Enter');
    await page.locator('.menu:popover-open a[data-dialog]').focus();
    await page.keyboard.press('Enter');
    await page.locator('dialog').waitFor();
    expect(await page.evaluate('document.activeElement.closest("dialog") !== null')).to.equal(true);
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.className'), 'back again').to.equal('more');
  });

  it('show exact times in the time zone of the browser', async () => {
    const page = await openPage({ timezoneId: 'Pacific/Kiritimati' });
    await signIn(page, service);
    await page.goto(`${service.screen}${paths.own.find((path) => path.startsWith('/publications/'))}`);
    const shown = await page
      .locator('time[data-time=text]')
      .first()
      .evaluate((time) => {
        const { dateTime, textContent } = time as unknown as { dateTime: string; textContent: string };
        return { dateTime, textContent };
      });
    const options = { dateStyle: 'long', timeStyle: 'short', timeZone: 'Pacific/Kiritimati' } as const;
    expect(shown.textContent).to.equal(
      new Intl.DateTimeFormat('en-GB', options).format(Date.parse(shown.dateTime)),
    );
    const answer = await page.reload();
    expect(await answer?.text(), 'by the server').to.include(shown.textContent);
  });

  it('work in a browser without a time zone, and without cookies', async () => {
    for (const broken of [
      `const known = Intl.DateTimeFormat.prototype.resolvedOptions;
       Intl.DateTimeFormat.prototype.resolvedOptions = function () {
         const options = known.call(this);
         return options.timeZone === 'Pacific/Kiritimati' ? { ...options, timeZone: 'Etc/Unknown' } : options;
       }`,
      `Object.defineProperty(Document.prototype, 'cookie', { set() { throw new Error('no cookies') } })`,
    ]) {
      const page = await openPage({ timezoneId: 'Pacific/Kiritimati' });
      await signIn(page, service);
      await page.addInitScript(broken);
      await page.goto(service.screen);
      const chooser = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: 'Choose a ZIP' }).click();
      const buffer = Buffer.from('<title>Anywhere</title>');
      await (await chooser).setFiles({ name: 'a.html', mimeType: 'text/html', buffer });
      await page.getByRole('heading', { name: 'Published', exact: true }).waitFor();
      await page.locator('.stage').getByText('Anyone with the link can open it until').waitFor();
    }
  });

  it('open from a link on another site, to which the browser sends no cookies at first', async () => {
    const page = await openPage();
    await signIn(page, service);
    await page.goto(`${service.url.replace('localhost', '127.0.0.1')}/nowhere`);
    await page.evaluate(`location.href = '${service.screen}/'`);
    await page.getByRole('heading', { name: 'Publications' }).waitFor();
  });
});

describe('the first page', () => {
  it('shows the buttons for selected rows with the first selection, without scrolling', async () => {
    const service = await openService();
    const page = await openPage({ viewport: { width: 390, height: 700 } });
    await signIn(page, service);
    for (let n = 0; n < 20; n += 1) await service.publish(`Publication ${n}`);
    await page.reload();
    const stop = page.getByRole('button', { name: 'Stop selected…' });
    expect(await stop.isVisible()).to.equal(false);
    await page.locator('.pick').first().check();
    const isInSight = async () => {
      const { y = -1, height = 0 } = (await stop.boundingBox()) ?? {};
      return y >= 0 && y + height <= 700;
    };
    expect(await isInSight(), 'at the top of the list').to.equal(true);
    await page.locator('.pick').last().scrollIntoViewIfNeeded();
    expect(await isInSight(), 'at its end').to.equal(true);
    expect(await violations(page)).to.deep.equal([]);
  });

  it('loads less than 50 KB in all', async () => {
    const service = await openService();
    const page = await openPage();
    await signIn(page, service);
    for (let n = 0; n < 25; n += 1) await service.publish(`Publication number ${n} of a full page`);
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.setCacheDisabled', { cacheDisabled: true });
    let bytes = 0;
    session.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await page.goto(service.screen, { waitUntil: 'networkidle' });
    expect(await page.locator('tbody tr').count()).to.equal(20);
    expect(bytes).to.be.within(15_000, FIRST_PAGE_BYTES);
  });
});
