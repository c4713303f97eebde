import { causesOf } from './causes.ts';

/** Codes of Node, Bun and OpenSSL for certificates, and for TLS in the place of HTTP or the reverse. */
const CODES =
  /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_(?:CA|PURPOSE)|ERR_TLS_CERT_|ERR_SSL_|EPROTO$|HPE_INVALID_(?:CONSTANT|VERSION)$)/;
/** Codes that also occur while a server is getting its first certificate. */
const TEMPORARY_CODES = /INTERNAL_ERROR|UNEXPECTED_EOF/;
/** Deno has no codes, and Node 24 has none for an answer that is not HTTP. */
const MESSAGE = /invalid peer certificate|invalid HTTP version|\(Expected HTTP\//i;

/**
 * Whether `fetch` failed because of the certificate or the protocol, which a retry does not change. Browsers hide
 * this.
 */
export function isOfProtocol(error: unknown): boolean {
  for (const cause of causesOf(error)) {
    const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
    if ((CODES.test(code) && !TEMPORARY_CODES.test(code)) || MESSAGE.test(cause.message)) return true;
  }
  return false;
}
