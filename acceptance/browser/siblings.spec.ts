import { expect } from 'chai';
import { strToU8, zipSync } from 'fflate';
import type { BrowserContext, Page } from 'playwright-core';
import { openContext } from './chromium.ts';
import { openService, type Service } from './open-service.ts';

const PASSWORD = 'harbour lights';

/** A site of one page, whose title is the result of its script. */
function siteThatRuns(script: string): Uint8Array<ArrayBuffer> {
  const page = `<!doctype html><html lang="en"><title>…</title><script type="module" src="run.js"></script></html>`;
  const run = `document.title = String(await (async () => { ${script} })());`;
  return zipSync({ 'index.html': strToU8(page), 'run.js': strToU8(run) }, { mtime: '2026-11-20' });
}

/** A script that sets twelve cookies of nearly 4 KiB each. */
const fillingJar = (scope: string): string =>
  `for (let i = 0; i < 12; i++) document.cookie = 'b' + i + '=' + 'x'.repeat(3900) + '; ${scope}';`;

describe('a hostile site among its siblings, in a browser', () => {
  let service: Service;
  let context: BrowserContext;
  let page: Page;
  let published = 0;
  beforeEach(async () => {
    context = await openContext();
    page = await context.newPage();
  });

  /** The public host and the sites under one registrable domain, over plain http. */
  const openSiblings = async () => {
    service = await openService('origin', {
      PINFOLD_PUBLIC_URL: 'http://share.pins.test:PORT',
      PINFOLD_SITES_URL: 'http://pins.test:PORT',
    });
  };

  const publish = (archive: Uint8Array<ArrayBuffer>) => {
    published += 1;
    return service.publish(archive, `site ${published}`);
  };

  /** Opens a site that runs a script, and returns the result of the script. */
  async function run(script: string): Promise<string> {
    const { shared_url: url } = await publish(siteThatRuns(script));
    await page.goto(url);
    await page.waitForFunction('document.title !== "…"');
    return await page.title();
  }

  async function signIn(at: Page, account = 'default'): Promise<void> {
    await at.goto(await service.link(account));
    await at.getByRole('button', { name: 'Sign in' }).click();
    await at.waitForURL('**/manage/');
  }

  const cookiesOf = async (of: BrowserContext, name: string) =>
    (await of.cookies(`${service.publicUrl}/manage/publications/x`)).filter((cookie) => cookie.name === name);

  it('cannot sign people in to another account by setting cookies on the parent domain', async () => {
    await openSiblings();
    const attacker = await openContext();
    await signIn(await attacker.newPage(), 'mallory');
    const [session] = await cookiesOf(attacker, 'pinfold_session');
    const [form] = await cookiesOf(attacker, 'pinfold_form');
    await signIn(page);
    for (const path of ['/', '/manage/']) {
      for (const planted of [[session], [form], [session, form]]) {
        const lines = planted.map(
          (cookie) => `${cookie?.name}=${cookie?.value}; Domain=pins.test; Path=${path}`,
        );
        await run(lines.map((line) => `document.cookie = ${JSON.stringify(line)};`).join('\n'));
        await page.goto(`${service.publicUrl}/manage/`);
        expect(new URL(page.url()).pathname, lines.join()).to.equal('/manage/sign-in');
        expect(await page.locator('body').textContent()).to.contain('cookies of two sign-ins at once');
        await signIn(page);
        await page.goto(`${service.publicUrl}/manage/keys`);
        expect(new URL(page.url()).pathname, 'after signing in again').to.equal('/manage/keys');
        for (const name of ['pinfold_session', 'pinfold_form']) {
          expect((await cookiesOf(context, name)).length, name).to.equal(1);
        }
      }
    }
  });

  it('does not learn whether the viewer holds a grant for another', async () => {
    await openSiblings();
    const target = await publish(siteThatRuns('return "in"'));
    await service.patch(target.id, { password: PASSWORD });
    const site = target.shared_url.replace('//share.', `//${target.id}.`).replace(/\/s\/.*/, '/');
    const script = [target.shared_url, site, `${site}nothing.js`]
      .map(
        (url) =>
          `await fetch('${url}', { mode: 'no-cors', credentials: 'include' }).then(() => 'loaded', () => 'refused')`,
      )
      .join(', ');
    const probe = `return [${script}].join()`;
    const outside = await run(probe);
    await page.goto(target.shared_url);
    await page.locator('#password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    // The password page allows no scripts.
    await page.waitForURL(site);
    expect([outside, await run(probe)]).to.deep.equal(['refused,refused,refused', 'refused,refused,refused']);
  });

  it('can lock viewers out by setting cookies on the parent domain, and viewers get advice', async () => {
    await openSiblings();
    const other = await publish(siteThatRuns('return "other"'));
    await run(fillingJar('Domain=pins.test; Path=/'));
    for (const url of [`${service.publicUrl}/manage/`, `${service.publicUrl}/`, other.shared_url]) {
      expect((await page.goto(url))?.status(), url).to.equal(431);
      expect(await page.title()).to.equal('Too many cookies');
    }
    await context.clearCookies();
    expect((await page.goto(other.shared_url))?.status()).to.equal(200);
  });

  it('loses its cookies if the operator enables clearing them', async () => {
    service = await openService('origin', { PINFOLD_CLEAR_COOKIES: 'on' });
    await run(fillingJar('Path=/later'));
    const later = new URL('later', page.url()).href;
    expect((await page.goto(later))?.status()).to.equal(431);
    expect((await page.goto(later))?.status()).to.equal(200);
  });

  it('has no access to a password page that it opened', async () => {
    service = await openService('origin');
    const target = await publish(siteThatRuns('return "in"'));
    await service.patch(target.id, { password: PASSWORD });
    const opened = context.waitForEvent('page');
    const reference = run(`
      const opened = window.open('${target.shared_url}');
      for (let poll = 0; poll < 500 && !opened.closed; poll++) await new Promise((next) => setTimeout(next, 50));
      return opened.closed ? 'cut' : 'kept'`);
    expect(await (await opened).evaluate('document.title + window.opener')).to.equal(
      'Enter the passwordnull',
    );
    expect(await reference).to.equal('cut');
  });
});
