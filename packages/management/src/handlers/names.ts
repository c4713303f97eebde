import type { Name, RoleId, UseCases } from '@pinfold/core';
import { loopTurns } from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import type { Screen } from '../options.ts';
import { refuseAnyChange } from '../request/middleware.ts';
import { pageRequest, positionOf, present } from '../request/page-request.ts';
import { fieldOf, type SignedInContext } from '../request/request-context.ts';
import { type Answer, logged, page, seeOther } from '../response/answer.ts';
import { namesView, type ShowingNames } from '../views/names.ts';
import { titlesOf } from './history.ts';

const MOST_SHOWN = 20;
/** Names that are looked at for them: an operator may allow any number. */
const MOST_LOOKED_AT = 1_000;
const LOOKED_AT_ONCE = 100;

export type Naming = Screen & { readonly names: UseCases['names'] };

export async function showNames(naming: Naming, visit: SignedInContext): Promise<Answer> {
  return await naming.pageTurns.run(visit.account, visit.signal, async () => {
    const asked = pageRequest(visit);
    const listed = await naming.names.list({ by: visit.account, ...asked });
    if (listed.kind === 'refused') return seeOther(`${visit.base}/names`);
    const { names } = listed;
    const titles = await titlesOf(naming, visit, new Set(names.map(({ pin }) => pin)));
    return page(namesView(visit, { names, titles, position: positionOf(asked, listed) }));
  });
}

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
    default:
      return refuseAnyChange(naming, visit, outcome);
  }
}

/** Deletes a name; the publication stays. */
export async function deleteName(naming: Naming, visit: SignedInContext): Promise<Answer> {
  const { account: by, cause, credential, base } = visit;
  const name = String(visit.request.params.name);
  const outcome = await naming.names.delete({ by, name, cause, credential });
  if (outcome.kind === 'deleted')
    return seeOther(`${base}/names`, { tone: 'good', message: 'didDeleteName', values: { name } });
  return refuseAnyChange(naming, visit, outcome);
}

/** The names that show a publication: the first ones, among as many names as an account usually has. */
export async function namesShowing(
  { useCases: { names } }: Pick<Screen, 'useCases'>,
  { account: by, signal }: Pick<SignedInContext, 'account' | 'signal'>,
  id: RoleId,
): Promise<ShowingNames> {
  const showing: Name[] = [];
  let cursor: string | undefined;
  for (let looked = 0; looked < MOST_LOOKED_AT && showing.length <= MOST_SHOWN; looked += LOOKED_AT_ONCE) {
    const listed = await names?.list({ by, limit: LOOKED_AT_ONCE, ...present({ cursor }) });
    if (listed?.kind !== 'page') break;
    showing.push(...listed.names.filter(({ pin }) => pin === id));
    cursor = listed.next;
    if (cursor === undefined) break;
    await loopTurns.wait();
    signal.throwIfAborted();
  }
  const areAll = cursor === undefined && showing.length <= MOST_SHOWN;
  return { names: showing.slice(0, MOST_SHOWN), areAll };
}
