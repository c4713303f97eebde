import type { Publication, RoleOrder } from '@pinfold/core';
import { dayOf, parseRoleState } from '@pinfold/core/internal';
import type { Screen } from '../options.ts';
import { shownPublication } from '../publication.ts';
import { allowanceOf } from '../quota-text.ts';
import { pageRequest, positionOf, present, searchText } from '../request/page-request.ts';
import type { SignedInContext } from '../request/request-context.ts';
import { type Answer, page, seeOther } from '../response/answer.ts';
import { listView } from '../views/list.ts';
import type { PublishTrouble } from '../views/publish-panel.ts';

const PAGE_SIZE = 20;
const ORDERS: readonly RoleOrder[] = ['ending', 'largest'];

/** Shows a page of the list, and above it what went wrong with a form for publishing. */
export async function showList(
  screen: Screen,
  visit: SignedInContext,
  trouble?: { readonly status: number; readonly publish: PublishTrouble },
): Promise<Answer> {
  const { useCases } = screen;
  // Links of the list are relative, to keep long lists small, and so need the slash.
  if (visit.request.originalUrl.split('?')[0]?.endsWith('/') === false && trouble === undefined) {
    return seeOther(`${visit.base}/`);
  }
  const search = searchText(visit);
  const state = parseRoleState(visit.request.query.state);
  const { sort } = visit.request.query;
  const order = state === 'deleted' ? undefined : ORDERS.find((each) => each === sort);
  const asked = pageRequest(visit, PAGE_SIZE);
  const listed = await useCases.list({ by: visit.account, ...asked, ...present({ search, state, order }) });
  if (listed.kind === 'refused') return seeOther(`${visit.base}/`);
  const limits = await useCases.limitsOf(visit.account);
  const publications = listed.publications.map((each) => shownPublication(each, visit));
  const allowance = await allowanceOf(useCases, visit.account, visit.now);
  const position = positionOf(asked, listed);
  const views = await viewsOfWeek(screen, publications);
  const model = { publications, views, limits, allowance, search, state, order, position };
  return page(listView(visit, { ...model, trouble: trouble?.publish }), trouble?.status);
}

/** How often each publication was viewed in the last seven days. */
async function viewsOfWeek(
  { views, useCases: { clock } }: Screen,
  publications: readonly Publication[],
): Promise<ReadonlyMap<string, number> | undefined> {
  if (views === undefined) return undefined;
  const from = dayOf(clock.now()) - 6;
  const counted = publications.map(async ({ id }) => {
    const days = (await views.of(id)).filter(({ day }) => day >= from);
    return [id, days.reduce((sum, one) => sum + one.views, 0)] as const;
  });
  return new Map(await Promise.all(counted));
}
