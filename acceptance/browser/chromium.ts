import packaged from '@sparticuz/chromium';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';
import { closeAfterwards } from './closing.ts';

/**
 * The packaged browser's own arguments are left out: they turn off the same-origin policy, which is under test here.
 * Requests of the browser itself go nowhere, so only the pages under test are loaded.
 */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--host-resolver-rules=MAP *.pins.test 127.0.0.1',
];

let browser: Promise<Browser> | undefined;

/** A real Chromium: the one named by CHROMIUM_PATH, else the one installed with the tests. */
async function launch(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM_PATH ?? (await packaged.executablePath());
  return await chromium.launch({ executablePath, args: ARGUMENTS });
}

after('the browser is closed', async () => {
  await (await browser)?.close();
});

/** A new person's browser: one process serves all tests, each with cookies of its own. */
export async function openContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  browser ??= launch();
  const context = await (await browser).newContext({ locale: 'en-GB', reducedMotion: 'reduce', ...options });
  closeAfterwards(() => context.close());
  context.setDefaultTimeout(20_000);
  return context;
}

/** A page of a new person's browser. */
export async function openPage(options: BrowserContextOptions = {}): Promise<Page> {
  return await (await openContext(options)).newPage();
}
