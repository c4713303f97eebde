import { randomBytes, randomUUID } from 'node:crypto';
import { type Clock, isFault, parseRoleId } from '@pinfold/core';
import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { type Answer, page, seeOther } from './answer.ts';
import type { Assets } from './assets.ts';
import { type CookieScope, readCookies, readZone, writeCookie } from './cookies.ts';
import {
  formToken,
  isFormSecret,
  isFromOurPage,
  isLedFromElsewhere,
  isSameToken,
  newFormSecret,
} from './form-guard.ts';
import { arrivalOf } from './gate.ts';
import { parseLanguage, preferredLanguage } from './language.ts';
import { catalogues } from './messages/catalogues.ts';
import type { ManagementLogEntry, ManagementOptions } from './options.ts';
import { drain, LONGEST_FORM, whileItComes } from './receive.ts';
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
const parseForm: RequestHandler = express.urlencoded({ extended: false, limit: '16kb', parameterLimit: 50 });

/** Wraps handlers with what every answer of the screen needs. */
export class Serving {
  readonly #options: ManagementOptions;
  readonly #assets: Assets;
  readonly #secure: boolean;

  constructor(options: ManagementOptions, assets: Assets) {
    this.#options = options;
    this.#assets = assets;
    this.#secure = options.publicUrl.startsWith('https:');
  }

  /** Where cookies hold. */
  scope(visit: Pick<Visit, 'base'>): CookieScope {
    return { secure: this.#secure, path: visit.base === '' ? '/' : visit.base };
  }

  /** A page that needs no sign-in. */
  open(handler: OpenHandler): RequestHandler {
    return this.#serve((visit) => handler({ ...visit, formToken: formToken(visit.secret, '') }));
  }

  /** A form that needs no sign-in. */
  openForm(handler: OpenHandler): RequestHandler {
    return this.#serve(async (visit) => {
      const foreign = this.#refuseForeign(visit);
      if (foreign !== undefined) return foreign;
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
    const { request, response } = visit;
    const arrival = await arrivalOf(request, response, this.#options, this.scope(visit));
    if (arrival.kind === 'forbidden') return refuse(visit, 403, 'forbiddenTitle', 'forbiddenText');
    if (arrival.kind === 'stranger') return this.#askToSignIn(visit);
    return await handler({
      ...visit,
      account: arrival.caller.account,
      formToken: formToken(visit.secret, arrival.bond),
      offers: { signOut: this.#options.sessions !== undefined, keys: this.#options.keys !== undefined },
    });
  }

  #askToSignIn(visit: Visit): Answer {
    if (wantsJson(visit.request)) return { kind: 'json', status: 401, body: { kind: 'signed_out' } };
    if (this.#options.sessions === undefined) return refuse(visit, 401, 'strangerTitle', 'strangerText');
    const { request, base } = visit;
    if (request.method !== 'GET') {
      return seeOther(`${base}/sign-in`, { tone: 'bad', message: 'signedOutMeanwhile' });
    }
    return seeOther(
      request.path === '/' ? `${base}/sign-in` : `${base}/sign-in?to=${encodeURIComponent(request.url)}`,
    );
  }

  #refuseForeign(visit: Visit): Answer | undefined {
    if (isFromOurPage(visit.request, this.#options.publicUrl)) return undefined;
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
        await send(visit, this.scope(visit), await this.#answer(visit, isNew, handle));
      } catch (thrown) {
        if (!hasGone(visit)) {
          const trouble = troubleOf(visit, thrown);
          if (trouble.status >= 500) error = thrown;
          await send(visit, this.scope(visit), trouble);
        }
      }
      drain(request, this.#options.useCases.clock);
      this.#log(request, response, { requestId, time: this.#options.useCases.clock.now() - begun, error });
    };
  }

  async #answer(visit: Visit, isNew: boolean, handle: (visit: Visit) => Promise<Answer>): Promise<Answer> {
    const { request, response, base } = visit;
    // Cookies that are SameSite=Strict stay behind when a page elsewhere leads here; one more step from here brings them.
    if (isNew && request.method === 'GET' && isLedFromElsewhere(request.headers))
      return page(bounceView(visit));
    if (isNew && request.method === 'GET') writeCookie(response, this.scope(visit), 'form', visit.secret);
    const language = parseLanguage(String(request.query.language));
    if (language !== undefined) {
      writeCookie(response, this.scope(visit), 'language', language, 31_536_000);
      return seeOther(`${base}${request.path}`);
    }
    if (visit.said !== undefined) writeCookie(response, this.scope(visit), 'said', '', 0);
    return await handle(visit);
  }

  #visit(request: Request, response: Response): { readonly visit: Visit; readonly isNew: boolean } {
    const base = request.baseUrl;
    const scope = this.scope({ base });
    const [known] = readCookies(request, scope, 'form').filter(isFormSecret);
    const secret = known ?? newFormSecret();
    const [sealed] = request.method === 'GET' ? readCookies(request, scope, 'said') : [];
    const language =
      parseLanguage(readCookies(request, scope, 'language')[0]) ??
      preferredLanguage(request.headers['accept-language']);
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
      said: sealed === undefined ? undefined : openSaid(sealed, secret),
      signal: goneSignal(response),
    };
    return { visit, isNew: known === undefined };
  }

  #log(
    request: Request,
    response: Response,
    { error, ...entry }: Pick<ManagementLogEntry, 'requestId' | 'time' | 'error'>,
  ): void {
    const role = typeof request.params.id === 'string' ? parseRoleId(request.params.id) : undefined;
    this.#options.log?.({
      ...entry,
      method: request.method,
      route: `${request.baseUrl}${String(request.route?.path ?? '')}`,
      status: response.statusCode,
      ...(role === undefined ? {} : { role }),
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

async function readForm({ request, response }: Visit, clock: Clock): Promise<void> {
  const read = (stall: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      stall.addEventListener('abort', () => reject(stall.reason), { once: true });
      parseForm(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(error)));
    });
  const stalled = await whileItComes(request, clock, LONGEST_FORM, read);
  if (stalled !== undefined) throw Object.assign(new Error('the form stood still'), { status: 408 });
}

function goneSignal(response: Response): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}
