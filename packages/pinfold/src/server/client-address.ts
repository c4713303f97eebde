import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type { ClientAddress } from '@pinfold/http';
import { ownText, socketAddress } from '@pinfold/http/internal';
import proxyAddress, { all, compile } from 'proxy-addr';
import type { TrustProxy } from '../settings/trust-proxy.ts';

/**
 * The client's address by the `X-Forwarded-For` of trusted proxies, else the socket's. Scheme and host are never taken
 * from a request, but from the settings.
 */
export function clientAddress(trust: TrustProxy): ClientAddress {
  if (trust.kind === 'none') return socketAddress;
  const isTrusted =
    trust.kind === 'hops'
      ? (_address: string, distance: number) => distance < trust.count
      : trustOf(trust.addresses);
  // Rates are counted by address, and a part of a header would keep all of it in memory.
  return (request) => ownText(withoutPort(proxyAddress(request, isTrusted)) ?? socketAddress(request));
}

/** Some proxies append the port to an address, of the client or of a proxy before them. */
function trustOf(addresses: readonly string[]): (address: string, distance: number) => boolean {
  const isTrusted = compile([...addresses]);
  return (address, distance) => isTrusted(withoutPort(address) ?? address, distance);
}

function withoutPort(text: string): string | undefined {
  if (isIP(text) !== 0) return text;
  const [, bracketed, plain] = /^(?:\[(.+)\]|([^:]+))(?::\d{1,5})?$/.exec(text) ?? [];
  const address = bracketed ?? plain ?? '';
  return isIP(address) === 0 ? undefined : address;
}

/** What the settings say of clients. */
export interface Clients {
  readonly addressOf: ClientAddress;
  readonly isTrusted: IsTrustedClient;
}

export function clientsOf(trust: TrustProxy): Clients {
  return { addressOf: clientAddress(trust), isTrusted: trustedClients(trust) };
}

/** Whether a request comes from the operator's side: from this machine, or from an address that the settings trust. */
export type IsTrustedClient = (request: IncomingMessage) => boolean;

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
  const isTrusted = trust.kind === 'addresses' ? trustOf(trust.addresses) : () => false;
  return (request) => {
    const socket = request.socket.remoteAddress ?? '';
    const isForwarded = Object.keys(request.headers).some((name) => FORWARDED.test(name));
    if (!isForwarded) return isLoopback(socket) || isTrusted(socket, 0);
    // The last address is the client's, or the first that is not trusted.
    const [, ...addresses] = all(request, isTrusted);
    return addresses.length > 0 && isTrusted(addresses.at(-1) ?? '', addresses.length);
  };
}

export function isLoopback(address: string): boolean {
  const kind = isIP(address);
  return kind !== 0 && loopback.check(address, kind === 4 ? 'ipv4' : 'ipv6');
}
