import { parseRoleState } from '@pinfold/core/adapter';
import type { MessageId } from '../messages/catalogues.ts';
import type { Screen } from '../options.ts';
import type { ScreenProblem } from '../problem-groups.ts';
import { shownPublication } from '../publication.ts';
import { allowanceOf } from '../quota-text.ts';
import type { SignedInContext } from '../request/request-context.ts';
import { type Answer, page, seeOther } from '../response/answer.ts';
import { listView } from '../views/list.ts';
import { problemList } from '../views/problems.ts';
import type { PublishTrouble } from '../views/publish-panel.ts';

const PAGE_SIZE = 20;
/** As the page has it for its field. */
const LONGEST_SEARCH = 255;

/** Shows a page of the list, and above it what went wrong with a form for publishing. */
export async function showList(
  { useCases, publicUrl }: Screen,
  visit: SignedInContext,
  trouble?: { readonly status: number; readonly publish: PublishTrouble },
): Promise<Answer> {
  // Links of the list are relative, to keep long lists small, and so need the slash.
  if (visit.request.originalUrl.split('?')[0]?.endsWith('/') === false && trouble === undefined) {
    return seeOther(`${visit.base}/`);
  }
  const { q, state: wanted, cursor } = visit.request.query;
  const search = typeof q === 'string' ? q.trim().slice(0, LONGEST_SEARCH) : '';
  const state = parseRoleState(wanted);
  const further = typeof cursor === 'string';
  const listed = await useCases.list({
    by: visit.account,
    limit: PAGE_SIZE,
    ...(search === '' ? {} : { search }),
    ...(state === undefined ? {} : { state }),
    ...(further ? { cursor } : {}),
  });
  if (listed.kind === 'refused') return seeOther(`${visit.base}/`);
  const limits = await useCases.limitsOf(visit.account);
  const publications = listed.publications.map((each) =>
    shownPublication(each, { publicUrl, now: visit.now }),
  );
  const allowance = await allowanceOf(useCases, visit.account, visit.now);
  const model = { publications, limits, allowance, search, state, further, next: listed.next };
  return trouble === undefined
    ? page(listView(visit, model))
    : page(listView(visit, { ...model, trouble: trouble.publish }), trouble.status);
}

/** Shows the list, and above it in a sentence what went wrong with the form for publishing. */
export function formTrouble(
  screen: Screen,
  visit: SignedInContext,
  status: number,
  message: MessageId,
): Promise<Answer> {
  return showList(screen, visit, { status, publish: { summary: visit.words.say(message) } });
}

/** Shows the list, and above it what is wrong with an archive. */
export function showProblems(
  screen: Screen,
  visit: SignedInContext,
  status: number,
  broken: readonly ScreenProblem[],
  summary: MessageId = 'problemsTitle',
): Promise<Answer> {
  const problems = problemList(visit.words, broken);
  return showList(screen, visit, { status, publish: { summary: visit.words.say(summary), problems } });
}

export function tooLarge(limit: number): ScreenProblem {
  return { rule: 'archive_too_large', limit };
}
