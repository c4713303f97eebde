import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { launchChromium } from '../browser/chromium.ts';
import type { Service } from './open-service.ts';

let browser: Promise<Browser> | undefined;

after(async () => {
  await (await browser)?.close();
});

/** A new person's browser: one process serves all tests, each with cookies of its own. */
export async function openContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  browser ??= launchChromium();
  const context = await (await browser).newContext({ locale: 'en-GB', reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(20_000);
  return context;
}

/** Follows a sign-in link and presses its button. */
export async function signIn(page: Page, service: Service): Promise<void> {
  await page.goto(await service.link());
  await page.getByRole('button', { name: /^(Sign in|サインイン)$/ }).click();
  await page.waitForURL(`${service.screen}/`);
}
