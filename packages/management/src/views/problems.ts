import type { KeptWarning } from '@pinfold/core';
import { type Html, html } from '@pinfold/http/internal/html';
import type { Words } from '../i18n.ts';
import type { SharedId } from '../messages/catalogues.ts';
import { groupProblems, type ScreenProblem } from '../problem-groups.ts';
import { groupRemarks, type Remark } from '../warning-groups.ts';

/** Broken rules with their files. It runs on the server and in the browser alike, as {@link remarkList} does. */
export function problemList(words: Words<SharedId>, problems: readonly ScreenProblem[]): Html {
  return html`<ul class="problems">${groupProblems(problems, words).map(
    ({ message, values, paths, more }) =>
      html`<li><p>${words.say(message, values)}</p>${
        paths.length === 0
          ? undefined
          : html`<ul class="paths">${paths.map((path) => html`<li><code dir="auto">${path}</code></li>`)}${
              more === 0 ? undefined : html`<li class="quiet">${words.say('andMore', { count: more })}</li>`
            }</ul>`
      }</li>`,
  )}</ul>`;
}

export function remarkList(words: Words<SharedId>, warnings: readonly KeptWarning[]): Html {
  return html`<ul class="problems">${groupRemarks(warnings, words).map(
    ({ message, remarks }) => html`<li><p>${words.say(message)}</p>${pathsOf(words, remarks)}</li>`,
  )}</ul>`;
}

function pathsOf(words: Words<SharedId>, remarks: readonly Remark[]): Html | undefined {
  if (remarks.length === 0) return undefined;
  return html`<ul class="paths">${remarks.map(
    ({ path, seen, lang = words.language }) =>
      html`<li>${path === '' ? undefined : html`<code dir="auto">${path}</code> `}<span class="quiet" lang="${lang}" dir="auto">${seen}</span></li>`,
  )}</ul>`;
}
