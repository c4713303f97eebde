import type { SignInFailure, SignInProblem } from '@pinfold/core';
import { isError } from '@pinfold/core/internal';
import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';

/** Codes of OAuth 2.0 and OpenID Connect by which an issuer says no to a person, or a person to it. */
const DECLINED: ReadonlySet<string> = new Set([
  'access_denied',
  'account_selection_required',
  'consent_required',
  'interaction_required',
  'login_required',
]);

const OUT_OF_ORDER: ReadonlySet<string> = new Set(['server_error', 'temporarily_unavailable']);

/** The problem of a failed sign-in; rethrows other errors. Details have no claim or token, and from the browser only a code. */
export function failureOf(error: unknown): SignInFailure {
  if (error instanceof AuthorizationResponseError) return ofCode(error.error);
  if (error instanceof ResponseBodyError) return ofCode(error.error, printable(error.error_description));
  if (error instanceof WWWAuthenticateChallengeError) {
    return failure('misconfigured', `the issuer answers with ${error.status}`);
  }
  if (error instanceof ClientError) return ofClient(error);
  // Of fetch.
  if (isError(error) && error.name === 'TypeError' && isError(error.cause))
    return failure('unreachable', reasonOf(error));
  throw error;
}

function ofCode(code: string, description?: string): SignInFailure {
  const known = /^[\w.-]{1,64}$/.test(code) ? code : 'an unknown code';
  const detail = `the issuer answers with ${known}${description === undefined ? '' : `: ${description}`}`;
  if (DECLINED.has(code)) return failure('declined', detail);
  if (OUT_OF_ORDER.has(code)) return failure('unreachable', detail);
  return failure(code === 'invalid_grant' ? 'late' : 'misconfigured', detail);
}

function ofClient(error: ClientError): SignInFailure {
  const { code, cause } = error;
  if (code === 'OAUTH_TIMEOUT') return failure('unreachable', 'the issuer does not answer in time');
  if (code === 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED') return failure('clock', reasonOf(error));
  if (code === undefined && isError(cause) && cause.name === 'TypeError')
    return failure('unreachable', reasonOf(cause));
  const status = cause instanceof Response ? cause.status : undefined;
  const detail = status === undefined ? reasonOf(error) : `the issuer answers with ${status}`;
  return failure(status !== undefined && status >= 500 ? 'unreachable' : 'untrusted', detail);
}

function failure(problem: SignInProblem, detail: string): SignInFailure {
  return { kind: 'failed', problem, detail };
}

function reasonOf({ message, cause }: Error): string {
  if (!isError(cause)) return message;
  return 'code' in cause && cause.message === ''
    ? `${message} (${cause.code})`
    : `${message} (${cause.message})`;
}

function printable(text: string | undefined): string | undefined {
  return text?.replaceAll(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, 200);
}
