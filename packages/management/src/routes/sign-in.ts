import type { Sessions, StartedSession } from '@pinfold/core';
import type { Request } from 'express';
import { type Answer, page, seeOther } from '../answer.ts';
import { expireEverywhere, readCookies, writeCookie } from '../cookies.ts';
import { fieldOf } from '../field.ts';
import type { MessageId } from '../messages/catalogues.ts';
import type { OpenVisit, Serving } from '../serve.ts';
import { signInView } from '../views/sign-in.ts';
import type { SignedInVisit } from '../visit.ts';

/** The way back to a page of this screen; `undefined` for anything that could lead elsewhere. */
function returnPath(value: unknown): string | undefined {
  const isOurs = typeof value === 'string' && /^\/(?![/\\])[\x21-\x7e]{0,2047}$/.test(value);
  return isOurs ? value : undefined;
}

/** Signs people in and out, where sessions are ours. */
export class SignInRoutes {
  readonly #sessions: Sessions;
  readonly #serving: Serving;

  constructor(sessions: Sessions, serving: Serving) {
    this.#sessions = sessions;
    this.#serving = serving;
  }

  /** The page; a link's token is looked at only when its button is pressed. */
  async show(visit: OpenVisit): Promise<Answer> {
    const { link, to } = visit.request.query;
    return page(
      signInView(visit, {
        to: returnPath(to),
        link: typeof link === 'string' && link !== '' ? link : undefined,
      }),
    );
  }

  async signIn(visit: OpenVisit): Promise<Answer> {
    const { request } = visit;
    const to = returnPath(fieldOf(request, 'to'));
    const started = await this.#start(request);
    if (typeof started === 'string') {
      return page(signInView(visit, { to, link: undefined, trouble: started }), 401);
    }
    const scope = this.#serving.scope(visit);
    // Any other would be the second of two at the next request.
    if (readCookies(request, scope, 'session').length > 0) {
      expireEverywhere(request, visit.response, scope, 'session');
    }
    writeCookie(visit.response, scope, 'session', started.token);
    return seeOther(`${visit.base}${to ?? '/'}`);
  }

  async signOut(visit: SignedInVisit): Promise<Answer> {
    const scope = this.#serving.scope(visit);
    for (const token of readCookies(visit.request, scope, 'session')) await this.#sessions.end(token);
    writeCookie(visit.response, scope, 'session', '', 0);
    return seeOther(`${visit.base}/sign-in`, { tone: 'good', message: 'signedOut' });
  }

  async #start(request: Request): Promise<StartedSession | MessageId> {
    const link = fieldOf(request, 'link');
    if (link !== undefined) return (await this.#sessions.redeem(link)) ?? 'linkUsed';
    const started = await this.#sessions.signInWithKey(fieldOf(request, 'key') ?? '');
    if (started === undefined) return 'keyUnknown';
    return started.kind === 'refused' ? 'keyLacksScope' : started;
  }
}
