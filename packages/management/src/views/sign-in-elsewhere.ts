import type { Person, SignInProblem } from '@pinfold/core';
import { type Html, html } from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import type { FormContext } from '../request/request-context.ts';
import { cardPage } from './layout.ts';

export interface ElsewhereTrouble {
  readonly provider: string;
  readonly problem: SignInProblem;
  /** The person whom the provider knows, and who may not sign in here. */
  readonly person: Person | undefined;
  /** Where they sign out of the provider, to use another identity. */
  readonly signOutUrl: string | undefined;
}

interface Trouble {
  readonly status: number;
  readonly text: MessageId;
  /** Whether only the operator can solve it, who finds more in the log. */
  readonly isOfOperator: boolean;
}

export const ELSEWHERE_TROUBLES: Readonly<Record<SignInProblem, Trouble>> = {
  unreachable: { status: 503, text: 'elsewhereUnreachable', isOfOperator: true },
  forgotten: { status: 400, text: 'elsewhereForgotten', isOfOperator: false },
  declined: { status: 403, text: 'elsewhereDeclined', isOfOperator: false },
  late: { status: 400, text: 'elsewhereLate', isOfOperator: false },
  untrusted: { status: 502, text: 'elsewhereUntrusted', isOfOperator: true },
  clock: { status: 502, text: 'elsewhereClock', isOfOperator: true },
  misconfigured: { status: 502, text: 'elsewhereMisconfigured', isOfOperator: true },
  nameless: { status: 403, text: 'elsewhereNameless', isOfOperator: true },
  busy: { status: 503, text: 'elsewhereBusy', isOfOperator: false },
  not_allowed: { status: 403, text: 'elsewhereNotAllowed', isOfOperator: false },
};

/** A page that says why a sign-in failed, and links back to it. */
export function elsewhereTroubleView(visit: FormContext, model: ElsewhereTrouble): Html {
  const { words, base } = visit;
  const { provider: name, problem, person, signOutUrl } = model;
  const values = person === undefined ? { name } : { name, person: person.displayName ?? person.account };
  const other = words.say('elsewhereAsAnother', { name });
  const content = html`<p dir="auto">${words.say(ELSEWHERE_TROUBLES[problem].text, values)}</p>
<p class="buttons"><a class="button" href="${base}/sign-in">${words.say('elsewhereAgain')}</a>${signOutUrl === undefined ? undefined : html` <a class="button" href="${signOutUrl}">${other}</a>`}</p>`;
  return cardPage(visit, words.say('elsewhereTitle'), content);
}
