import { isIP } from 'node:net';
import { nameOf } from '@pinfold/core/internal';
import { compile } from 'proxy-addr';

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
