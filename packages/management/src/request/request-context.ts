import { randomBytes } from 'node:crypto';
import { type ParsedUrlQuery, parse } from 'node:querystring';
import type { AccountId, Caller, Cause, Credential, Instant, Mode, Origin } from '@pinfold/core';
import {
  type FormFields,
  type Language,
  parseLanguage,
  preferredLanguage,
  untilGone,
} from '@pinfold/http/internal';
import type { Request, Response } from 'express';
import { Messages } from '../i18n.ts';
import type { MessageId } from '../messages/catalogues.ts';
import type { Screen, With } from '../options.ts';
import { type Flash, onThisHost, readFlash } from '../response/answer.ts';
import {
  type CookieScope,
  type FormToken,
  isFormSecret,
  newFormSecret,
  readCookies,
  readZone,
} from './cookies.ts';

export interface RequestContext {
  readonly screen: Screen;
  readonly request: Request;
  readonly response: Response;
  /** Read here: `request.query` depends on the application's setting `query parser`. */
  readonly query: ParsedUrlQuery;
  /** The path at which the screen is mounted, without a trailing slash. */
  readonly base: string;
  readonly scope: CookieScope;
  readonly messages: Messages<MessageId>;
  readonly now: Instant;
  readonly nonce: string;
  /** Binds form tokens and flash messages to this browser. */
  readonly secret: string;
  /** How many form secrets the browser sent. With several, none of its cookies is trusted. */
  readonly formSecretCount: 'none' | 'one' | 'several';
  readonly flash: Flash | undefined;
  readonly fields: FormFields;
  readonly origin: Origin;
  readonly signal: AbortSignal;
}

export interface FormContext extends RequestContext {
  readonly formToken: FormToken;
}

export interface SignedInContext extends FormContext {
  readonly caller: Caller;
  /** The store checks it with each change, and refuses one after the session has ended. */
  readonly credential: Credential;
  /** Whether the whole body had arrived when the caller was authenticated. */
  readonly hasWholeBody: boolean;
  /** Identifies the session, or the account with an embedding team's own sign-in: forms are bound to it. */
  readonly sessionBinding: string;
  readonly account: AccountId;
  /** The person's name; defaults to the account's. */
  readonly displayName: string;
  readonly cause: Cause;
  readonly mode: Mode;
  readonly isAdministrator: boolean;
}

export type SignedIn<Part extends keyof Screen> = SignedInContext & { readonly screen: With<Part> };

/** Reads a request without checking anything. */
export function createContext(
  screen: Screen,
  request: Request,
  response: Response,
  requestId: string,
): RequestContext {
  const { branding } = screen;
  const base = onThisHost(request.baseUrl).replace(/\/$/, '');
  const { protocol, hostname: host } = new URL(screen.publicUrl);
  const scope = { secure: protocol === 'https:', path: base === '' ? '/' : base, host };
  const [known, ...others] = readCookies(request, scope, 'form').filter(isFormSecret);
  const secret = known !== undefined && others.length === 0 ? known : newFormSecret();
  const signed = request.method === 'GET' ? readCookies(request, scope, 'flash') : [];
  const language =
    parseLanguage(readCookies(request, scope, 'language')[0], branding.languages) ??
    preferredLanguage<Language>(request.headers['accept-language'], branding.languages);
  const messages = new Messages(language, readZone(request) ?? 'UTC', branding.catalogues[language]);
  const flashes = signed.map((text) => readFlash(text, secret));
  return {
    screen,
    request,
    response,
    query: parse(request.url.replace(/^[^?]*\??/, '')),
    base,
    scope,
    messages,
    now: screen.useCases.clock.now(),
    nonce: randomBytes(18).toString('base64url'),
    secret,
    formSecretCount: known === undefined ? 'none' : others.length === 0 ? 'one' : 'several',
    // During an upgrade, a newer node may have set a message that this one does not know.
    flash: flashes.find((flash) => flash && messages.has(flash.message)) ?? undefined,
    fields: {},
    origin: { request: requestId },
    signal: untilGone(response),
  };
}

/** A field of the form; `undefined` if it is missing or sent twice. */
export function fieldOf({ fields }: RequestContext, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' ? value : undefined;
}

export function fieldsOf({ fields }: RequestContext, name: string): readonly string[] {
  return [fields[name]].flat().filter((one) => typeof one === 'string');
}
