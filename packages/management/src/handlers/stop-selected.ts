import { parseRoleId } from '@pinfold/core';
import type { Screen } from '../options.ts';
import { type ShownPublication, shownPublication } from '../publication.ts';
import { askToSignIn } from '../request/middleware.ts';
import { refuseRevocation } from '../request/rates.ts';
import { fieldsOf, type SignedInContext } from '../request/request-context.ts';
import { type Answer, page, seeOther } from '../response/answer.ts';
import { stopSelectedView } from '../views/stop.ts';

/** As many as a page of the list has. */
const MOST_SELECTED = 20;

export async function askToStopSelected(screen: Screen, visit: SignedInContext): Promise<Answer> {
  const publications = await selected(screen, visit, [visit.request.query.id].flat());
  return publications.length === 0
    ? seeOther(`${visit.base}/`, { tone: 'bad', message: 'nothingSelected' })
    : page(stopSelectedView(visit, publications));
}

/** Stops the selected publications; each counts as a request of its own. */
export async function stopSelected(screen: Screen, visit: SignedInContext): Promise<Answer> {
  const { account: by, cause, credential, signal } = visit;
  let count = 0;
  for (const { id } of await selected(screen, visit, fieldsOf(visit, 'id'))) {
    const limited = count === 0 ? undefined : refuseRevocation(screen, visit);
    if (limited !== undefined) return limited;
    const outcome = await screen.useCases.stop({ by, id, cause, credential, signal });
    if (outcome.kind === 'changed') count += 1;
    else if (outcome.code === 'unauthorized') return askToSignIn(screen, visit);
  }
  return seeOther(`${visit.base}/`, { tone: 'good', message: 'didStopSeveral', values: { count } });
}

/** The publications of this account among the ids, as many as a page of the list has. */
async function selected(
  screen: Screen,
  visit: SignedInContext,
  ids: readonly unknown[],
): Promise<readonly ShownPublication[]> {
  const known = new Set(ids.map((id) => parseRoleId(String(id))).filter((id) => id !== undefined));
  const found: ShownPublication[] = [];
  for (const id of [...known].slice(0, MOST_SELECTED)) {
    const outcome = await screen.useCases.read({ by: visit.account, id, signal: visit.signal });
    if (outcome.kind === 'found') found.push(shownPublication(outcome.publication, visit));
  }
  return found.filter(({ refusal }) => refusal('stop') === undefined);
}
