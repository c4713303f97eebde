import type { Locator, Page } from 'playwright-core';
import { openPage } from '../browser/chromium.ts';

/** Expressions of a first page that are true once its part works. */
const PARTS: Readonly<Record<string, string>> = {
  styles: "getComputedStyle(document.querySelector('h1')).color === 'rgb(1, 2, 3)'",
  image: "document.querySelector('img[alt=Tide]').naturalWidth > 0",
  icons:
    "[...document.querySelectorAll('svg use')].every((use) => use.getBBox().width > 0 || !use.checkVisibility())",
  // The page may not be hydrated at the first click.
  script: "(document.getElementById('count').click(), document.getElementById('count').textContent > 0)",
};
const TIMEOUTS = { timeout: 5_000, polling: 200 };

/** Lists the faults of a site: in its first page, its parts, its link to the second page, and in that page after a reload. */
export async function failuresOf(url: string): Promise<readonly string[]> {
  const page = await openPage();
  await page.goto(url, { waitUntil: 'networkidle' });
  if (!(await isTrue(page, "document.querySelector('h1')?.checkVisibility()")))
    return ['the page stays empty'];
  const failures: string[] = [];
  for (const [part, expression] of Object.entries(PARTS))
    if (!(await isTrue(page, expression))) failures.push(part);
  const link = page.locator('a', { hasText: /^\s*second\s*$/i }).first();
  if (!(await leadsToAnotherPage(page, link)) || !(await isTrue(page, IS_SECOND)))
    return [...failures, 'links'];
  await page.reload({ waitUntil: 'networkidle' });
  return (await isTrue(page, IS_SECOND)) ? failures : [...failures, 'reload'];
}

const IS_SECOND = "/second/i.test(document.querySelector('h1')?.textContent)";

/** Follows a link. Whether it leads to another address, however long the server takes to answer. */
async function leadsToAnotherPage(page: Page, link: Locator): Promise<boolean> {
  const first = page.url();
  const navigation = page.waitForURL((url) => url.href !== first, { waitUntil: 'load' });
  const [, arrival] = await Promise.allSettled([link.click(), navigation]);
  return arrival.status === 'fulfilled';
}

/** Whether it becomes true. The network is idle: only scripts have work left. */
async function isTrue(page: Page, expression: string): Promise<boolean> {
  return await page.waitForFunction(expression, undefined, TIMEOUTS).then(
    () => true,
    () => false,
  );
}
