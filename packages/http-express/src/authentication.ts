import type { IncomingMessage } from 'node:http';
import type { Keys } from '@pinfold/core';
import type { Authenticate as AuthenticateAny } from '@pinfold/http';
import { headerValues } from '@pinfold/http/internal';
import type { Request, Response } from 'express';

/** Identifies the caller of a request; `undefined` is answered with 401, and a thrown {@link Fault} with 503 or 500. */
export type Authenticate = AuthenticateAny<Request, Response>;

/** Options of {@link apiKeyAuthentication}. */
export interface ApiKeyAuthenticationOptions {
  /** Receives errors of recording a key's last use, which happens after the answer. Its own go to `console.error`. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** RFC 6750, section 2.1. */
const BEARER = /^Bearer +([^ \t]+)[ \t]*$/i;

/**
 * Authenticates by API keys, `Authorization: Bearer pf_<key id>_<secret>`. Records the use of a key after the answer, at
 * most once a minute.
 */
export function apiKeyAuthentication(
  manageKeys: Pick<Keys, 'authenticate' | 'noteUse'>,
  { onError = () => {} }: ApiKeyAuthenticationOptions = {},
): AuthenticateAny {
  return async (request, { response, again }) => {
    const text = bearerToken(request);
    const key = text === undefined ? undefined : await manageKeys.authenticate(text);
    if (key !== undefined && again === undefined) {
      response.once('finish', () => void manageKeys.noteUse(key).catch(onError).catch(console.error));
    }
    return key && { account: key.account, scopes: key.scopes, key: key.id, isKeyStored: true };
  };
}

export function bearerToken(request: IncomingMessage): string | undefined {
  const [value = '', ...others] = headerValues(request, 'authorization');
  return others.length > 0 ? undefined : BEARER.exec(value)?.[1];
}

/** The credentials of a request: the text after the scheme's name (RFC 9110, section 11.6.2). */
export function credentialsOf({ headers }: IncomingMessage): string | undefined {
  return headers.authorization?.replace(/^[^ ]+ +/, '').trimEnd();
}
