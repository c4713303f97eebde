import { button, element } from './elements.ts';
import type { Speech } from './speech.ts';

const SHOWN = 8;

/** Asks whether what the rules forbid may be left out. */
export function askToLeaveOut(words: Speech, name: string, forbidden: readonly string[]): Promise<boolean> {
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
