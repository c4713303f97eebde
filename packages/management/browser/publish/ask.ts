import type { Speech } from './browser-i18n.ts';
import { button, element } from './elements.ts';
import type { Judged } from './judge.ts';
import type { Source } from './source.ts';

const SHOWN = 8;

/** Asks whether to publish the rest without what is left out, and lists that. */
export function askToLeaveOut(
  words: Speech,
  { kind, name, leftOut }: Pick<Source, 'kind' | 'name' | 'leftOut'>,
  { files, bytes }: Judged,
): Promise<boolean> {
  const items = leftOut.slice(0, SHOWN).map((path) => {
    const text = path.endsWith('/') ? words.say('leaveOutFolder', { path }) : path;
    return element('li', { dir: 'auto' }, text);
  });
  const more = leftOut.length - items.length;
  const rest =
    more > 0 ? element('li', { class: 'quiet' }, words.say('andMore', { count: more })) : undefined;
  const dialog = element(
    'dialog',
    { 'aria-labelledby': 'leave-out-title' },
    element('h2', { id: 'leave-out-title' }, words.say('leaveOutTitle')),
    element('p', {}, words.say('leaveOutText', { name, count: leftOut.length })),
    element('ul', { class: 'paths' }, ...items, rest),
    element('p', { class: 'quiet' }, words.say(kind === 'folder' ? 'leaveOutWhy' : 'forbiddenName')),
    element('p', {}, words.say('leaveOutRest', { count: files, size: words.size(bytes) })),
  );
  const cancel = button(words.say('cancel'), '', () => dialog.close('no'));
  const go = button(words.say('leaveOut'), 'primary', () => dialog.close('yes'));
  dialog.append(element('div', { class: 'buttons end' }, cancel, go));
  document.body.append(dialog);
  dialog.showModal();
  go.focus();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'yes');
    });
  });
}
