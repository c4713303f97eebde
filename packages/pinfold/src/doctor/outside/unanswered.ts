import { saidOf } from '../error-text.ts';

const OF_THIS_NAME = 'have a certificate for this name; for sites a wildcard one';

/** What to do about a server that gave no answer, by the code of Node's error. */
const ADVICE: Readonly<Record<string, string>> = {
  ENOTFOUND: 'make a DNS record of this name that leads to the proxy',
  EAI_AGAIN: 'see that this machine can ask its name server',
  ECONNREFUSED:
    'start the proxy, or the server where there is none; see that it listens on this address and port',
  ECONNRESET: 'see what listens there: it closed the connection without a word',
  EHOSTUNREACH: 'see that this machine may connect to that address',
  ENETUNREACH: 'see that this machine may connect to that address',
  EPROTO: 'see that what listens there speaks TLS',
  ETIMEDOUT: 'open the port in the firewall, and see that the name leads to the proxy',
  ABORT_ERR: 'open the port in the firewall, and see that the name leads to the proxy',
  CERT_HAS_EXPIRED: 'renew the certificate, and see why that did not happen by itself',
  ERR_TLS_CERT_ALTNAME_INVALID: OF_THIS_NAME,
};

const UNTRUSTED =
  'let the proxy send a certificate of an authority that browsers trust, and those between; one of your own authority is trusted with NODE_EXTRA_CA_CERTS';

/** Whether it is the certificate that is not trusted. */
export function isAboutCertificate(error: unknown): boolean {
  return /^(?:CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_CERT)/.test(codeOf(error));
}

/** Why no answer came, and what to do about it. */
export function unanswered(error: unknown): readonly [came: string, advice: string] {
  const code = codeOf(error);
  // What a proxy does with a name that it has no certificate for.
  const [alert] = /(?<=:)[\w/]+ alert [\w ]+/.exec(saidOf(error)) ?? [];
  if (alert !== undefined) return [`TLS was refused: ${alert}`, OF_THIS_NAME];
  const came = code === 'ABORT_ERR' ? 'no answer within 20 s' : saidOf(error);
  const advice = ADVICE[code] ?? (isAboutCertificate(error) ? UNTRUSTED : 'see what listens there');
  return [came, advice];
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error)) return '';
  // An abort by a timer has a number.
  return typeof error.code === 'string' ? error.code : 'ABORT_ERR';
}
