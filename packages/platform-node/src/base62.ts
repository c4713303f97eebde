import { randomBytes } from 'node:crypto';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** So many random bytes as one number in base 62, filled up with zeros to the digits that the greatest needs. */
export function randomBase62(bytes: number): string {
  const length = Math.ceil((bytes * 8) / Math.log2(DIGITS.length));
  let number = BigInt(`0x${randomBytes(bytes).toString('hex')}`);
  let text = '';
  while (text.length < length) {
    text = DIGITS.charAt(Number(number % 62n)) + text;
    number /= 62n;
  }
  return text;
}
