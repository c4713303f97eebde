import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { nameOf } from '@pinfold/core/internal';
import type { ClientAddress } from '@pinfold/http';
import { socketAddress } from '@pinfold/http/internal';
import proxyAddress, { all, compile } from 'proxy-addr';

/** The proxies whose `X-Forwarded-For` is trusted: the last `count` hops, or proxies at these addresses. */
export type TrustProxy =
  | { readonly kind: 'none' }
  | { readonly kind: 'hops'; readonly count: number }
  | { readonly kind: 'addresses'; readonly addresses: readonly string[] };

/** Rejects `true`, which Express allows: every client could then choose its own address. */
export function parseTrustProxy(value: string): TrustProxy {
  if (/^\d{1,2}$/.test(value)) {
    return value === '0' ? { kind: 'none' } : { kind: 'hops', count: Number(value) };
  }
  const addresses = value.split(',').map((part) => part.trim());
  if (!addresses.every(isAddressOrCidr)) {
    throw new TypeError('must be a number of proxies, or addresses and CIDRs separated by commas');
  }
  return { kind: 'addresses', addresses };
}

function isAddressOrCidr(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  if (isIP(address) === 0 || more.length > 0 || !/^\d{1,3}$/.test(bits ?? '1')) return false;
  try {
    compile(text);
    return true;
  } catch (error) {
    if (nameOf(error) === 'TypeError') return false;
    throw error;
  }
}

/**
 * Finds the client's address in the `X-Forwarded-For` of trusted proxies, else in the socket. Scheme and host come
 * from the settings, never from a request.
 */
export function createClientAddress(trust: TrustProxy): ClientAddress {
  if (trust.kind === 'none') return socketAddress;
  const isTrusted =
    trust.kind === 'hops'
      ? (_address: string, distance: number) => distance < trust.count
      : compileTrust(trust.addresses);
  return (request) => copyOf(withoutPort(proxyAddress(request, isTrusted)) ?? socketAddress(request));
}

/** Copies an address, because limits store it, and a slice would keep the whole header in memory. */
function copyOf(address: string): string {
  return Buffer.from(address, 'latin1').toString('latin1');
}

/** Creates a check of proxy addresses. Some proxies append a port to an address. */
function compileTrust(addresses: readonly string[]): (address: string, distance: number) => boolean {
  const isTrusted = compile([...addresses]);
  return (address, distance) => isTrusted(withoutPort(address) ?? address, distance);
}

function withoutPort(text: string): string | undefined {
  if (isIP(text) !== 0) return text;
  const [, bracketed, plain] = /^(?:\[(.+)\]|([^:]+))(?::\d{1,5})?$/.exec(text) ?? [];
  const address = bracketed ?? plain ?? '';
  return isIP(address) === 0 ? undefined : address;
}

/** How the settings identify clients. */
export interface Clients {
  readonly addressOf: ClientAddress;
  readonly isTrusted: IsTrustedClient;
}

export function identifyClients(trust: TrustProxy): Clients {
  return { addressOf: createClientAddress(trust), isTrusted: createTrustCheck(trust) };
}

/** Whether a request comes from this machine or from an address that the settings trust. */
export type IsTrustedClient = (request: IncomingMessage) => boolean;

const FORWARDED =
  /^(?:forwarded|via|x-forwarded(?:-.+)?|x-(?:real|client|cluster-client|original)-.*|(?:true|cf|fastly)-.*)$/;

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/**
 * Creates a check for trusted clients. A forwarded request is trusted only if all addresses in `X-Forwarded-For` are,
 * since clients can send any header. If the setting is a number of proxies, only this machine is trusted.
 */
export function createTrustCheck(trust: TrustProxy): IsTrustedClient {
  const isTrusted = trust.kind === 'addresses' ? compileTrust(trust.addresses) : () => false;
  return (request) => {
    const socket = request.socket.remoteAddress ?? '';
    const isForwarded = Object.keys(request.headers).some((name) => FORWARDED.test(name));
    if (!isForwarded) return isLoopback(socket) || isTrusted(socket, 0);
    // The last address is the client's, or the first untrusted one.
    const [, ...addresses] = all(request, isTrusted);
    return addresses.length > 0 && isTrusted(addresses.at(-1) ?? '', addresses.length);
  };
}

export function isLoopback(address: string): boolean {
  const kind = isIP(address);
  return kind !== 0 && loopback.check(address, kind === 4 ? 'ipv4' : 'ipv6');
}
