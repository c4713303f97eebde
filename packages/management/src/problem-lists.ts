import type { ArchiveProblem, Figures, KeptWarning, OriginNeed } from '@pinfold/core';
import { type Html, html } from '@pinfold/http/internal/html';
import { buildToolOf } from '@pinfold/http/internal/site-tools';
import type { Values, Words } from './i18n.ts';
import type { SharedId } from './messages/catalogues.ts';

/** A reason not to publish an archive: a rule of the core, or that it is too large to receive. */
export type ScreenProblem =
  | ArchiveProblem
  | ({ readonly rule: 'archive_too_large' } & Pick<Figures, 'limit'> & Partial<Figures>);

const SHOWN = 5;
/** An answer has no more warnings; with as many there may be others. */
const MAX_WARNINGS = 20;

const NEEDS = {
  storage: 'need_storage',
  worker: 'need_worker',
  track: 'need_track',
  external_use: 'need_external_use',
  embedded_pdf: 'need_embedded_pdf',
} as const satisfies Record<OriginNeed, SharedId>;

/** Broken rules with their files. It runs on the server and in the browser alike, as {@link remarkList} does. */
export function problemList(words: Words<SharedId>, problems: readonly ScreenProblem[]): Html {
  return listByRule(words, problems, (own) => {
    const paths = own.flatMap((problem) => ('path' in problem ? (problem.path ?? []) : []));
    const items = paths.map((path) => html`<li><code dir="auto">${path}</code></li>`);
    return { text: problemText(words, own[0]), items: firstOf(words, items, 'andMore') };
  });
}

export function remarkList(words: Words<SharedId>, warnings: readonly KeptWarning[]): Html {
  const more = warnings.length < MAX_WARNINGS ? 'andMore' : 'andMoreAtLeast';
  return listByRule(words, warnings, (own) => {
    const [{ rule } = {}] = own;
    const items = [...referencesByTarget(words, own), ...own.flatMap((one) => remarkOf(words, one) ?? [])];
    const text = sentenceOf(words, rule ?? '', { advice: adviceOn(words, own[0]) });
    // Every file with a secret counts.
    return { text, items: rule === 'possible_secret' ? items : firstOf(words, items, more) };
  });
}

function listByRule<Broken extends { readonly rule: string }>(
  words: Words<SharedId>,
  all: readonly Broken[],
  detailsOf: (own: readonly Broken[]) => {
    readonly text?: string | undefined;
    readonly items: readonly Html[];
  },
): Html {
  const groups = [...Map.groupBy(all, ({ rule }) => rule)].map(([rule, own]) => {
    const { text = sentenceOf(words, rule), items } = detailsOf(own);
    return html`<li><p>${text}</p>${items.length > 0 && html`<ul class="paths">${items}</ul>`}</li>`;
  });
  return html`<ul class="problems">${groups}</ul>`;
}

/** A script may be older than the server it talks to. */
function sentenceOf(words: Words<SharedId>, rule: string, values: Values = {}): string {
  return words.say(words.has(rule) ? (rule as SharedId) : 'otherRule', values);
}

function firstOf(
  words: Words<SharedId>,
  items: readonly Html[],
  message: 'andMore' | 'andMoreAtLeast',
): readonly Html[] {
  const count = items.length - SHOWN;
  if (count <= 0) return items;
  return [...items.slice(0, SHOWN), html`<li class="quiet">${words.say(message, { count })}</li>`];
}

function problemText(words: Words<SharedId>, problem: ScreenProblem | undefined): string | undefined {
  if (problem?.rule !== 'missing_index')
    return sentenceOf(words, problem?.rule ?? '', figuresOf(words, problem));
  const { found } = problem;
  if (found === undefined) return undefined;
  const { name, depth, inOnlyFolder } = found;
  const isInPlace = depth === (inOnlyFolder ? 1 : 0);
  return words.say(isInPlace ? 'missingIndexSpelled' : 'missingIndexDeep', { name });
}

/** One cause is one line: what is missing or wrong once, with the file that refers to it, or how many do. */
function referencesByTarget(words: Words<SharedId>, own: readonly KeptWarning[]): readonly Html[] {
  const references = own.flatMap((one) => ('target' in one && one.rule !== 'case_mismatch' ? [one] : []));
  return [...Map.groupBy(references, ({ target }) => target)].map(([target, made]) => {
    const paths = [...new Set(made.map(({ path }) => path))];
    const [path = ''] = paths;
    const place =
      paths.length === 1 ? words.say('seenIn', { path }) : words.say('seenInFiles', { count: paths.length });
    return html`<li><code dir="auto">${target}</code> <span class="quiet" dir="auto">${place}</span></li>`;
  });
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
  if ('target' in warning && warning.rule !== 'case_mismatch') return undefined;
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
    case 'needs_origin':
      return words.say(NEEDS[warning.need]);
    case 'possible_secret':
      return words.say(warning.secret);
    case 'names_decoded':
      return warning.encoding;
    default:
      return '';
  }
}
