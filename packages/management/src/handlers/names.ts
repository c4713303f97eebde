import type { Name, RoleId, UseCases } from '@pinfold/core';
import type { MessageId } from '../messages/catalogues.ts';
import type { Screen } from '../options.ts';
import { askToSignIn } from '../request/middleware.ts';
import { pageRequest, positionOf, present } from '../request/page-request.ts';
import { fieldOf, type SignedInContext } from '../request/request-context.ts';
import { type Answer, logged, page, seeOther } from '../response/answer.ts';
import { notFound, refuseChanges } from '../response/refuse.ts';
import { namesView } from '../views/names.ts';
import { titlesOf } from './history.ts';

const PAGE_SIZE = 50;

/** A screen whose use cases have names. */
export type Naming = Screen & { readonly names: UseCases['names'] };

/** Shows a page of the account's names. */
export async function showNames(naming: Naming, visit: SignedInContext): Promise<Answer> {
  return await naming.pageTurns.run(visit.account, visit.signal, async () => {
    const asked = pageRequest(visit, PAGE_SIZE);
    const listed = await naming.names.list({ by: visit.account, ...asked });
    if (listed.kind === 'refused') return seeOther(`${visit.base}/names`);
    const { names } = listed;
    const titles = await titlesOf(naming, visit, new Set(names.map(({ pin }) => pin)));
    return page(namesView(visit, { names, titles, position: positionOf(asked, listed) }));
  });
}

/** Lets a name show a publication. */
export async function setName(naming: Naming, visit: SignedInContext): Promise<Answer> {
  const { account: by, cause, credential, base } = visit;
  const pin = String(visit.request.params.id);
  const name = (fieldOf(visit, 'name') ?? '').trim();
  const outcome = await naming.names.set({ by, name, pin, cause, credential });
  const back = `${base}/publications/${pin}`;
  if (outcome.kind !== 'refused')
    return seeOther(back, { tone: 'good', message: 'didSetName', values: { name } });
  const trouble = (message: MessageId, values = {}): Answer =>
    logged(seeOther(back, { tone: 'bad', message, values }), { outcome: outcome.code });
  switch (outcome.code) {
    case 'invalid_name':
      return trouble('nameOdd');
    case 'quota_exceeded':
      return trouble('namesFull', { count: outcome.limit, limit: outcome.limit });
    case 'invalid_state':
      return trouble(outcome.state === 'deleted' ? 'alreadyStopped' : 'alreadyExpired');
    case 'not_found':
      return notFound(visit);
    case 'account_blocked':
    case 'read_only':
      return refuseChanges(visit, outcome);
    case 'unauthorized':
      return askToSignIn(naming, visit);
    default:
      return outcome satisfies never;
  }
}

/** Deletes a name; the publication stays. */
export async function deleteName(naming: Naming, visit: SignedInContext): Promise<Answer> {
  const { account: by, cause, credential, base } = visit;
  const name = String(visit.request.params.name);
  const outcome = await naming.names.delete({ by, name, cause, credential });
  if (outcome.kind === 'deleted')
    return seeOther(`${base}/names`, { tone: 'good', message: 'didDeleteName', values: { name } });
  if (outcome.code === 'not_found') return notFound(visit);
  return outcome.code === 'unauthorized' ? askToSignIn(naming, visit) : refuseChanges(visit, outcome);
}

/** The names that show a publication; a name keeps showing one that has ended, too. */
export async function namesShowing(
  { useCases: { names } }: Screen,
  { account: by }: SignedInContext,
  id: RoleId,
): Promise<readonly Name[]> {
  const showing: Name[] = [];
  let cursor: string | undefined;
  do {
    const listed = await names?.list({ by, limit: 100, ...present({ cursor }) });
    if (listed?.kind !== 'page') break;
    showing.push(...listed.names.filter(({ pin }) => pin === id));
    cursor = listed.next;
  } while (cursor !== undefined);
  return showing;
}
