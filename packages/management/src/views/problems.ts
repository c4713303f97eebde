import type { Problem, Warning } from '@pinfold/core';
import { html } from 'hono/html';
import type { Html } from '../answer.ts';
import type { MessageId } from '../messages/catalogues.ts';
import { groupProblems } from '../problem-groups.ts';
import type { Remark } from '../said.ts';
import type { Words } from '../words.ts';

const REMARK_MESSAGES = {
  case_mismatch: 'caseMismatch',
  broken_reference: 'brokenReference',
  source_map: 'sourceMap',
  possible_secret: 'possibleSecret',
  absolute_reference: 'absoluteReference',
  not_all_checked: 'notAllChecked',
} as const satisfies Record<Warning['rule'], MessageId>;

/** Broken rules, each with what it means and the files it concerns. */
export function problemList(words: Words<MessageId>, problems: readonly Problem[]): Html {
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

/** Remarks on what was published: allowed, but disappointing. */
export function remarkList(words: Words<MessageId>, remarks: readonly Remark[]): Html {
  const rules = [...new Set(remarks.map(([rule]) => rule))];
  return html`<ul class="problems">${rules.map((rule) => {
    const id = rule in REMARK_MESSAGES ? REMARK_MESSAGES[rule as Warning['rule']] : 'otherRule';
    return html`<li><p>${words.say(id)}</p><ul class="paths">${remarks
      .filter(([other]) => other === rule)
      .map(
        ([, path, detail]) =>
          html`<li>${path === '' ? undefined : html`<code dir="auto">${path}</code> `}<span class="quiet" lang="en">${detail}</span></li>`,
      )}</ul></li>`;
  })}</ul>`;
}
