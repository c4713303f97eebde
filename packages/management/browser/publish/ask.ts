import { type Html, html } from '@pinfold/http/internal/html';
import type { Speech } from './browser-i18n.ts';
import { button, elementOf } from './elements.ts';
import type { Judged } from './judge.ts';
import { builtSiteIn, type Source } from './source.ts';

const SHOWN = 8;

export function askToLeaveOut(
  words: Speech,
  { kind, name, leftOut }: Pick<Source, 'kind' | 'name' | 'leftOut'>,
  { files, bytes }: Judged,
): Promise<boolean> {
  const more = leftOut.length - SHOWN;
  const content = html`<p>${words.say('leaveOutText', { name, count: leftOut.length })}</p>
<ul class="paths">${leftOut
    .slice(0, SHOWN)
    .map(
      (path) =>
        html`<li dir="auto">${path.endsWith('/') ? words.say('leaveOutFolder', { path }) : path}</li>`,
    )}
${more > 0 ? html`<li class="quiet">${words.say('andMore', { count: more })}</li>` : undefined}</ul>
<p class="quiet">${words.say(kind === 'folder' ? 'leaveOutWhy' : 'forbidden_name')}</p>
<p>${words.say('leaveOutRest', { count: files, size: words.size(bytes) })}</p>`;
  return ask(words.say('leaveOutTitle'), content, [
    [words.say('cancel'), false],
    [words.say('leaveOut'), true],
  ]);
}

/** Asks which to publish where a folder looks like the source of a site; `undefined` to publish nothing. */
export async function askForBuiltSite(words: Speech, source: Source): Promise<Source | undefined> {
  const built = builtSiteIn(source);
  if (built === undefined) return source;
  const { folder, site } = built;
  const content = html`<p dir="auto">${words.say('builtText', { name: source.name, folder })}</p>`;
  return await ask<Source | undefined>(words.say('builtTitle'), content, [
    [words.say('cancel'), undefined],
    [words.say('builtWhole'), source],
    [words.say('builtPublish', { folder }), site],
  ]);
}

/** Asks whether a page may be the start page of a folder that has no index.html. */
export async function askForStartPage(words: Speech, page: string): Promise<boolean> {
  const content = html`<p dir="auto">${words.say('startPageText', { page })}</p>`;
  return await ask(words.say('startPageTitle'), content, [
    [words.say('cancel'), false],
    [words.say('startPageUse', { page }), true],
  ]);
}

/** Shows a dialog until a button is chosen, the last being the primary one; closing it means the first. */
function ask<Choice>(
  title: string,
  content: Html,
  choices: readonly (readonly [label: string, choice: Choice])[],
): Promise<Choice> {
  const dialog = elementOf<HTMLDialogElement>(
    html`<dialog aria-labelledby="ask-title"><h2 id="ask-title">${title}</h2>${content}<div class="buttons end"></div></dialog>`,
  );
  const buttons = choices.map(([label], n) =>
    button(label, n === choices.length - 1 ? 'primary' : '', () => dialog.close(String(n))),
  );
  dialog.lastElementChild?.append(...buttons);
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
