import { isOperatorText } from '@pinfold/core/internal';
import type { With } from '../options.ts';
import { fieldOf, type SignedInContext } from '../request/request-context.ts';
import { type Answer, page, seeOther } from '../response/answer.ts';
import { serviceView } from '../views/service.ts';

export async function showService(
  screen: With<'administration'>,
  visit: SignedInContext,
  trouble?: { readonly message: string },
): Promise<Answer> {
  const mode = await screen.administration.showService();
  return page(serviceView(visit, mode, screen.health?.(), trouble), trouble === undefined ? 200 : 422);
}

export async function changeService(screen: With<'administration'>, visit: SignedInContext): Promise<Answer> {
  const kind = fieldOf(visit, 'mode') === 'read_only' ? 'read_only' : 'normal';
  const message = (fieldOf(visit, 'message') ?? '').trim();
  if (message !== '' && !isOperatorText(message)) return showService(screen, visit, { message });
  await screen.administration.changeService({ kind, message: message === '' ? null : message }, visit.cause);
  const done = kind === 'read_only' ? 'didMakeReadOnly' : 'didMakeNormal';
  return seeOther(`${visit.base}/administration/service`, { tone: 'good', message: done });
}
