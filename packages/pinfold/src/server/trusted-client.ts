import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { all, compile } from 'proxy-addr';
import type { TrustProxy } from '../settings/trust-proxy.ts';

/** Whether a request comes from the operator's side: from this machine, or from an address that the settings trust. */
export type IsInsider = (request: IncomingMessage) => boolean;

/** What proxies write into a request that they pass on, each in a way of its own. */
const FORWARDED =
  /^(?:forwarded|via|x-forwarded(?:-.+)?|x-(?:real|client|cluster-client|original)-.*|(?:true|cf|fastly)-.*)$/;

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/**
 * Tells insiders. A request that was passed on is its client's: it is an insider's only when `X-Forwarded-For` says so
 * and every address on the way is trusted, since anybody can write any header.
 *
 * With a number of proxies in the place of addresses, only this machine itself is trusted.
 */
export function insiders(trust: TrustProxy): IsInsider {
  const isTrusted = trust.kind === 'addresses' ? compile([...trust.addresses]) : () => false;
  return (request) => {
    const socket = request.socket.remoteAddress ?? '';
    const passedOn = Object.keys(request.headers).some((name) => FORWARDED.test(name));
    if (!passedOn) return isLoopback(socket) || isTrusted(socket, 0);
    // As far as trusted ones tell; the last is the client, or the first that is not to be trusted.
    const [, ...told] = all(request, isTrusted);
    return told.length > 0 && isTrusted(told.at(-1) ?? '', told.length);
  };
}

function isLoopback(address: string): boolean {
  const kind = isIP(address);
  return kind !== 0 && loopback.check(address, kind === 4 ? 'ipv4' : 'ipv6');
}
