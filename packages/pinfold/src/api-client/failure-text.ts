import type { PinfoldError } from '@pinfold/client';
import { CommandFailure, UnavailableError } from '../command-line/failures.ts';
import { escapeControls } from '../command-line/terminal.ts';
import { formatProblem, refusalMessage } from '../publishing/refusal-text.ts';

// Importing node:http would also load Node's fetch.
const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** Texts for the usual system errors of a wrong URL or a stopped server. */
const MEANINGS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no server listens at this address',
  ENOTFOUND: 'this host name does not exist',
};

/** Texts for TLS and protocol errors, by the beginning of the code, or of the message if there is no code. */
const TLS_ERRORS: readonly (readonly [RegExp, string])[] = [
  [/^CERT_HAS_EXPIRED/, 'its certificate has expired: renew it there'],
  [/^ERR_TLS_CERT_ALTNAME/, 'its certificate is for another name: use that name'],
  [
    /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/,
    'its certificate is not trusted here: for a certificate authority of your own, set NODE_EXTRA_CA_CERTS to its file',
  ],
  [/^(?:ERR_SSL_|EPROTO)/, 'it speaks no TLS: should the URL begin with http://?'],
  [/^HPE_|^Response does not match the HTTP/, 'it speaks no HTTP: should the URL begin with https://?'],
];

export const NOT_A_PINFOLD = 'the answer does not come from Pinfold';

export function formatFailure(error: PinfoldError, url: string): string {
  const { code, status, detail, errors } = error;
  if (code === 'network_error') return unreachableText(url, error.cause);
  if (code === 'timeout') return `${new URL(url).host} does not answer`;
  if (code === 'invalid_answer') return invalidAnswerText(url, status ?? 0);
  if (status === 401) {
    return escapeControls(
      `the API key is not valid at ${url} (401 ${code}): run "pinfold login ${url}", or give another key`,
    );
  }
  if (code === 'invalid_archive') return formatProblem(code, detail, errors);
  if (code === 'not_found') return `${refusalMessage('not_found_publication')} (${code})`;
  if (code === 'unavailable')
    return escapeControls(`${new URL(url).host} is unavailable (${status} ${code}): ${detail}`);
  return escapeControls(`${formatProblem(code, detail, errors)} (${code})`);
}

/** The error for a request without an answer. Retrying may help, except after an error of TLS or of the protocol. */
export function unreachableError(url: string, cause: TypeError): CommandFailure {
  const detail = unreachableText(url, cause);
  if (tlsErrorText(unreachableReason(cause)) === undefined) return new UnavailableError(detail, { cause });
  return new CommandFailure(detail, { cause, json: { code: 'network_error', detail } });
}

export function unreachableText(url: string, cause: unknown): string {
  const reason = unreachableReason(cause);
  const meaning = MEANINGS[reason] ?? tlsErrorText(reason);
  return `${new URL(url).host} cannot be reached: ${meaning === undefined ? reason : `${meaning} (${reason})`}`;
}

function unreachableReason(cause: unknown): string {
  const reason = cause instanceof Error ? (cause.cause ?? cause) : undefined;
  return systemErrorCode(cause) ?? (reason instanceof Error ? reason.message : 'no answer');
}

function tlsErrorText(reason: string): string | undefined {
  return TLS_ERRORS.find(([pattern]) => pattern.test(reason))?.[1];
}

/** The system's error code behind a rejection of `fetch`. */
export function systemErrorCode(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** Describes an answer without a problem document, which usually comes from a proxy or another program. */
export function invalidAnswerText(url: string, status: number): string {
  if (status >= 200 && status < 300) return NOT_A_PINFOLD;
  const { host } = new URL(url);
  const hint = status >= 500 ? 'perhaps a proxy cannot reach its server' : `is there a Pinfold at ${url}?`;
  const name = STATUS_CODES[status];
  return `${host} answered with ${status}${name === undefined ? '' : ` ${name}`} and no reason; ${hint}`;
}
