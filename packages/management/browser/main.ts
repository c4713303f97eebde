import { parseLanguage } from '@pinfold/http/internal/language';
import { momentFormat } from '../src/i18n.ts';
import { copyOnClick } from './copy.ts';
import { openDialogs } from './dialogs.ts';
import { localZone } from './local-zone.ts';
import { enhanceNameFields } from './name-field.ts';
import { watchPublishPanel } from './publish-panel.ts';
import { revealPasswords } from './reveal.ts';

for (const start of [
  watchPublishPanel,
  enhanceNameFields,
  copyOnClick,
  openDialogs,
  revealPasswords,
  openTarget,
  forgetNewKey,
  localTimes,
]) {
  // What fails must not end the other parts of the page.
  try {
    start(document);
  } catch (error) {
    reportError(error);
  }
}

/** The page that shows a new key answered its form: to load it again is to see the keys, and makes no other. */
function forgetNewKey(root: Document): void {
  if (root.querySelector('#new-key') !== null) history.replaceState(null, '', location.href);
}

/** Shows exact times in the zone the person is in, and tells the server that zone for the next page. */
function localTimes(root: Document): void {
  const timeZone = localZone();
  const base = new URL(import.meta.url).pathname.replace(/\/assets\/[^/]*$/, '');
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store is not to be had over plain http
  document.cookie = `pinfold_zone=${timeZone}; Path=${base || '/'}; SameSite=Strict; Max-Age=31536000`;
  const format = momentFormat(parseLanguage(root.documentElement.lang) ?? 'en', timeZone);
  for (const time of root.querySelectorAll<HTMLTimeElement>('time[data-time]')) {
    const exact = format.format(Date.parse(time.dateTime));
    if (time.dataset.time === 'text') time.textContent = exact;
    else time.title = exact;
  }
}

/** A link to a field that is in closed details opens them. */
function openTarget(root: Document): void {
  const target = root.getElementById(location.hash.slice(1));
  target?.closest('details')?.setAttribute('open', '');
  if (target instanceof HTMLInputElement) target.focus();
}
