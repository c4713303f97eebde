import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** The conditions to test pages in: every color scheme, width and language once. */
export const CONDITIONS = [
  {
    name: 'light, wide, English',
    colorScheme: 'light',
    viewport: { width: 1_200, height: 800 },
    locale: 'en-GB',
  },
  {
    name: 'dark, narrow, Japanese',
    colorScheme: 'dark',
    viewport: { width: 320, height: 640 },
    locale: 'ja-JP',
  },
] as const;

/** How far a page can be scrolled sideways. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate('document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth');
}

/** The rows of lists whose buttons lie on the text that names the row. */
export function coveredRows(page: Page): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll('.rows tbody tr')].filter((row) => {
    const name = row.querySelector('th');
    const text = document.createRange();
    text.selectNodeContents(name);
    const end = name.getBoundingClientRect().right;
    const named = [...text.getClientRects()];
    return [...row.querySelectorAll('.actions > *')].map((one) => one.getBoundingClientRect()).some((button) =>
      named.some(({ left, right, top, bottom }) =>
        left < button.right && button.left < Math.min(right, end) && top < button.bottom && button.top < bottom));
  }).map((row) => row.querySelector('th').textContent)`);
}

/** The findings of axe on a page, shortened. */
export async function violations(page: Page): Promise<unknown> {
  await page.evaluate(AXE);
  return await page.evaluate(`axe.run(document, { runOnly: ${JSON.stringify(RULES)} }).then(({ violations }) =>
    violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html.slice(0, 200))]))`);
}
