import { isIP } from 'node:net';

/**
 * What counts as one client: an IPv4 address, also one mapped into IPv6, or the /64 that an IPv6 client has to
 * itself. What is no address counts as it is.
 */
export function clientOf(address: string): string {
  const bare = address.replace(/%.*/s, '');
  if (isIP(bare) !== 6) return bare;
  // However it is written (RFC 4291, section 2.2), a URL writes it in one way, in hexadecimal groups alone.
  const { hostname } = new URL(`http://[${bare}]`);
  const [front = [], back = []] = hostname.split('::').map((part) => part.match(/[\da-f]+/g) ?? []);
  const groups = [...front, ...Array<string>(8 - front.length - back.length).fill('0'), ...back];
  if (groups.slice(0, 6).join(':') !== '0:0:0:0:0:ffff') return `${groups.slice(0, 4).join(':')}::/64`;
  const bytes = groups.slice(6).map((group) => group.padStart(4, '0'));
  return Buffer.from(bytes.join(''), 'hex').join('.');
}
