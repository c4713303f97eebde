import packaged from '@sparticuz/chromium';
import { type Browser, chromium } from 'playwright-core';

/**
 * The packaged browser's own arguments are left out: they turn off the same-origin policy, which is what is
 * tested here. Nothing but the pages under test is asked for: a browser's own look-ups go nowhere.
 */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/** Starts a real Chromium: the one CHROMIUM_PATH names, else the one that comes with the tests. */
export async function launchChromium(...more: readonly string[]): Promise<Browser> {
  const executablePath = process.env.CHROMIUM_PATH ?? (await packaged.executablePath());
  return await chromium.launch({ executablePath, args: [...ARGUMENTS, ...more] });
}
