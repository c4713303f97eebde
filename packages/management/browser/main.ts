import { parseLanguage } from '@pinfold/http/internal/language';
import { localZone, momentFormat } from '../src/i18n.ts';
import { copyOnClick } from './copy.ts';
import { openDialogs } from './dialogs.ts';
import { enhanceNameFields } from './name-field.ts';
import { watchPublishPanel } from './publish-panel.ts';

for (const start of [
  watchPublishPanel,
  enhanceNameFields,
  copyOnClick,
  openDialogs,
  revealPasswords,
  openTarget,
  preventResubmission,
  showLocalTimes,
]) {
  // One part that fails must not end the others.
  try {
    start(document);
  } catch (error) {
    reportError(error);
  }
}

/** Clicks on the same button within this many milliseconds send its form once. */
const DOUBLE_CLICK = 2_000;

/**
 * Makes a reload of the page with a new key show the list of keys: it would otherwise send the form again. A double click
 * sends a form once: both would take effect, and only the second answer would be shown.
 */
function preventResubmission(root: Document): void {
  if (root.querySelector('#new-key') !== null) history.replaceState(null, '', location.href);
  const sent = new WeakMap<EventTarget, number>();
  root.addEventListener('submit', (event) => {
    const { submitter, target, timeStamp } = event;
    const button = submitter ?? target;
    if (!(target instanceof HTMLFormElement) || target.method !== 'post' || button === null) return;
    if (timeStamp - (sent.get(button) ?? Number.NEGATIVE_INFINITY) < DOUBLE_CLICK) event.preventDefault();
    else sent.set(button, timeStamp);
  });
}

/** Shows exact times in the person's time zone, and stores the zone in a cookie for the next page. */
function showLocalTimes(root: Document): void {
  const timeZone = localZone();
  const base = new URL(import.meta.url).pathname.replace(/\/assets\/[^/]*$/, '');
  // biome-ignore lint/suspicious/noDocumentCookie: browsers offer no Cookie Store over plain http
  document.cookie = `pinfold_zone=${timeZone}; Path=${base || '/'}; SameSite=Strict; Max-Age=31536000`;
  const format = momentFormat(parseLanguage(root.documentElement.lang) ?? 'en', timeZone);
  for (const time of root.querySelectorAll<HTMLTimeElement>('time[data-time]')) {
    const exact = format.format(Date.parse(time.dateTime));
    if (time.dataset.time === 'text') time.textContent = exact;
    else time.title = exact;
  }
}

/** Opens the details around the field that the address names. */
function openTarget(root: Document): void {
  const target = root.getElementById(location.hash.slice(1));
  target?.closest('details')?.setAttribute('open', '');
  if (target instanceof HTMLInputElement) target.focus();
}

/** Gives every `[data-reveal]` a button that shows the password. */
function revealPasswords(root: Document): void {
  for (const holder of root.querySelectorAll<HTMLElement>('[data-reveal]')) {
    const input = holder.querySelector('input');
    if (input === null) continue;
    const button = document.createElement('button');
    button.type = 'button';
    button.setAttribute('aria-pressed', 'false');
    button.textContent = holder.dataset.show ?? '';
    button.addEventListener('click', () => {
      const shown = input.type === 'text';
      input.type = shown ? 'password' : 'text';
      button.setAttribute('aria-pressed', String(!shown));
      button.textContent = (shown ? holder.dataset.show : holder.dataset.hide) ?? '';
      input.focus();
    });
    input.form?.addEventListener('submit', () => {
      input.type = 'password';
    });
    holder.append(button);
  }
}
