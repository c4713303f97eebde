import { isOperatorText } from '@pinfold/core/internal';
import type { Screen } from '../options.ts';
import { fieldOf, type SignedInContext } from '../request/request-context.ts';
import { type Answer, page, seeOther } from '../response/answer.ts';
import { serviceView } from '../views/service.ts';
import { administrationOf } from './accounts.ts';

export async function showService(
  screen: Screen,
  visit: SignedInContext,
  trouble?: { readonly message: string },
): Promise<Answer> {
  const mode = await administrationOf(screen).showService();
  return page(serviceView(visit, mode, screen.health?.(), trouble), trouble === undefined ? 200 : 422);
}

export async function changeService(screen: Screen, visit: SignedInContext): Promise<Answer> {
  const kind = fieldOf(visit, 'mode') === 'read_only' ? 'read_only' : 'normal';
  const message = (fieldOf(visit, 'message') ?? '').trim();
  if (message !== '' && !isOperatorText(message)) return showService(screen, visit, { message });
  await administrationOf(screen).changeService(
    { kind, message: message === '' ? null : message },
    visit.cause,
  );
  const done = kind === 'read_only' ? 'didMakeReadOnly' : 'didMakeNormal';
  return seeOther(`${visit.base}/administration/service`, { tone: 'good', message: done });
}
