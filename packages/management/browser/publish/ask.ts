import type { Speech } from './browser-i18n.ts';
import { button, element } from './elements.ts';
import type { Judged } from './judge.ts';
import { builtSiteIn, type Source } from './source.ts';

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
    element('p', { class: 'quiet' }, words.say(kind === 'folder' ? 'leaveOutWhy' : 'forbidden_name')),
  );
  dialog.append(element('p', {}, words.say('leaveOutRest', { count: files, size: words.size(bytes) })));
  return ask(dialog, [
    [words.say('cancel'), false],
    [words.say('leaveOut'), true],
  ]);
}

/** Asks which to publish where a folder looks like the source of a site; `undefined` to publish nothing. */
export async function askForBuiltSite(words: Speech, source: Source): Promise<Source | undefined> {
  const built = builtSiteIn(source);
  if (built === undefined) return source;
  const dialog = element(
    'dialog',
    { 'aria-labelledby': 'built-title' },
    element('h2', { id: 'built-title' }, words.say('builtTitle')),
    element('p', { dir: 'auto' }, words.say('builtText', { name: source.name, folder: built.folder })),
  );
  return await ask<Source | undefined>(dialog, [
    [words.say('cancel'), undefined],
    [words.say('builtWhole'), source],
    [words.say('builtPublish', { folder: built.folder }), built.site],
  ]);
}

/** Shows a dialog until a button is chosen, the last being the primary one; closing it means the first. */
function ask<Choice>(
  dialog: HTMLDialogElement,
  choices: readonly (readonly [label: string, choice: Choice])[],
): Promise<Choice> {
  const buttons = choices.map(([label], n) =>
    button(label, n === choices.length - 1 ? 'primary' : '', () => dialog.close(String(n))),
  );
  dialog.append(element('div', { class: 'buttons end' }, ...buttons));
  document.body.append(dialog);
  dialog.showModal();
  buttons.at(-1)?.focus();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      const [, choice] = (choices[Number(dialog.returnValue)] ?? choices[0]) as readonly [string, Choice];
      resolve(choice);
    });
  });
}
