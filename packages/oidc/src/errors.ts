import type { SignInFailure, SignInProblem } from '@pinfold/core';
import { codeOf, isError } from '@pinfold/core/internal';
import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';

/** Error codes of OAuth 2.0 and OpenID Connect for a sign-in that the issuer or the person declined. */
const DECLINED: ReadonlySet<string> = new Set([
  'access_denied',
  'account_selection_required',
  'consent_required',
  'interaction_required',
  'login_required',
]);

const UNAVAILABLE: ReadonlySet<string> = new Set(['server_error', 'temporarily_unavailable']);

/**
 * Turns an error into a failed sign-in; rethrows other errors. Details contain no claim or token, and from the
 * browser only an error code.
 */
export function toSignInFailure(error: unknown): SignInFailure {
  if (error instanceof AuthorizationResponseError) return explainCode(error.error);
  if (error instanceof ResponseBodyError) return explainCode(error.error, printable(error.error_description));
  if (error instanceof WWWAuthenticateChallengeError) {
    return createFailure('misconfigured', `the issuer answers with ${error.status}`);
  }
  if (error instanceof ClientError) return explainClientError(error);
  if (isAboutDocument(error)) return createFailure('untrusted', formatReason(error));
  // A failure of `fetch`.
  if (isError(error) && error.name === 'TypeError' && isError(error.cause))
    return createFailure('unreachable', formatReason(error));
  throw error;
}

/** Whether an address in the issuer's discovery document cannot be used: the client library does not wrap this error. */
function isAboutDocument(error: unknown): error is Error {
  return isError(error) && (error.name === 'OperationProcessingError' || codeOf(error) === 'ERR_INVALID_URL');
}

function explainCode(code: string, description?: string): SignInFailure {
  const known = /^[\w.-]{1,64}$/.test(code) ? code : 'an unknown code';
  const detail = `the issuer answers with ${known}${description === undefined ? '' : `: ${description}`}`;
  if (DECLINED.has(code)) return createFailure('declined', detail);
  if (UNAVAILABLE.has(code)) return createFailure('unreachable', detail);
  return createFailure(code === 'invalid_grant' ? 'late' : 'misconfigured', detail);
}

function explainClientError(error: ClientError): SignInFailure {
  const { code, cause } = error;
  if (code === 'OAUTH_TIMEOUT') return createFailure('unreachable', 'the issuer does not answer in time');
  if (code === 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED') return createFailure('clock', formatReason(error));
  if (code === undefined && isError(cause) && cause.name === 'TypeError')
    return createFailure('unreachable', formatReason(cause));
  const status = cause instanceof Response ? cause.status : undefined;
  const detail = status === undefined ? formatReason(error) : `the issuer answers with ${status}`;
  return createFailure(status !== undefined && status >= 500 ? 'unreachable' : 'untrusted', detail);
}

function createFailure(problem: SignInProblem, detail: string): SignInFailure {
  return { kind: 'failed', problem, detail };
}

function formatReason({ message, cause }: Error): string {
  if (!isError(cause)) return message;
  return 'code' in cause && cause.message === ''
    ? `${message} (${cause.code})`
    : `${message} (${cause.message})`;
}

function printable(text: string | undefined): string | undefined {
  return text?.replaceAll(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, 200);
}
