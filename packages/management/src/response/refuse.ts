import { after, duration, isFault, type Unchangeable } from '@pinfold/core';
import { UnavailableError } from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import type { RequestContext } from '../request/request-context.ts';
import { errorView } from '../views/layout.ts';
import type { Answer } from './answer.ts';

const RETRY_SECONDS = 5;

const READ_ONLY_SECONDS = 60;

/** The outcome that is logged for a refusal, by its title; the same code as the API's for the same reason. */
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

type Refused = Extract<Answer, { kind: 'page' | 'json' }>;

/** Whether one of our scripts sent the request and shows the answer itself. */
export function wantsJson({ request }: RequestContext): boolean {
  return request.headers.accept === 'application/json';
}

/** Answers a refusal with a page, or JSON for a script; `note` is an additional sentence, such as the operator's. */
export function refuse(
  context: RequestContext,
  status: number,
  title: MessageId,
  text: MessageId,
  note: string | null = null,
): Refused {
  const outcome = OUTCOMES[title];
  const log = outcome === undefined ? {} : { log: { outcome } };
  if (wantsJson(context)) {
    const message = context.messages.join([context.messages.text(text), ...(note === null ? [] : [note])]);
    return { kind: 'json', status, body: { kind: 'refused', message }, ...log };
  }
  return { kind: 'page', status, html: errorView(context, title, text, note), ...log };
}

export function refuseChanges(context: RequestContext, refusal: Unchangeable): Refused {
  if (refusal.code === 'account_blocked')
    return refuse(context, 403, 'accountBlockedTitle', 'account_blocked');
  return duringMaintenance(refuse(context, 503, 'readOnlyTitle', 'read_only', refusal.message));
}

/** Adds a `Retry-After` that suits maintenance. */
export function duringMaintenance<Given extends Refused>(answer: Given): Given {
  return { ...answer, retryAfter: READ_ONLY_SECONDS };
}

/** Refuses a request past its rate; `wait` is in milliseconds. */
export function refuseTooMany(context: RequestContext, wait: number, text: MessageId): Refused {
  const { messages, now } = context;
  const retryAfter = Math.max(1, Math.ceil(wait / 1_000));
  const note =
    retryAfter < 60
      ? messages.text('tryAgainInSeconds', { count: retryAfter })
      : messages.text('tryAgainAt', { when: messages.distance(after(now, duration(wait)), now) });
  return { ...refuse(context, 429, 'tooManyTitle', text, note), retryAfter };
}

export function notFound(context: RequestContext): Refused {
  return refuse(context, 404, 'notFoundTitle', 'not_found');
}

export function answerFault(context: RequestContext, error: unknown): Refused {
  const isUnavailable = error instanceof UnavailableError;
  if (!isUnavailable && !(isFault(error) && error.retryable)) {
    return refuse(context, 500, 'errorTitle', 'internal_error');
  }
  const retryAfter = isUnavailable ? error.seconds : RETRY_SECONDS;
  return { ...refuse(context, 503, 'busyTitle', 'unavailable'), retryAfter };
}
