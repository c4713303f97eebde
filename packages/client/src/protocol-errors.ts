import { causesOf } from './causes.ts';

/** Codes of Node, Bun and OpenSSL for certificates, and for TLS or HTTP where the other is spoken. */
const CODES =
  /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_(?:CA|PURPOSE)|ERR_TLS_CERT_|ERR_SSL_|EPROTO$|HPE_INVALID_(?:CONSTANT|VERSION)$)/;
/** A server that gets its first certificate just now answers so. */
const PASSING = /INTERNAL_ERROR|UNEXPECTED_EOF/;
/** Deno has no code, nor has Node 24 where the answer is not HTTP. */
const MESSAGE = /invalid peer certificate|invalid HTTP version|\(Expected HTTP\//i;

/**
 * Whether `fetch` failed for the certificate or the protocol, which another attempt does not change. Browsers do not tell.
 */
export function isOfProtocol(error: unknown): boolean {
  for (const one of causesOf(error)) {
    const code = 'code' in one && typeof one.code === 'string' ? one.code : '';
    if ((CODES.test(code) && !PASSING.test(code)) || MESSAGE.test(one.message)) return true;
  }
  return false;
}
