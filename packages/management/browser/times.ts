import { instant } from '@pinfold/core';
import { parseLanguage } from '@pinfold/http/internal/language';
import { Words } from '../src/i18n.ts';

/** Shows exact times in the zone the person is in, and tells the server that zone for the next page. */
export function localTimes(root: Document): void {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const base = new URL(import.meta.url).pathname.replace(/\/assets\/[^/]*$/, '');
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store is not to be had over plain http
  document.cookie = `pinfold_zone=${timeZone}; Path=${base || '/'}; SameSite=Strict; Max-Age=31536000`;
  const words = new Words(parseLanguage(root.documentElement.lang) ?? 'en', timeZone, {});
  for (const time of root.querySelectorAll<HTMLTimeElement>('time[data-time]')) {
    const exact = words.moment(instant(Date.parse(time.dateTime)));
    if (time.dataset.time === 'title') time.title = exact;
    else time.textContent = exact;
  }
}
