import type { ArchiveProblem, Figures, KeptWarning } from '@pinfold/core';
import { type Html, html } from '@pinfold/http/internal/html';
import { buildToolOf } from '@pinfold/http/internal/site-tools';
import type { Values, Words } from './i18n.ts';
import type { SharedId } from './messages/catalogues.ts';

/** A reason not to publish an archive: a rule of the core, or that it is too large to receive. */
export type ScreenProblem =
  | ArchiveProblem
  | ({ readonly rule: 'archive_too_large' } & Pick<Figures, 'limit'> & Partial<Figures>);

const SHOWN = 5;

/** Broken rules with their files. It runs on the server and in the browser alike, as {@link remarkList} does. */
export function problemList(words: Words<SharedId>, problems: readonly ScreenProblem[]): Html {
  return listByRule(words, problems, (own) => {
    const paths = own.flatMap((problem) => ('path' in problem ? (problem.path ?? []) : []));
    const more = paths.length - SHOWN;
    const shown = paths.slice(0, SHOWN).map((path) => html`<li><code dir="auto">${path}</code></li>`);
    const rest = html`<li class="quiet">${words.say('andMore', { count: more })}</li>`;
    return { values: figuresOf(words, own[0]), items: more > 0 ? [...shown, rest] : shown };
  });
}

export function remarkList(words: Words<SharedId>, warnings: readonly KeptWarning[]): Html {
  return listByRule(words, warnings, (own) => ({
    values: { advice: adviceOn(words, own[0]) },
    items: own.flatMap((one) => remarkOf(words, one) ?? []),
  }));
}

function listByRule<Broken extends { readonly rule: string }>(
  words: Words<SharedId>,
  all: readonly Broken[],
  detailsOf: (own: readonly Broken[]) => { readonly values?: Values; readonly items: readonly Html[] },
): Html {
  const groups = [...Map.groupBy(all, ({ rule }) => rule)].map(([rule, own]) => {
    const { values, items } = detailsOf(own);
    // A script may be older than the server it talks to.
    const text = words.say(words.has(rule) ? (rule as SharedId) : 'otherRule', values);
    return html`<li><p>${text}</p>${items.length > 0 && html`<ul class="paths">${items}</ul>`}</li>`;
  });
  return html`<ul class="problems">${groups}</ul>`;
}

function figuresOf(words: Words<SharedId>, problem: ScreenProblem | undefined): Values {
  const { limit, actual }: Partial<Figures> = problem !== undefined && 'limit' in problem ? problem : {};
  const text = (figure: number) =>
    problem?.rule === 'too_many_files' ? words.number(figure) : words.size(figure);
  return {
    ...(limit === undefined ? {} : { limit: text(limit) }),
    ...(actual === undefined ? {} : { actual: text(actual) }),
  };
}

function remarkOf(words: Words<SharedId>, warning: KeptWarning): Html | undefined {
  const path = 'path' in warning ? (warning.path ?? '') : '';
  const [seen, language] = 'detail' in warning ? [warning.detail, 'en'] : [seenIn(words, warning), undefined];
  if (path + seen === '') return undefined;
  return html`<li>${path && html`<code dir="auto">${path}</code> `}<span class="quiet" lang="${language ?? words.language}" dir="auto">${seen}</span></li>`;
}

/** Advice on references that begin with `/`, for the tool that made the site. */
function adviceOn(words: Words<SharedId>, warning: KeptWarning | undefined): string {
  const tool = warning !== undefined && 'tool' in warning ? buildToolOf(warning.tool) : undefined;
  if (tool === undefined) return words.say('adviceRelative');
  const { name, setting, byHand } = tool;
  if (byHand === true) return words.say('adviceByHand', { name });
  return setting === undefined
    ? words.say('adviceNone', { name })
    : words.say('adviceSetting', { name, setting });
}

function seenIn(words: Words<SharedId>, warning: Exclude<KeptWarning, { readonly detail: string }>): string {
  switch (warning.rule) {
    case 'case_mismatch':
      return words.say('caseMismatchSeen', { ...warning });
    case 'broken_reference':
    case 'absolute_reference':
    case 'needs_referrer':
      return warning.target;
    case 'needs_origin':
      return words.say(`need_${warning.need}`);
    case 'possible_secret':
      return words.say(warning.secret);
    case 'names_decoded':
      return warning.encoding;
    default:
      return '';
  }
}
