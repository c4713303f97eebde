import { button, element } from './elements.ts';
import type { Judged } from './judge.ts';
import type { Source } from './source.ts';
import type { Speech } from './speech.ts';

const SHOWN = 8;

/** Asks whether what the rules forbid may be left out, where the rest can be published, and says what that is. */
export function askToLeaveOut(
  words: Speech,
  { name, forbidden }: Pick<Source, 'name' | 'forbidden'>,
  { files, bytes }: Judged,
): Promise<boolean> {
  const items = forbidden.slice(0, SHOWN).map((path) => {
    const text = path.endsWith('/') ? words.say('leaveOutFolder', { path }) : path;
    return element('li', { dir: 'auto' }, text);
  });
  const more = forbidden.length - items.length;
  const rest =
    more > 0 ? element('li', { class: 'quiet' }, words.say('andMore', { count: more })) : undefined;
  const dialog = element(
    'dialog',
    { 'aria-labelledby': 'leave-out-title' },
    element('h2', { id: 'leave-out-title' }, words.say('leaveOutTitle')),
    element('p', {}, words.say('leaveOutText', { name, count: forbidden.length })),
    element('ul', { class: 'paths' }, ...items, rest),
    element('p', { class: 'quiet' }, words.say('forbiddenName')),
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
