import { randomBytes } from 'node:crypto';
import type { AccountId, Caller, Cause, Credential, Instant, Mode, Origin } from '@pinfold/core';
import { type FormFields, preferredLanguage, untilGone } from '@pinfold/http';
import type { Request, Response } from 'express';
import type { AssetNames } from '../assets.ts';
import type { Look } from '../branding.ts';
import { Words } from '../i18n.ts';
import { type Language, parseLanguage } from '../language.ts';
import type { MessageId } from '../messages/catalogues.ts';
import type { Screen } from '../options.ts';
import { onThisHost } from '../response/answer.ts';
import { type Flash, readSaid } from '../response/flash.ts';
import { type CookieScope, readCookies, readZone } from './cookies.ts';
import { isFormSecret, newFormSecret } from './form-guard.ts';

/** What every page needs to know of the request it answers. */
export interface RequestContext {
  readonly request: Request;
  readonly response: Response;
  /** The public URL. */
  readonly publicUrl: string;
  /** The path under which the screen is reached, without a slash at its end. */
  readonly base: string;
  /** Where cookies hold. */
  readonly scope: CookieScope;
  readonly words: Words<MessageId>;
  readonly now: Instant;
  readonly assets: AssetNames;
  readonly look: Look;
  /** Scripts run only with it. */
  readonly nonce: string;
  /** Binds what is signed to this browser. */
  readonly secret: string;
  /** How many such secrets the browser showed. Of several, none of its cookies is to be believed. */
  readonly shown: 'none' | 'one' | 'several';
  /** What was just done, told once. */
  readonly said: Flash | undefined;
  /** What was sent with a form; empty before that is read. */
  readonly fields: FormFields;
  /** What the history tells of where it comes from. */
  readonly origin: Origin;
  /** Ends when the client has gone. */
  readonly signal: AbortSignal;
  /** What the log is told of it: whose visit it turned out to be, by which key, and why nothing was done. */
  readonly who: { account?: AccountId; key?: string; outcome?: string; error?: Error };
}

/** A visit to a page with forms. */
export interface FormContext extends RequestContext {
  /** What every form must carry. */
  readonly formToken: string;
}

/** A visit by somebody who is signed in. */
export interface SignedInContext extends FormContext {
  readonly caller: Caller;
  /** What changes are stored with, so that one made after the session has ended is refused. */
  readonly credential: Credential;
  /** Whether the body was there when the caller was authenticated. */
  readonly hasBody: boolean;
  /** Names the session; where the team's own sign-in says who it is, the account. */
  readonly bond: string;
  readonly account: AccountId;
  /** What the person is called: the account, unless the team's sign-in says more. */
  readonly displayName: string;
  /** What the history tells of what is changed. */
  readonly cause: Cause;
  /** How the service runs. */
  readonly mode: Mode;
  /** Whether the session is ours to end, what there is to manage and to read, and whether this person administers. */
  readonly offers: Readonly<Record<'signOut' | 'keys' | 'history' | 'administration', boolean>>;
}

/** What a request says of itself, before anything of it is judged. */
export function createContext(
  screen: Screen,
  request: Request,
  response: Response,
  requestId: string,
): RequestContext {
  const { look } = screen;
  const address = screen.historyAddress?.(request);
  const base = onThisHost(request.baseUrl).replace(/\/$/, '');
  const { protocol, hostname: host } = new URL(screen.publicUrl);
  const scope = { secure: protocol === 'https:', path: base === '' ? '/' : base, host };
  const [known, ...others] = readCookies(request, scope, 'form').filter(isFormSecret);
  const secret = known !== undefined && others.length === 0 ? known : newFormSecret();
  const signed = request.method === 'GET' ? readCookies(request, scope, 'said') : [];
  const language =
    parseLanguage(readCookies(request, scope, 'language')[0], look.languages) ??
    preferredLanguage<Language>(request.headers['accept-language'], look.languages);
  return {
    request,
    response,
    publicUrl: screen.publicUrl,
    base,
    scope,
    words: new Words(language, readZone(request) ?? 'UTC', look.catalogues[language]),
    now: screen.useCases.clock.now(),
    assets: screen.assets.names,
    look,
    nonce: randomBytes(18).toString('base64url'),
    secret,
    shown: known === undefined ? 'none' : others.length === 0 ? 'one' : 'several',
    said: signed.map((text) => readSaid(text, secret)).find((said) => said !== undefined),
    fields: {},
    origin: { request: requestId, ...(address === undefined ? {} : { address }) },
    signal: untilGone(response),
    who: {},
  };
}

/** A field of the form that was sent; `undefined` when it is missing or there twice. */
export function fieldOf({ fields }: RequestContext, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' ? value : undefined;
}

/** The values of a field that may be there several times. */
export function fieldsOf({ fields }: RequestContext, name: string): readonly string[] {
  return [fields[name]].flat().filter((one) => typeof one === 'string');
}
