import type { Sha256 } from '@pinfold/core';
import fc from 'fast-check';
import { nearTexts } from '../fixtures/roles.ts';
import { someOf } from '../sequences/values.ts';

export const ZERO_HASH = '0e1'.padEnd(64, '0') as Sha256;
/** Hashes that a comparison as numbers, without case or by prefix would take for `ZERO_HASH`. */
export const NEARLY_ZERO_HASH = [
  ...['0E1', '0e2'].map((begin) => begin.padEnd(64, '0')),
  ...[ZERO_HASH.slice(0, -1), '0', '', '%'],
] as Sha256[];

/** A hash as most are: all digits of it count. */
export const ALIKE_HASH = '3f9a0c7be1d845260b9d7f13ca68e254970e1bd3c6a2f8450d9b3e71a5c8f624' as Sha256;

/** A hash that differs in one digit. */
export function withAnother(hash: Sha256, place: number): Sha256 {
  const digit = hash[place] === '7' ? '8' : '7';
  return `${hash.slice(0, place)}${digit}${hash.slice(place + 1)}` as Sha256;
}

/** The digit in which the session of a link differs from it: those of links are the same there. */
const OWN = 40;

/** The hash of the session that a link begins, which no other has. */
export function begunBy(link: Sha256): Sha256 {
  return `${link.slice(0, OWN)}c${link.slice(OWN + 1)}` as Sha256;
}

const oneOf = fc.constantFrom;
const digit = fc.nat({ max: 63 }).filter((place) => place !== OWN);

const HASHES = ['0', '9', 'a', 'f', '0e1', '0e2', '1e3', '00', 'ab', '10', '9f'].flatMap((text) => [
  text.padEnd(64, '0'),
  text.padStart(64, '0'),
  text.padStart(16, 'a').padEnd(64, 'b'),
]) as Sha256[];

/** Hashes of which many differ in one digit alone. */
export const nearHashes: fc.Arbitrary<Sha256[]> = fc
  .tuple(
    oneOf(ALIKE_HASH, ...HASHES),
    someOf(HASHES, 8, 3),
    fc.uniqueArray(digit, { maxLength: 6, minLength: 3 }),
  )
  .chain(([base, others, places]) =>
    fc.shuffledSubarray([...new Set([base, ...others, ...places.map((place) => withAnother(base, place))])], {
      minLength: 6,
    }),
  );

/** Characters before, between and after the digits. */
export const PLACES: readonly string[] = ['', ...' /0:@AG`afg~\u00e9\uffff\u{1f9ed}'];

/** A hash that is one, or nearly. */
export function perhapsAnother(one: Sha256): fc.Arbitrary<Sha256> {
  const begun = [0, 1, 16, 32, 63].map((length) => one.slice(0, length));
  const longer = [`0x${one}`, `${one}%`, one.repeat(2)];
  const near = [...nearTexts(one), one.slice(32), ...begun, ...longer] as Sha256[];
  return fc.oneof(
    { weight: 4, arbitrary: oneOf(one) },
    { weight: 2, arbitrary: oneOf(...near) },
    { weight: 1, arbitrary: digit.map((place) => withAnother(one, place)) },
  );
}
