import type { Sha256 } from '@pinfold/core';

export const ZERO_HASH = '0e1'.padEnd(64, '0') as Sha256;
/** Hashes that a comparison as numbers, without case or by prefix would confuse with `ZERO_HASH`. */
export const NEARLY_ZERO_HASH = [
  ...['0E1', '0e2'].map((begin) => begin.padEnd(64, '0')),
  ...[ZERO_HASH.slice(0, -1), '0', '', '%'],
] as Sha256[];

/** A typical hash, in which all digits count. */
export const ALIKE_HASH = '3f9a0c7be1d845260b9d7f13ca68e254970e1bd3c6a2f8450d9b3e71a5c8f624' as Sha256;

/** A hash that differs in one digit. */
export function withAnother(hash: Sha256, place: number): Sha256 {
  const digit = hash[place] === '7' ? '8' : '7';
  return `${hash.slice(0, place)}${digit}${hash.slice(place + 1)}` as Sha256;
}
