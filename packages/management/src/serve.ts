import { randomBytes, randomUUID } from 'node:crypto';
import { isFault, parseRoleId } from '@pinfold/core';
import {
  drainAndClose,
  hasTooManyCookies,
  isOwnForm,
  preferredLanguage,
  type RequestEntry,
  untilGone,
} from '@pinfold/http';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { type Answer, page, seeOther } from './answer.ts';
import type { Assets } from './assets.ts';
import { type CookieScope, expireEverywhere, readCookies, readZone, writeCookie } from './cookies.ts';
import { formToken, isFormSecret, isLedFromElsewhere, isSameToken, newFormSecret } from './form-guard.ts';
import { type Arrival, arrivalOf } from './gate.ts';
import { onThisHost } from './here.ts';
import { type Language, parseLanguage } from './language.ts';
import { catalogues, type MessageId } from './messages/catalogues.ts';
import type { Screen } from './options.ts';
import { readForm } from './read-form.ts';
import { openSaid } from './said.ts';
import { protect, send } from './send.ts';
import { bounceView, troubleView } from './views/trouble.ts';
import type { SignedInVisit, Visit } from './visit.ts';
import { Words } from './words.ts';

/** Answers a request of somebody, signed in or not. */
export type OpenHandler = (visit: OpenVisit) => Promise<Answer>;
/** Answers a request of somebody who is signed in. */
export type Handler = (visit: SignedInVisit) => Promise<Answer>;

/** A visit before anybody is signed in, with the token for the forms of that state. */
export interface OpenVisit extends Visit {
  readonly formToken: string;
}

const RETRY_SECONDS = 5;

/** Wraps handlers with what every answer of the screen needs. */
export class Serving {
  readonly #options: Screen;
  readonly #assets: Assets;
  readonly #secure: boolean;
  readonly #host: string;

  constructor(options: Screen, assets: Assets) {
    this.#options = options;
    this.#assets = assets;
    this.#secure = options.publicUrl.startsWith('https:');
    this.#host = new URL(options.publicUrl).hostname;
  }

  /** Where cookies hold. */
  scope(visit: Pick<Visit, 'base'>): CookieScope {
    return { secure: this.#secure, path: visit.base === '' ? '/' : visit.base, host: this.#host };
  }

  /** A page that needs no sign-in. */
  open(handler: OpenHandler): RequestHandler {
    return this.#serve(async (visit) => {
      if (await this.#hasSeveralSessions(visit)) this.#expire(visit, 'session');
      return await handler({ ...visit, formToken: formToken(visit.secret, '') });
    });
  }

  /** A form that needs no sign-in. */
  openForm(handler: OpenHandler): RequestHandler {
    return this.#serve(async (visit) => {
      const foreign = this.#refuseForeign(visit);
      if (foreign !== undefined) return foreign;
      if (visit.isMixed) return this.#startOver(visit);
      await readForm(visit, this.#options.useCases.clock);
      const token = formToken(visit.secret, '');
      return refuseStale(visit, token) ?? (await handler({ ...visit, formToken: token }));
    });
  }

  /** A page for somebody who is signed in. */
  page(handler: Handler): RequestHandler {
    return this.#serve((visit) => this.#signedIn(visit, handler));
  }

  /** A form that changes something: it must come from a page of ours and carry the session's token. */
  form(handler: Handler): RequestHandler {
    return this.#serve(async (visit) => {
      const foreign = this.#refuseForeign(visit);
      if (foreign !== undefined) return foreign;
      await readForm(visit, this.#options.useCases.clock);
      return await this.#signedIn(
        visit,
        async (own) => refuseStale(own, own.formToken) ?? (await handler(own)),
      );
    });
  }

  /** A form whose body the handler reads itself, so that the handler checks its token too. */
  upload(handler: Handler): RequestHandler {
    return this.#serve(async (visit) => this.#refuseForeign(visit) ?? (await this.#signedIn(visit, handler)));
  }

  async #signedIn(visit: Visit, handler: Handler): Promise<Answer> {
    const arrival = await this.#arrivalOf(visit);
    if (arrival.kind === 'several') return this.#startOver(visit);
    if (arrival.kind === 'forbidden') return refuse(visit, 403, 'forbiddenTitle', 'forbiddenText');
    if (arrival.kind === 'stranger') return this.#askToSignIn(visit);
    return await handler({
      ...visit,
      account: arrival.caller.account,
      formToken: formToken(visit.secret, arrival.bond),
      offers: { signOut: this.#options.sessions !== undefined, keys: this.#options.keys !== undefined },
    });
  }

  async #arrivalOf(visit: Visit): Promise<Arrival> {
    if (visit.isMixed && this.#options.authenticate === undefined) return { kind: 'several' };
    return await arrivalOf(visit.request, visit.response, this.#options, this.scope(visit));
  }

  async #hasSeveralSessions(visit: Visit): Promise<boolean> {
    const shown = readCookies(visit.request, this.scope(visit), 'session');
    return shown.length > 1 && (await this.#arrivalOf(visit)).kind === 'several';
  }

  #expire({ request, response, base }: Visit, name: 'session' | 'form'): void {
    expireEverywhere(request, response, this.scope({ base }), name);
  }

  /** Believes none of several sign-ins: a sibling may have planted one of them, and with it somebody else's account. */
  #startOver(visit: Visit): Answer {
    // Form secrets have been taken away, and a proxy takes only so many headers; the next request brings the sessions.
    if (visit.isMixed) writeCookie(visit.response, this.scope(visit), 'session', '', 0);
    else this.#expire(visit, 'session');
    return this.#askToSignIn(visit, 'signInsMixed');
  }

  #askToSignIn(visit: Visit, why?: MessageId): Answer {
    if (wantsJson(visit.request)) return { kind: 'json', status: 401, body: { kind: 'signed_out' } };
    if (this.#options.sessions === undefined) return refuse(visit, 401, 'strangerTitle', 'strangerText');
    const { request, base } = visit;
    if (request.method !== 'GET') {
      return seeOther(`${base}/sign-in`, { tone: 'bad', message: why ?? 'signedOutMeanwhile' });
    }
    return seeOther(
      request.path === '/' ? `${base}/sign-in` : `${base}/sign-in?to=${encodeURIComponent(request.url)}`,
      why === undefined ? undefined : { tone: 'bad', message: why },
    );
  }

  #refuseForeign(visit: Visit): Answer | undefined {
    if (isOwnForm(visit.request.headers, this.#options.publicUrl)) return undefined;
    return refuse(visit, 403, 'foreignFormTitle', 'foreignFormText');
  }

  #serve(handle: (visit: Visit) => Promise<Answer>): RequestHandler {
    return async (request: Request, response: Response, _next: NextFunction) => {
      const begun = this.#options.useCases.clock.now();
      const requestId = randomUUID();
      response.set('X-Request-Id', requestId);
      const { visit, isNew } = this.#visit(request, response);
      let error: unknown;
      try {
        send(visit, this.scope(visit), await this.#answer(visit, isNew, handle));
      } catch (thrown) {
        if (!hasGone(visit)) {
          const trouble = troubleOf(visit, thrown);
          if (trouble.status >= 500) error = thrown;
          send(visit, this.scope(visit), trouble);
        }
      }
      drainAndClose(request, this.#options.useCases);
      this.#log(visit, {
        requestId,
        milliseconds: this.#options.useCases.clock.now() - begun,
        error,
      });
    };
  }

  async #answer(visit: Visit, isNew: boolean, handle: (visit: Visit) => Promise<Answer>): Promise<Answer> {
    const { request, response, base } = visit;
    if (hasTooManyCookies(request)) return refuse(visit, 431, 'cookiesTitle', 'cookiesText');
    // Cookies that are SameSite=Strict stay behind when a page elsewhere leads here; one more step from here brings them.
    if (isNew && request.method === 'GET' && isLedFromElsewhere(request.headers))
      return page(bounceView(visit));
    if (visit.isMixed) this.#expire(visit, 'form');
    if ((isNew && request.method === 'GET') || visit.isMixed) {
      writeCookie(response, this.scope(visit), 'form', visit.secret);
    }
    const language = parseLanguage(String(request.query.language));
    if (language !== undefined) {
      writeCookie(response, this.scope(visit), 'language', language, 31_536_000);
      return seeOther(onThisHost(base + request.path));
    }
    if (visit.said !== undefined) writeCookie(response, this.scope(visit), 'said', '', 0);
    return await handle(visit);
  }

  #visit(request: Request, response: Response): { readonly visit: Visit; readonly isNew: boolean } {
    const base = onThisHost(request.baseUrl).replace(/\/$/, '');
    const scope = this.scope({ base });
    const secrets = readCookies(request, scope, 'form').filter(isFormSecret);
    const known = secrets.length === 1 ? secrets[0] : undefined;
    const secret = known ?? newFormSecret();
    const sealed = request.method === 'GET' ? readCookies(request, scope, 'said') : [];
    const language =
      parseLanguage(readCookies(request, scope, 'language')[0]) ??
      preferredLanguage<Language>(request.headers['accept-language'], ['en', 'ja']);
    const nonce = randomBytes(18).toString('base64url');
    protect(response, nonce);
    const visit: Visit = {
      request,
      response,
      base,
      words: new Words(language, readZone(request) ?? 'UTC', catalogues[language]),
      now: this.#options.useCases.clock.now(),
      assets: this.#assets.names,
      nonce,
      secret,
      isMixed: secrets.length > 1,
      said: sealed.map((text) => openSaid(text, secret)).find((said) => said !== undefined),
      signal: untilGone(response),
    };
    return { visit, isNew: known === undefined };
  }

  #log(visit: Visit, { error, ...entry }: Pick<RequestEntry, 'requestId' | 'milliseconds' | 'error'>): void {
    const { request, response } = visit;
    this.#options.log?.({
      ...entry,
      method: request.method,
      route: `${request.baseUrl}${String(request.route?.path ?? '')}`,
      role: parseRoleId(String(request.params.id)) ?? null,
      status: response.statusCode,
      ...(hasGone(visit) ? { gone: true } : {}),
      ...(error === undefined ? {} : { error }),
    });
  }
}

/** Whether one of our scripts asks, which shows what comes back itself. */
export function wantsJson(request: Request): boolean {
  return request.headers.accept === 'application/json';
}

/** Refuses a form that carries another token than this session's. */
export function refuseStale(visit: Visit, expected: string): Answer | undefined {
  const body = visit.request.body as { readonly form?: unknown } | undefined;
  const sent = typeof body?.form === 'string' ? body.form : undefined;
  return isSameToken(expected, sent) ? undefined : refuse(visit, 403, 'staleFormTitle', 'staleFormText');
}

/** An answer with a status of its own. */
type Refused = Exclude<Answer, { kind: 'see_other' }>;

/** A page, or for a script its short form, that says why nothing was done. */
export function refuse(
  visit: Visit,
  status: number,
  title: Parameters<typeof troubleView>[1],
  text: Parameters<typeof troubleView>[2],
): Refused {
  if (wantsJson(visit.request))
    return { kind: 'json', status, body: { kind: 'refused', message: visit.words.say(text) } };
  return { kind: 'page', status, html: troubleView(visit, title, text) };
}

function troubleOf(visit: Visit, error: unknown): Refused {
  const status = statusOf(error);
  if (status === 503) return { ...refuse(visit, 503, 'busyTitle', 'busyText'), retryAfter: RETRY_SECONDS };
  if (status < 500) return refuse(visit, status, 'badFormTitle', 'badFormText');
  return refuse(visit, 500, 'errorTitle', 'errorText');
}

function statusOf(error: unknown): number {
  if (isFault(error)) return error.retryable ? 503 : 500;
  // What Express' body parser refuses says so in `status`.
  const { status } = (error ?? {}) as { readonly status?: unknown };
  return typeof status === 'number' && status >= 400 && status < 500 ? status : 500;
}

/** The client broke off, whichever of the two streams says so first. */
function hasGone({ signal, request }: Visit): boolean {
  return signal.aborted || (request.destroyed && !request.complete);
}
