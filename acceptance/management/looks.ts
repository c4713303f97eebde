import type { Page } from 'playwright-core';

/** What pages are tried in: every scheme, width and language once. */
export const LOOKS = [
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
