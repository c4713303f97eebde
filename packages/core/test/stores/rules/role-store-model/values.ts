import {
  type AccountId,
  type CleanupOutcome,
  type Comparison,
  duration,
  type Fingerprint,
  type IdempotencyKey,
  type Instant,
  type PublicationLimits,
  type RemovalClock,
  type Reservation,
  type Sha256,
  type Title,
  type Token,
  type Warning,
} from '@pinfold/core';
import { foldForSearch, parseRate } from '@pinfold/core/internal';
import { anArchiveId, aRoleId, aSha256 } from '@pinfold/test-contracts/fixtures';
import {
  changedTexts,
  editedTexts,
  LATEST,
  nearInstants,
  nearTexts,
  someOf,
} from '@pinfold/test-contracts/internal';
import fc from 'fast-check';
import type { Made } from './notes.ts';

export interface Values {
  readonly accounts: readonly AccountId[];
  readonly keys: readonly IdempotencyKey[];
  readonly fingerprints: readonly Fingerprint[];
  readonly texts: readonly string[];
  readonly instants: readonly Instant[];
  readonly publications: PublicationLimits['publications'];
  /** One or all: of roles that wait equally long a claim may take any. */
  readonly claimed: 1 | 100;
}

/** Keys that are nearly the first of their list. */
const KEYS = [
  ['key', 'KEY', 'Key', 'key ', ' key', 'ke', 'keyx', 'k%y', 'k_y', 'k*y', 'key\\', '"key"', "key'"],
  ['1', '01', '1.0', '1e0', '+1', '1 ', '1_'],
  ['null', 'undefined', '__proto__', '{}', '0'],
  ['1', '2', 'A', 'a', 'aa'].map((end) => end.padStart(255, 'a')),
] as [IdempotencyKey, ...IdempotencyKey[]][];

/** Keys that stay free longer, for there are so many. */
const OTHER_KEYS = ['m', 'n', 'o', 'p', 'q', 'r'] as IdempotencyKey[];

/** Accounts and keys that are the same when they are joined. */
const JOINED = [
  [':', '/'],
  [' ', ''],
  [',', '","'],
].map((all) => ({
  accounts: ['a', ...all.map((by) => `a${by}b`)] as AccountId[],
  keys: ['c', ...all.map((by) => `b${by}c`)] as IdempotencyKey[],
}));

/** So few that the next holder of a key often has nearly the token of the one before. */
const TOKENS = Array.from({ length: 12 }, (_, n) => `t${n}`).flatMap(
  (text) => [text, text.toUpperCase(), `${text} `, ` ${text}`, `${text}x`] as Token[],
);

/** Some of them are no 32 bits, or no exact float of 32 bits. */
const COUNTS = [0, 1, 999, 16_777_217, 2_147_483_648, 4_294_967_297, 1_099_511_627_777];

/** More than the instants of one run lie after those they were made from. */
const SPAN = 600_000;

const atMost255 = (text: string): string => [...text].slice(0, 255).join('');

const oneOf = fc.constantFrom;
const few = <Value>(all: fc.Arbitrary<Value[]>): fc.Arbitrary<Value[]> => all.map((each) => each.slice(0, 3));

const nearKeys = fc
  .oneof(
    { weight: 3, arbitrary: oneOf(...KEYS.slice(0, 1)) },
    { weight: 3, arbitrary: oneOf(...KEYS.slice(1)) },
  )
  .chain(([first, ...others]) => someOf(others, 3).map((some) => [first, ...some]));

/** A text with others that are one edit away, of those that fit. */
const editedOf = <Text extends string>(all: readonly string[], fits: RegExp): fc.Arbitrary<Text[]> =>
  oneOf(...all)
    .chain(editedTexts)
    .map((texts) => texts.filter((each) => fits.test(each) && [...each].length <= 255) as Text[]);
const editedKeys = editedOf<IdempotencyKey>(['release 1', 'b'.repeat(250), 'Key:1/2'], /^[ -~]+$/);
const editedAccounts = editedOf<AccountId>(
  ['team-7', 'Équipe 7', '\u0f40'.repeat(250)],
  /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+$/u,
);

const names = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      accounts: few(nearTexts) as fc.Arbitrary<AccountId[]>,
      keys: nearKeys,
    }),
  },
  { weight: 1, arbitrary: oneOf(...JOINED) },
  { weight: 3, arbitrary: fc.record({ accounts: few(editedAccounts), keys: editedKeys }) },
);

export const values: fc.Arbitrary<Values> = fc
  .record({
    names,
    fingerprints: fc
      .tuple(oneOf('', 'x'.repeat(300)), nearTexts)
      .map(([start, texts]) => texts.slice(0, 2).map((each) => `${start}${each}` as Fingerprint)),
    texts: fc.tuple(few(nearTexts), changedTexts).map((both) => both.flat()),
    // Roles and claims have instants of their own, seconds after these.
    instants: nearInstants.map((all) => all.map((at) => (at > LATEST - SPAN ? at - SPAN : at) as Instant)),
    publications: oneOf(
      null,
      null,
      ...['1/1s', '3/1m', '7/1s', '5/30d', '2/1h'].map((rate) => parseRate(rate) as never),
    ),
    claimed: oneOf<(1 | 100)[]>(1, 100),
  })
  .map(({ names: { accounts, keys }, ...rest }) => ({ accounts, keys: [...keys, ...OTHER_KEYS], ...rest }));

export const token: fc.Arbitrary<Token> = oneOf(...TOKENS);

export const instant = ({ instants }: Values): fc.Arbitrary<Instant> =>
  fc.tuple(oneOf(...instants), fc.nat({ max: 5 })).map(([at, n]) => (at + 1_000 * n) as Instant);

const text = ({ texts }: Values): fc.Arbitrary<string> => oneOf(...texts);

const title = ({ texts }: Values): fc.Arbitrary<Title | null> =>
  oneOf(null, ...(texts.filter((each) => each !== '' && !/\p{Cc}/u.test(each)) as Title[]));

export const limits = ({ publications }: Values): fc.Arbitrary<PublicationLimits> =>
  fc.record({
    publications: fc.constant(publications),
    sites: oneOf(null, null, null, 0, 1, 2, 4_294_967_297),
    bytes: oneOf(null, null, null, null, null, ...COUNTS),
    names: oneOf(null, 0, 1_000),
  });

const sha256 = oneOf(...[1, 2, 16, 255].map(aSha256), 'f'.repeat(64) as Sha256);

export const reservation = (given: Values): fc.Arbitrary<Reservation> =>
  fc.record({
    account: oneOf(...given.accounts),
    key: oneOf(...given.keys),
    fingerprint: oneOf(...given.fingerprints),
    token,
    archiveBytes: oneOf(...COUNTS),
    sha256,
    limits: limits(given),
    now: instant(given),
    until: instant(given),
  });

const warning = (given: Values): fc.Arbitrary<Warning> =>
  fc.oneof(
    fc.record({ rule: oneOf('broken_reference' as const), path: text(given), target: text(given) }),
    fc.record({ rule: oneOf('source_map' as const), path: text(given) }),
  );

export const made = (given: Values): fc.Arbitrary<Made> =>
  fc.record({
    title: title(given),
    originalFilename: title(given).map((each) => atMost255(each ?? 'site.zip')) as fc.Arbitrary<never>,
    sha256,
    fileCount: oneOf(1, 128, 500, 32_768, 100_000),
    size: oneOf(...COUNTS),
    archiveBytes: oneOf(...COUNTS),
    publishedAt: instant(given),
    expiresAt: oneOf(null, ...given.instants),
    deletedAt: fc.option(oneOf(...given.instants), { freq: 2 }),
    passwordHash: fc.option(text(given), { freq: 2 }) as fc.Arbitrary<never>,
    manifest: text(given) as fc.Arbitrary<never>,
    warnings: fc.array(warning(given), { maxLength: 4 }),
  });

export const change = (given: Values): fc.Arbitrary<Partial<Made>> =>
  fc.oneof(
    fc.record({ title: title(given) }),
    fc.record({ expiresAt: oneOf(null, ...given.instants) }),
    fc.record({ deletedAt: oneOf(...given.instants) }),
    fc.record({ passwordHash: fc.option(text(given), { freq: 2 }) as fc.Arbitrary<never> }),
    fc.constant({}),
  );

/** A part of what may be found, or all of it. */
export const search = (given: Values): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.oneof(
        title(given).map((each) => foldForSearch(each ?? '%')),
        fc.nat({ max: 8 }).map(aRoleId),
      ),
      fc.nat({ max: 30 }),
      oneOf(1, 2, 12, 500),
    )
    .map(([whole, from, length]) => {
      const letters = [...whole];
      return letters
        .slice((from % (letters.length + 8)) % letters.length)
        .slice(0, length)
        .join('');
    });

export const comparison = (given: Values): fc.Arbitrary<Comparison> => {
  const archives = fc.array(fc.nat({ max: 3 }).map(anArchiveId), { maxLength: 3 });
  return fc.record({
    savedAt: instant(given),
    isUnderWay: fc.boolean(),
    isRefused: fc.boolean(),
    upTo: fc.option(fc.nat({ max: 3 }).map(anArchiveId), { freq: 2 }),
    compared: oneOf(...COUNTS),
    unnamed: oneOf(...COUNTS),
    orphans: archives,
    missing: archives,
    removal: removalClock(given),
  });
};

const removalClock = (given: Values): fc.Arbitrary<RemovalClock> =>
  fc.record({
    reached: instant(given),
    boot: oneOf('a-boot', 'A-boot'),
    uptime: oneOf(...[1, 2, 600_000].map(duration)),
    steppedAt: fc.option(instant(given), { freq: 2 }),
  });

export const outcome = (given: Values): fc.Arbitrary<CleanupOutcome> =>
  fc.oneof(
    fc.constant({ kind: 'removed' as const }),
    fc.record({ kind: oneOf('failed' as const), retryAt: oneOf(...given.instants) }),
  );
