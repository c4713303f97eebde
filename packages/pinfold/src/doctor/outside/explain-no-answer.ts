import { errorText } from '../../settings/or-settings-error.ts';

const WRONG_NAME = 'get a certificate for this name; sites need a wildcard certificate';

const ADVICE: Readonly<Record<string, string>> = {
  ENOTFOUND: 'create a DNS record of this name that points to the proxy',
  EAI_AGAIN: 'check that this machine can reach its name server',
  ECONNREFUSED:
    'start the proxy, or the server if there is none; check that it listens on this address and port',
  ECONNRESET: 'check what listens there: it closed the connection without an answer',
  EHOSTUNREACH: 'check that this machine can connect to that address',
  ENETUNREACH: 'check that this machine can connect to that address',
  EPROTO: 'check that TLS is enabled there',
  ETIMEDOUT: 'open the port in the firewall, and check that the name points to the proxy',
  ABORT_ERR: 'open the port in the firewall, and check that the name points to the proxy',
  CERT_HAS_EXPIRED: 'renew the certificate, and check why it was not renewed automatically',
  ERR_TLS_CERT_ALTNAME_INVALID: WRONG_NAME,
};

const UNTRUSTED =
  'configure a certificate that browsers trust, with its intermediate certificates; for a certificate authority of your own set NODE_EXTRA_CA_CERTS';

export function isCertificateError(error: unknown): boolean {
  return /^(?:CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_CERT)/.test(readCode(error));
}

export function explainNoAnswer(error: unknown): readonly [observed: string, advice: string] {
  const code = readCode(error);
  // A proxy without a certificate for the name sends a TLS alert.
  const [alert] = /(?<=:)[\w/]+ alert [\w ]+/.exec(errorText(error)) ?? [];
  if (alert !== undefined) return [`the proxy refused TLS: ${alert}`, WRONG_NAME];
  const observed = code === 'ABORT_ERR' ? 'there was no answer within 20 s' : errorText(error);
  const advice = ADVICE[code] ?? (isCertificateError(error) ? UNTRUSTED : 'check what listens there');
  return [observed, advice];
}

function readCode(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error)) return '';
  // The code of a timeout is a number.
  return typeof error.code === 'string' ? error.code : 'ABORT_ERR';
}
