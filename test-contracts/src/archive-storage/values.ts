import type { ArchiveId, Instant } from '@pinfold/core';
import { archiveIdOf, MAX_READ } from '@pinfold/core/adapter';
import fc from 'fast-check';
import { START } from '../fixtures/clock.ts';
import { someBytes } from '../fixtures/staged.ts';

/** An id that is used once, with the size and the pattern of its bytes. */
export type Archive = readonly [id: ArchiveId, content: readonly [size: number, kind: number]];

export interface Values {
  readonly archives: readonly Archive[];
}

const oneOf = fc.constantFrom;

/** A few of some values, in any order. */
function someOf<Value>(all: readonly Value[], max: number, min: number): fc.Arbitrary<Value[]> {
  return fc.shuffledSubarray([...new Set(all)], { minLength: min, maxLength: max });
}

const UUIDS = ['0', '1', '9', 'a', 'f'].flatMap((digit) => [
  `${digit.repeat(8)}-0000-4000-8000-000000000000`,
  `00000000-0000-4000-8000-${digit.padStart(12, '0')}`,
  `00000000-0000-4000-8000-${digit.padEnd(12, '0')}`,
]);
const uuidOf = (digit: string): string => [8, 4, 4, 4, 12].map((length) => digit.repeat(length)).join('-');
const idsAt = (moments: readonly number[], uuids: readonly string[]): ArchiveId[] =>
  moments.flatMap((at) => uuids.map((uuid) => archiveIdOf(at as Instant, uuid)));
/** Each list has ids that are similar, or that sort differently in some stores. */
const IDS = [
  idsAt([START], UUIDS),
  idsAt([START - 1, START, START + 1, START + 10, START + 1_000, START + 1_000_000], UUIDS.slice(2, 5)),
  idsAt([0, 1, 10, 4_294_967_296, 2_147_483_648_000, START, 9_999_999_999_999], UUIDS.slice(2, 4)),
  // The first and the last of all are among them.
  idsAt([0, START, 9_999_999_999_999], [uuidOf('0'), uuidOf('f'), uuidOf('8')]),
];
/** Ids that differ from another one by a digit at any position. */
const NEAR = fc
  .tuple(oneOf(0, 1, START, 4_294_967_296_000, 9_999_999_999_999), fc.uuid(), fc.infiniteStream(fc.nat()))
  .map(([at, uuid, numbers]) => {
    const ids = [archiveIdOf(at as Instant, uuid)];
    const next = (max: number): number => Number(numbers.next().value) % max;
    for (let n = 0; n < 12; n += 1) {
      const digits = [...(ids[next(ids.length)] as ArchiveId)];
      const place = next(digits.length);
      if (digits[place] !== '-') digits[place] = next(place < 13 ? 10 : 16).toString(16);
      ids.push(digits.join('') as ArchiveId);
    }
    return [...new Set([...ids, ...(IDS[0] as ArchiveId[])])].slice(0, 12);
  });
const BLOCKS = [512, 1_024, 4_096, 8_192, 16_384, 32_768, 65_536, 131_072, 262_144];
const SIZES = [
  ...[0, 1, 2, 3, 100, 100_000],
  ...BLOCKS.flatMap((size) => [size - 1, size, size + 1]),
  ...[-1, 0, 1, 4_097].map((more) => MAX_READ + more),
];
/** After the end of every range. */
const WHOLE = Number.MAX_SAFE_INTEGER;
/** Below zero, counted from the end. */
const PLACES = [...SIZES, -1, -2, -512, -4_096, WHOLE];
export const LIMITS: readonly number[] = [
  ...[0, 1, 2, 3, 5, 1_000, 1_001],
  ...[2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER],
];
/** Bytes that a backend might change or cut: blanks, invalid UTF-8, texts that encode bytes, compressed bytes. */
const PATTERNS = [
  ...[[0], [32], [10], [0xff], [13, 10, 10, 32, 26], [0, 1], [0xef, 0xbb, 0xbf, 0xff, 0xc3, 0x28]],
  ...['\\x4142', 'QUJD', "'%41+", 'data:,a', '0'].map((text) => [...Buffer.from(text)]),
  ...['1f8b0800', '504b0304', '28b52ffd', 'fffe4100'].map((begin) => [...Buffer.from(begin, 'hex')]),
];
/** Bytes of a pattern, or mostly pseudorandom bytes. */
export function bytesOf([, [size, kind]]: Archive): Uint8Array {
  const pattern = PATTERNS[kind];
  return pattern === undefined
    ? someBytes(size, 1)
    : new Uint8Array(Buffer.alloc(size, Uint8Array.from(pattern)));
}

export const anArchive = ({ archives }: Values): fc.Arbitrary<Archive> => oneOf(...archives);
export const anId = (values: Values): fc.Arbitrary<ArchiveId> => anArchive(values).map(([id]) => id);
export const anEnd = (values: Values): fc.Arbitrary<ArchiveId | undefined> =>
  fc.option(anId(values), { nil: undefined });
const anyRange = fc.tuple(oneOf(...PLACES), oneOf(...PLACES));
/** A range within an archive, from two ends in any order. */
export function within([, [size]]: Archive, ends: readonly [number, number]): readonly [number, number] {
  const [from = 0, to = 0] = ends
    .map((at) => Math.max(0, Math.min(at < 0 ? size + at : at, size)))
    .toSorted((one, other) => one - other);
  return [from, Math.min(to - from, MAX_READ)];
}
export const aRange = (values: Values): fc.Arbitrary<[ArchiveId, number, number]> =>
  fc.tuple(anArchive(values), anyRange).map(([archive, ends]) => [archive[0], ...within(archive, ends)]);
/** Few archives, so that calls meet: with similar ids and bytes. */
export const values: fc.Arbitrary<Values> = fc
  .oneof(oneOf(...IDS), NEAR)
  .chain((near) => someOf(near, 8, 6))
  .chain((ids) => {
    const kinds = fc.nat({ max: 2 * PATTERNS.length });
    const contents = fc.array(fc.tuple(fc.nat({ max: 4 }), kinds), {
      minLength: ids.length,
      maxLength: ids.length,
    });
    return fc.tuple(someOf(SIZES, 4, 4), contents).map(([some, all]) => {
      const sizes = [0, ...some];
      const archives = ids.map((id, n): Archive => {
        const [size = 0, kind = 0] = all[n] ?? [];
        return [id, [sizes[size] ?? 0, kind]];
      });
      return { archives };
    });
  });
