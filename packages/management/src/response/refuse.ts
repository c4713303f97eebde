import { after, duration, isFault, type Unchangeable } from '@pinfold/core';
import type { MessageId } from '../messages/catalogues.ts';
import type { RequestContext, SignedInContext } from '../request/request-context.ts';
import { troubleView } from '../views/trouble.ts';
import type { Answer } from './answer.ts';

const RETRY_SECONDS = 5;

/** How long maintenance is waited for before another try. */
export const READ_ONLY_SECONDS = 60;

/** What the log says of a refusal, by its title; as the API calls it, where both refuse alike. */
const OUTCOMES: Partial<Readonly<Record<MessageId, string>>> = {
  accountBlockedTitle: 'account_blocked',
  badFormTitle: 'invalid_form',
  busyTitle: 'unavailable',
  cookiesTitle: 'too_many_cookies',
  errorTitle: 'internal_error',
  forbiddenTitle: 'forbidden',
  foreignFormTitle: 'foreign_form',
  notFoundTitle: 'not_found',
  readOnlyTitle: 'unavailable',
  staleFormTitle: 'stale_form',
  tooManyTitle: 'rate_limited',
};

/** An answer with a status of its own. */
type Refused = Exclude<Answer, { kind: 'picture' | 'see_other' }>;

/** Whether one of our scripts asks, which shows what comes back itself. */
export function wantsJson({ request }: RequestContext): boolean {
  return request.headers.accept === 'application/json';
}

/**
 * A page, or for a script its short form, that says why nothing was done.
 *
 * @param note what more there is to say, such as the operator's own words.
 * @param signedIn who gets the page with the navigation and the sign-out.
 */
export function refuse(
  visit: RequestContext,
  status: number,
  title: MessageId,
  text: MessageId,
  note: string | null = null,
  signedIn?: SignedInContext,
): Refused {
  const outcome = OUTCOMES[title];
  if (outcome !== undefined) visit.who.outcome ??= outcome;
  if (wantsJson(visit)) {
    const message = [visit.words.say(text), ...(note === null ? [] : [note])].join(' ');
    return { kind: 'json', status, body: { kind: 'refused', message } };
  }
  return { kind: 'page', status, html: troubleView(visit, title, text, note, signedIn) };
}

/** Nothing is changed now, for the account or for anybody. */
export function refuseChanges(visit: RequestContext, refusal: Unchangeable): Refused {
  if (refusal.code === 'account_blocked') return refuse(visit, 403, 'accountBlockedTitle', 'accountBlocked');
  const refused = refuse(visit, 503, 'readOnlyTitle', 'readOnlyText', refusal.message);
  return { ...refused, retryAfter: READ_ONLY_SECONDS };
}

/** More requests came than may; the same one passes after so many milliseconds. */
export function refuseTooMany(
  visit: RequestContext,
  wait: number,
  text: MessageId,
  signedIn: SignedInContext | undefined,
): Refused {
  const { words, now } = visit;
  const retryAfter = Math.max(1, Math.ceil(wait / 1_000));
  const note =
    retryAfter < 60
      ? words.say('tryAgainInSeconds', { count: retryAfter })
      : words.say('tryAgainAt', { when: words.distance(after(now, duration(wait)), now) });
  return { ...refuse(visit, 429, 'tooManyTitle', text, note, signedIn), retryAfter };
}

/** There is no such page, or none for this account. */
export function notFound(visit: RequestContext): Refused {
  return refuse(visit, 404, 'notFoundTitle', 'notFoundText');
}

/** What is answered where something was thrown. */
export function troubleOf(visit: RequestContext, error: unknown): Refused {
  return isFault(error) && error.retryable
    ? { ...refuse(visit, 503, 'busyTitle', 'busyText'), retryAfter: RETRY_SECONDS }
    : refuse(visit, 500, 'errorTitle', 'errorText');
}
