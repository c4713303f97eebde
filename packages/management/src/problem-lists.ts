import type { Warning } from '@pinfold/core';
import { type Html, html } from '@pinfold/http/internal/html';
import {
  archiveFinding,
  type Finding,
  type FindingTextId,
  type PublishProblem,
  warningFinding,
} from '@pinfold/http/internal/texts';
import type { Messages } from './i18n.ts';
import type { SharedId } from './messages/catalogues.ts';

const MAX_SHOWN = 5;
/** The maximum number of warnings that an answer has; with as many, there may be others. */
const MAX_WARNINGS = 20;

interface Found extends Finding<FindingTextId> {
  readonly rule: string;
  readonly path?: string | undefined;
}

/** Lists broken rules with their files. Runs on the server and in the browser, as {@link warningList} does. */
export function problemList(messages: Messages<SharedId>, problems: readonly PublishProblem[]): Html {
  const found = problems.map((problem): Found => {
    const finding = archiveFinding(problem, (size) => messages.size(size));
    return { ...finding, rule: problem.rule, path: 'path' in problem ? problem.path : undefined };
  });
  return listByCause(messages, found, 'andMore');
}

export function warningList(messages: Messages<SharedId>, warnings: readonly Warning[]): Html {
  const found = warnings.map((warning): Found => {
    const { rule } = warning;
    return { ...warningFinding(warning), rule, path: 'path' in warning ? warning.path : undefined };
  });
  return listByCause(messages, found, warnings.length < MAX_WARNINGS ? 'andMore' : 'andMoreAtLeast');
}

function listByCause(
  messages: Messages<SharedId>,
  all: readonly Found[],
  more: 'andMore' | 'andMoreAtLeast',
): Html {
  const groups = [...Map.groupBy(all, ({ texts }) => texts.join()).values()].map((group) => {
    const [{ rule, texts, values }] = group as [Found];
    // The browser's script may be older than the server, and not know a new rule.
    const sentences = texts.map((id) => messages.text(messages.has(id) ? id : 'otherRule', values));
    const listed = [...targetItems(messages, group), ...group.flatMap((one) => itemOf(messages, one) ?? [])];
    // A list of secrets is never shortened: the person must check every file.
    const items = rule === 'possible_secret' ? listed : firstOf(messages, listed, more);
    return html`<li><p>${messages.join(sentences)}</p>${items.length > 0 && html`<ul class="paths">${items}</ul>`}</li>`;
  });
  return html`<ul class="problems">${groups}</ul>`;
}

function firstOf(
  messages: Messages<SharedId>,
  items: readonly Html[],
  message: 'andMore' | 'andMoreAtLeast',
): readonly Html[] {
  const count = items.length - MAX_SHOWN;
  if (count <= 0) return items;
  return [...items.slice(0, MAX_SHOWN), html`<li class="quiet">${messages.text(message, { count })}</li>`];
}

function isTarget({ seen }: Found): boolean {
  return seen === 'seen_target';
}

/** Lists each target of references once, with the file that refers to it, or the number of such files. */
function targetItems(messages: Messages<SharedId>, group: readonly Found[]): readonly Html[] {
  const byTarget = Map.groupBy(group.filter(isTarget), ({ values }) => values.target);
  return [...byTarget].map(([target, references]) => {
    const paths = [...new Set(references.map(({ path = '' }) => path))];
    const [path = ''] = paths;
    const place =
      paths.length === 1
        ? messages.text('seenIn', { path })
        : messages.text('seenInFiles', { count: paths.length });
    return html`<li><code dir="auto">${target}</code> <span class="quiet" dir="auto">${place}</span></li>`;
  });
}

/** Lists a file with what was found in it; `undefined` for a finding about the whole site. */
function itemOf(messages: Messages<SharedId>, found: Found): Html | undefined {
  const { path = '', seen, cause, values } = found;
  // The path already shows a forbidden name.
  const detail = seen === 'seen_segment' ? undefined : (seen ?? cause);
  const text = detail === undefined || !messages.has(detail) ? '' : messages.text(detail, values);
  if (isTarget(found) || path + text === '') return undefined;
  const quiet = text && html` <span class="quiet" lang="${messages.language}" dir="auto">${text}</span>`;
  return html`<li>${path && html`<code dir="auto">${path}</code>`}${quiet}</li>`;
}
