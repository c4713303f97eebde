import { type Html, html } from '@pinfold/http/internal/html';
import type { BrowserMessages } from './browser-i18n.ts';
import { button, elementOf } from './elements.ts';
import type { Judged } from './judge.ts';
import { builtSiteIn, type Source } from './source.ts';

const MAX_SHOWN = 8;

export function askToLeaveOut(
  messages: BrowserMessages,
  { kind, name, leftOut }: Pick<Source, 'kind' | 'name' | 'leftOut'>,
  { files, bytes }: Judged,
): Promise<boolean> {
  const more = leftOut.length - MAX_SHOWN;
  const content = html`<p>${messages.text('leaveOutText', { name, count: leftOut.length })}</p>
<ul class="paths">${leftOut
    .slice(0, MAX_SHOWN)
    .map(
      (path) =>
        html`<li dir="auto">${path.endsWith('/') ? messages.text('leaveOutFolder', { path }) : path}</li>`,
    )}
${more > 0 ? html`<li class="quiet">${messages.text('andMore', { count: more })}</li>` : undefined}</ul>
<p class="quiet">${messages.text(kind === 'folder' ? 'leaveOutWhy' : 'forbidden_name')}</p>
<p>${messages.text('leaveOutRest', { count: files, size: messages.size(bytes) })}</p>`;
  return ask(messages.text('leaveOutTitle'), content, [
    [messages.text('cancel'), false],
    [messages.text('leaveOut'), true],
  ]);
}

/** If a folder looks like the source of a site, asks which of the two to publish; `undefined` to publish nothing. */
export async function askForBuiltSite(
  messages: BrowserMessages,
  source: Source,
): Promise<Source | undefined> {
  const built = builtSiteIn(source);
  if (built === undefined) return source;
  const { folder, site } = built;
  const content = html`<p dir="auto">${messages.text('builtText', { name: source.name, folder })}</p>`;
  return await ask<Source | undefined>(messages.text('builtTitle'), content, [
    [messages.text('cancel'), undefined],
    [messages.text('builtWhole'), source],
    [messages.text('builtPublish', { folder }), site],
  ]);
}

/** Asks whether a page may be the start page of a folder that has no index.html. */
export async function askForStartPage(messages: BrowserMessages, page: string): Promise<boolean> {
  const content = html`<p dir="auto">${messages.text('startPageText', { page })}</p>`;
  return await ask(messages.text('startPageTitle'), content, [
    [messages.text('cancel'), false],
    [messages.text('startPageUse', { page }), true],
  ]);
}

/** Shows a dialog with buttons, the last one primary. Closing the dialog chooses the first. */
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
