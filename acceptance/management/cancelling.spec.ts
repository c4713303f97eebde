import { randomBytes } from 'node:crypto';
import { Fault } from '@pinfold/core';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import type { Page, Route } from 'playwright-core';
import { openPublisher, type Publisher } from './open-publisher.ts';
import { signIn, signOutElsewhere } from './open-service.ts';
import { violations } from './page-checks.ts';

const SITE = { 'index.html': '<title>Salaries</title>x' };
const UPLOAD = '**/manage/publish';
const QUESTION = '**/manage/publish/cancel';
const CANCELLED = 'Cancelled. Nothing was published.';
const LATE = 'It was published before you cancelled';
const UNREACHABLE =
  'Cancelled, but the server cannot be reached, so it may have been published. Asking again…';

describe('cancelling in a browser', () => {
  let publisher: Publisher;
  let page: Page;
  /** Ends the wait of the storage, which holds every publication between its last byte and its commit. */
  let store: () => void;
  let fail: (fault: Fault) => void;
  let isStoring: Promise<void>;

  beforeEach(async () => {
    const [arrived, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    isStoring = arrived.promise;
    [store, fail] = [held.resolve, held.reject];
    publisher = await openPublisher(({ archives }) => ({
      archives: replacing(archives, {
        put: async (...archive) => {
          arrived.resolve();
          await held.promise;
          await archives.put(...archive);
        },
      }),
    }));
    ({ page } = publisher);
    await page.evaluate(`
      globalThis.shown = [];
      const panel = document.querySelector('[data-publish]');
      const note = () => shown.push(panel.querySelector('.stage')?.textContent ?? '');
      new MutationObserver(note).observe(panel, { childList: true, subtree: true, characterData: true });
    `);
  });
  afterEach(() => store());

  const cancel = () => page.locator('.stage').getByRole('button', { name: 'Cancel' }).click();
  const waitForText = (text: string) =>
    page.locator('.stage').getByText(text, { exact: true }).first().waitFor();
  const everShown = async (text: string): Promise<boolean> =>
    ((await page.evaluate('shown.join("\\n")')) as string).includes(text);

  async function expectNothingPublished(): Promise<void> {
    await publisher.waitForHeading(CANCELLED);
    expect(await publisher.published()).to.deep.equal([]);
    expect(await everShown('The connection was lost'), 'a lost connection').to.equal(false);
  }

  /** Expects the publication to be shown, and its Stop button to stop it. */
  async function expectLatePublication(): Promise<void> {
    await publisher.waitForHeading(LATE);
    expect(await everShown(CANCELLED)).to.equal(false);
    expect(await everShown('The connection was lost'), 'a lost connection').to.equal(false);
    const [{ id } = {}] = await publisher.published();
    expect(await page.locator('.stage .url').textContent()).to.match(new RegExp(`/s/${id}$`));
    await page.locator('[data-list]').getByRole('link', { name: 'Salaries' }).waitFor();
    await page.locator('.stage').getByRole('button', { name: 'Stop publication' }).click();
    await page.getByText('“Salaries” was stopped. Its link no longer opens anything.').waitFor();
    expect(await publisher.published()).to.deep.equal([]);
  }

  /** Cancels after all bytes have arrived, while the server works. */
  async function cancelAtWork(): Promise<void> {
    await publisher.chooseFolder(SITE);
    await isStoring;
    await waitForText('Checking and publishing…');
    await cancel();
    await waitForText('Cancelling… The server is still working on it.');
    expect(await everShown(CANCELLED)).to.equal(false);
  }

  /** Publishes through a proxy that withholds the answer. */
  async function withholdAnswer(): Promise<void> {
    store();
    const fetched = Promise.withResolvers<void>();
    await page.route(UPLOAD, async (route: Route) => {
      await route.fetch();
      fetched.resolve();
    });
    await publisher.chooseFolder(SITE);
    await fetched.promise;
  }

  it('waits for a working server, and offers to stop the publication', async () => {
    await cancelAtWork();
    store();
    await expectLatePublication();
  });

  it('waits for a working server, and reports that it published nothing', async () => {
    await cancelAtWork();
    fail(new Fault('storage_unavailable', 'full'));
    await expectNothingPublished();
    expect(await violations(page)).to.deep.equal([]);
  });

  it('finds a publication whose answer is delayed', async () => {
    await withholdAnswer();
    await cancel();
    await expectLatePublication();
  });

  it('publishes nothing when it is cancelled during the upload, and reports no lost connection', async () => {
    store();
    await publisher.slowUploads(200_000);
    await publisher.chooseFolder({ ...SITE, 'noise.bin': randomBytes(3_000_000) });
    await page.locator('.stage progress:not([value="0"])').waitFor();
    await waitForText('Uploading site…');
    await cancel();
    await expectNothingPublished();
  });

  it('ends the pause after a lost connection at once', async () => {
    // No timer of the page ends the pause.
    const now = Date.now();
    await page.clock.install({ time: now });
    await page.clock.pauseAt(now + 1_000);
    let tries = 0;
    await page.route(UPLOAD, (route) => {
      tries += 1;
      return route.abort('connectionreset');
    });
    await publisher.chooseFolder(SITE);
    await waitForText('The connection was lost. Trying again…');
    await cancel();
    await publisher.waitForHeading(CANCELLED);
    expect(tries).to.equal(1);
    expect(await publisher.published()).to.deep.equal([]);
  });

  it('repeats the question while the server cannot be reached, and claims nothing unknown', async () => {
    store();
    await page.route(UPLOAD, async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    });
    let questions = 0;
    let reachable = false;
    await page.route(QUESTION, (route) => {
      questions += 1;
      return reachable ? route.continue() : route.abort('connectionrefused');
    });
    await publisher.chooseFolder(SITE);
    await waitForText('The connection was lost. Trying again…');
    await cancel();
    await waitForText(UNREACHABLE);
    expect(await violations(page)).to.deep.equal([]);
    while (questions < 2) await page.waitForTimeout(50);
    expect(await everShown(CANCELLED)).to.equal(false);
    reachable = true;
    await publisher.waitForHeading(LATE);
    expect(await violations(page)).to.deep.equal([]);
  });

  it('asks a person who was signed out to sign in, and then shows the outcome', async () => {
    await withholdAnswer();
    const window = await signOutElsewhere(page, publisher.service);
    await cancel();
    await page.locator('.stage').getByText('Sign in again in another window').first().waitFor();
    await signIn(window, publisher.service);
    await expectLatePublication();
  });

  it('stops reading and packing immediately', async () => {
    await page.evaluate('Blob.prototype.arrayBuffer = () => new Promise(() => {})');
    await publisher.chooseZip(SITE);
    await waitForText('Reading site.zip…');
    await cancel();
    await expectNothingPublished();
    await page.getByRole('button', { name: 'Choose something else' }).click();
    await page.evaluate('globalThis.Worker = class extends EventTarget { postMessage() {} terminate() {} }');
    await publisher.chooseFolder(SITE);
    await waitForText('Packing site…');
    await cancel();
    await expectNothingPublished();
  });

  it('asks before the page is left in the middle of an upload, and only then', async () => {
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.type());
      void dialog.dismiss();
    });
    await publisher.chooseFolder(SITE);
    await isStoring;
    await page.getByRole('link', { name: 'API keys' }).click({ noWaitAfter: true });
    while (dialogs.length === 0) await page.waitForTimeout(20);
    expect(dialogs).to.deep.equal(['beforeunload']);
    store();
    await publisher.waitForHeading('Published');
    await page.getByRole('link', { name: 'API keys' }).click();
    await publisher.waitForHeading('API keys');
    expect(dialogs).to.have.lengthOf(1);
  });
});
