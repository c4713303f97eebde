import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { all, compile } from 'proxy-addr';
import type { TrustProxy } from '../settings/trust-proxy.ts';

/** Whether a request comes from the operator's side: from this machine, or from an address that the settings trust. */
export type IsTrustedClient = (request: IncomingMessage) => boolean;

/** The headers that proxies add to a request. */
const FORWARDED =
  /^(?:forwarded|via|x-forwarded(?:-.+)?|x-(?:real|client|cluster-client|original)-.*|(?:true|cf|fastly)-.*)$/;

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/**
 * Recognizes trusted clients. A forwarded request is trusted only if `X-Forwarded-For` names trusted addresses alone,
 * since clients can send any header. If the setting is a number of proxies, only this machine is trusted.
 */
export function trustedClients(trust: TrustProxy): IsTrustedClient {
  const isTrusted = trust.kind === 'addresses' ? compile([...trust.addresses]) : () => false;
  return (request) => {
    const socket = request.socket.remoteAddress ?? '';
    const isForwarded = Object.keys(request.headers).some((name) => FORWARDED.test(name));
    if (!isForwarded) return isLoopback(socket) || isTrusted(socket, 0);
    // The last address is the client's, or the first that is not trusted.
    const [, ...addresses] = all(request, isTrusted);
    return addresses.length > 0 && isTrusted(addresses.at(-1) ?? '', addresses.length);
  };
}

function isLoopback(address: string): boolean {
  const kind = isIP(address);
  return kind !== 0 && loopback.check(address, kind === 4 ? 'ipv4' : 'ipv6');
}
