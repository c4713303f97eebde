import { groupProblems, type ScreenProblem } from '../../src/problem-groups.ts';
import { groupRemarks } from '../../src/warning-groups.ts';
import type { Speech } from './browser-i18n.ts';
import { element } from './elements.ts';
import type { Published } from './upload.ts';

/** Broken rules by rule, each with what it means and its first files. */
export function problemReport(words: Speech, problems: readonly ScreenProblem[]): HTMLElement {
  const items = groupProblems(problems, words).map(({ message, values, paths, more }) => {
    const rest =
      more === 0 ? undefined : element('li', { class: 'quiet' }, words.say('andMore', { count: more }));
    const list =
      paths.length === 0 ? undefined : element('ul', { class: 'paths' }, ...paths.map(pathItem), rest);
    return element('li', {}, element('p', {}, words.say(message, values)), list);
  });
  return element('ul', { class: 'problems' }, ...items);
}

const NAMED = 5;

/** The first few names, and how many more there are. */
export function namesIn(words: Speech, names: readonly string[]): string {
  const first = names.slice(0, NAMED).join(', ');
  const more = names.length - NAMED;
  return more > 0 ? `${first} ${words.say('andMore', { count: more })}` : first;
}

/** What would be left out of something that cannot be published for other reasons; nothing when that is nothing. */
export function wouldLeaveOut(words: Speech, names: readonly string[]): HTMLElement | undefined {
  if (names.length === 0) return undefined;
  const text = words.say('wouldLeaveOut', { names: namesIn(words, names) });
  return element('p', { class: 'quiet', dir: 'auto' }, text);
}

/** Remarks on what was published; nothing when there are none. */
export function remarkReport(words: Speech, remarks: Published['remarks']): HTMLElement | undefined {
  if (remarks.length === 0) return undefined;
  const items = groupRemarks(remarks, words).map((group) => {
    const paths = group.remarks.map(({ path, seen, lang = words.language }) => {
      const said = element('span', { class: 'quiet', lang, dir: 'auto' }, seen);
      return element('li', {}, ...(path === '' ? [] : [element('code', { dir: 'auto' }, path), ' ']), said);
    });
    const list = paths.length === 0 ? undefined : element('ul', { class: 'paths' }, ...paths);
    return element('li', {}, element('p', {}, words.say(group.message)), list);
  });
  const list = element('ul', { class: 'problems' }, ...items);
  return element('div', { class: 'remarks' }, element('p', {}, words.say('remarks')), list);
}

function pathItem(path: string): HTMLElement {
  return element('li', {}, element('code', { dir: 'auto' }, path));
}
