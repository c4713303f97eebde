import { randomBytes } from 'node:crypto';
import type { RateText } from '@pinfold/core';
import { expect } from 'chai';
import type { Page, Route } from 'playwright-core';
import { openPublisher, type Publisher } from './open-publisher.ts';
import { OWNER, signIn, signOutElsewhere } from './open-service.ts';

const SITE = { 'index.html': 'x' };
const UPLOAD = '**/manage/publish';

function keyOf(route: Route): string {
  const [, key] = /name="key"\s+(\S+)/.exec(route.request().postData() ?? '') ?? [];
  if (key === undefined) throw new Error('an upload without a key');
  return key;
}

describe('an interrupted upload in a browser', () => {
  let publisher: Publisher;
  let page: Page;
  beforeEach(async () => {
    publisher = await openPublisher();
    ({ page } = publisher);
  });

  it('retries by itself after a lost answer, and publishes once', async () => {
    await page.clock.install();
    const keys: string[] = [];
    await page.route(UPLOAD, async (route: Route) => {
      keys.push(keyOf(route));
      if (keys.length > 1) return route.continue();
      await route.fetch();
      await route.abort('connectionreset');
    });
    // The clock of the page also runs by itself: the message is visible for a second.
    const shown = page.getByText('The connection was lost. Trying again…').first().waitFor();
    await publisher.chooseZip(SITE);
    await shown;
    await page.clock.runFor(1_000);
    await publisher.waitForHeading('Already published: here is the link.');
    expect(new Set(keys).size).to.equal(1);
    expect(keys).to.have.lengthOf(2);
    expect(await publisher.published()).to.have.lengthOf(1);
  });

  it('shows the lost connection only until it retries', async () => {
    let tries = 0;
    await page.route(UPLOAD, (route) => {
      tries += 1;
      return tries === 1 ? route.abort('connectionreset') : route.continue();
    });
    await publisher.slowUploads(400_000);
    await publisher.chooseFolder({ 'index.html': 'x', 'noise.bin': randomBytes(2_000_000) });
    const line = page.locator('.stage-line');
    await line.filter({ hasText: 'The connection was lost' }).waitFor();
    await page.locator('.stage-progress').filter({ hasNotText: '0 bytes' }).waitFor();
    await line.filter({ hasText: 'Uploading site…' }).waitFor();
    await publisher.waitForHeading('Published');
  });

  it('offers to retry with the same key if the server stays unreachable', async () => {
    await page.clock.install();
    const keys = new Set<string>();
    let tries = 0;
    let reachable = false;
    await page.route(UPLOAD, (route) => {
      tries += 1;
      keys.add(keyOf(route));
      return reachable ? route.continue() : route.abort('connectionrefused');
    });
    await publisher.chooseZip(SITE);
    for (const [n, wait] of [1_000, 2_000, 4_000, 8_000].entries()) {
      while (tries < n + 2) await page.clock.runFor(wait);
    }
    await publisher.waitForHeading(
      'The server cannot be reached. Trying again is safe: nothing is published twice.',
    );
    expect(tries).to.equal(5);
    reachable = true;
    await page.getByRole('button', { name: 'Try again' }).click();
    await publisher.waitForHeading('Published');
    expect(keys.size).to.equal(1);
    expect(await publisher.published()).to.have.lengthOf(1);
  });

  it('names the host if another program answered, and offers to retry', async () => {
    await page.route(UPLOAD, (route) =>
      route.fulfill({ status: 413, contentType: 'text/html', body: '<h1>413 Request Entity Too Large</h1>' }),
    );
    await publisher.chooseZip(SITE);
    await publisher.waitForHeading(
      'Something in front of this service answered with 413. A proxy may refuse large uploads: ask the people who run the service.',
    );
    await page.unroute(UPLOAD);
    await page.getByRole('button', { name: 'Try again' }).click();
    await publisher.waitForHeading('Published');
  });

  it('shows when the rate of the account allows the next publication, and then continues', async () => {
    const { accounts } = publisher.service.stores;
    const limitTo = async (publications: RateText): Promise<void> => {
      const found = await accounts.load(OWNER);
      if (found === undefined) throw new Error('no account');
      const limits = { ...found.value.limits, publications };
      await accounts.save({ ...found.value, limits }, found.version, []);
    };
    await limitTo('1/1h' as RateText);
    await publisher.service.publish('Earlier');
    let tries = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/manage/publish')) tries += 1;
    });
    await publisher.chooseZip(SITE);
    await publisher.waitForHeading(
      'The account has used up its rate of publications: wait, then try again. You can publish again in 1 hour.',
    );
    expect(tries).to.equal(1);
    await limitTo('off' as RateText);
    await page.getByRole('button', { name: 'Try again' }).click();
    await publisher.waitForHeading('Published');
  });

  it('shows the message of the operator if the service became read-only meanwhile', async () => {
    await publisher.service.stores.mode.change({ kind: 'read_only', message: 'Back at noon.' }, []);
    await page.clock.install();
    let tries = 0;
    page.on('response', (response) => {
      if (response.status() === 503) tries += 1;
    });
    await publisher.chooseZip(SITE);
    while (tries < 5) await page.clock.runFor(8_000);
    const heading = await page.locator('h2.stage-end').textContent();
    expect(heading).to.match(/^The service is read-only for maintenance.* Back at noon\.$/);
  });

  it('reloads the page if the script that publishes can no longer be loaded, as after an upgrade', async () => {
    const script = '**/assets/publish-*.js';
    await page.route(script, (route) => route.fulfill({ status: 404 }));
    const reloaded = page.waitForEvent('load');
    await publisher.chooseZip(SITE);
    await reloaded;
    await page.unroute(script);
    await publisher.chooseZip(SITE);
    await publisher.waitForHeading('Published');
  });

  it('asks for a reload if the script that packs can no longer be loaded', async () => {
    await page.route('**/assets/zip-worker-*.js', (route) => route.fulfill({ status: 404 }));
    await publisher.chooseFolder(SITE);
    await publisher.waitForHeading('Something went wrong');
    await page.getByText('Reload the page and try again.').waitFor();
    await page.getByRole('button', { name: 'Choose something else' }).click();
    await publisher.chooseZip(SITE);
    await publisher.waitForHeading('Published');
  });

  it('reports that the person was signed out, and continues after signing in again', async () => {
    const window = await signOutElsewhere(page, publisher.service);
    await publisher.chooseZip(SITE);
    await publisher.waitForHeading(
      'You were signed out. Sign in again in another window, then try again here.',
    );
    expect(await publisher.published()).to.deep.equal([]);
    await signIn(window, publisher.service);
    await page.getByRole('button', { name: 'Try again' }).click();
    await publisher.waitForHeading('Published');
  });
});
