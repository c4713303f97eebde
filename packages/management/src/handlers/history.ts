import { parseRoleId } from '@pinfold/core';
import type { History } from '@pinfold/core/history';
import type { Screen } from '../options.ts';
import { pageRequest, positionOf, present, queryText } from '../request/page-request.ts';
import type { SignedInContext } from '../request/request-context.ts';
import { type Answer, page, seeOther } from '../response/answer.ts';
import { historyView } from '../views/history.ts';

const PAGE_SIZE = 50;

/** Shows a page of the account's history, of one publication where the query names it. */
export async function showHistory(
  { history, pageTurns }: Pick<Screen, 'pageTurns'> & { readonly history: History },
  visit: SignedInContext,
): Promise<Answer> {
  return await pageTurns.run(visit.account, visit.signal, () => historyPage(history, visit));
}

async function historyPage(history: History, visit: SignedInContext): Promise<Answer> {
  const pin = parseRoleId(queryText(visit, 'pin'));
  const asked = pageRequest(visit, PAGE_SIZE);
  const listed = await history.list({ by: visit.account, ...asked, ...present({ pin }) });
  if (listed.kind === 'refused') return seeOther(`${visit.base}/history`);
  return page(historyView(visit, { events: listed.events, pin, position: positionOf(asked, listed) }));
}
