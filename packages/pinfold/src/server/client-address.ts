import { isIP } from 'node:net';
import type { ClientAddress } from '@pinfold/http';
import { socketAddress } from '@pinfold/http/internal';
import proxyAddress, { compile } from 'proxy-addr';
import type { TrustProxy } from '../settings/trust-proxy.ts';

/**
 * The client's address, as far as the trusted proxies tell it in `X-Forwarded-For`; else the socket's. It governs
 * nothing but the address: scheme and host come from the settings.
 */
export function clientAddress(trust: TrustProxy): ClientAddress {
  if (trust.kind === 'none') return socketAddress;
  const isTrusted =
    trust.kind === 'hops'
      ? (_address: string, distance: number) => distance < trust.count
      : compile([...trust.addresses]);
  return (request) => withoutPort(proxyAddress(request, isTrusted)) ?? socketAddress(request);
}

/** Some proxies write the client's port behind its address. */
function withoutPort(text: string): string | undefined {
  if (isIP(text) !== 0) return text;
  const [, bracketed, plain] = /^(?:\[(.+)\]|([^:]+))(?::\d{1,5})?$/.exec(text) ?? [];
  const address = bracketed ?? plain ?? '';
  return isIP(address) === 0 ? undefined : address;
}
