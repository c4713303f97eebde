import {
  type Attempt,
  type Duration,
  days,
  type Instant,
  instant,
  minutes,
  type RoleId,
  seconds,
} from '@pinfold/core';
import { MAX_UNSETTLED } from '@pinfold/core/adapter';
import fc from 'fast-check';
import { START } from '../fixtures/clock.ts';
import { aRoleId } from '../fixtures/roles.ts';
import { editedTexts } from '../sequences/edits.ts';
import { nearTexts, someOf } from '../sequences/values.ts';

export type Who = Pick<Attempt, 'role' | 'address'>;
export type Limits = Pick<Attempt, 'perAddress' | 'perRole'>;

export interface Values {
  readonly roles: readonly RoleId[];
  readonly addresses: readonly string[];
}

const ROLE = aRoleId(1);
const ROLES = [ROLE, `${ROLE.slice(0, -1)}0`, `f${ROLE.slice(1)}`, ROLE.slice(0, -1), aRoleId(2)] as RoleId[];
/** Each list has addresses that are nearly one. */
export const ADDRESSES: readonly (readonly string[])[] = [
  ['192.0.2.1', '192.0.2.10', '192.0.2.01', '192.0.2.1 ', '1192.0.2.1', '192.0.2', 'from 192.0.2.1'],
  ['2001:db8::/64', '2001:DB8::/64', '2001:db8:1:2::/64', '2001:db8:1:3::/64', '2001:db8::/640', '::/64'],
  [100, 300].flatMap((length) => ['x', 'y', 'xx'].map((end) => `${'2001:db8:'.repeat(length / 10)}${end}`)),
  ['', ' ', '\t', '\n', '\0', '\u00a0', ':', '::', '%', '_', '\\'],
  ['\u{1f310}', '\u{1f311}', '\u{1f30f}', '\ufffd', '?', '', '\u{1f310}\ufe0f'],
  ['é', 'é'.normalize('NFD'), 'É', 'e', '１', '1', 'ﬁ', 'fi'],
  ['fe80::1%n\u00e9', 'fe80::1%ne\u0301', '2001:db8::/64', '2001:0db8:0:0::/64', '0\u0000', '0'],
  ['0', '00', '0.0', '-0', "'0", '"0"', "0'", 'null', 'undefined', '[]', '__proto__'],
  // With the end of a role, or as what may stand for all of them.
  ['x', `${ROLE.slice(-1)}x`, ':x', ROLE, '', '*', 'all', 'role', '-', 'NULL'],
  ['192.0.2.1', '192.0.2.1:80', '192.0.2.1, 192.0.2.2', '192.0.2.1/32', '::ffff:192.0.2.1', '192.0.2.001'],
  ['::1', '[::1]', '0:0:0:0:0:0:0:1', '::0001', '::1%1', '::1/64', '::1/56', '::01'],
];
/** Texts of which others are one edit away. */
const EDITED = ['192.0.2.1', '2001:db8:12:34::/64', `2001:db8:${'1234:'.repeat(20)}:`, 'a'.repeat(64), 'x y'];
export const ERAS: readonly Instant[] = [
  1_000,
  START,
  2_147_483_560_000,
  4_294_967_200_000,
  Date.UTC(2150, 0, 1),
].map(instant);
export const MANY: number = 2 ** 32;

export const who = ({ roles, addresses }: Values): fc.Arbitrary<Who> =>
  fc.record({ role: fc.constantFrom(...roles), address: fc.constantFrom(...addresses) });
export const limits: fc.Arbitrary<Limits> = fc.record({
  perAddress: fc.constantFrom(1, 2, 3, MANY),
  perRole: fc.constantFrom(1, 2, 4, 8, MANY),
});
export const window: fc.Arbitrary<Duration> = fc.constantFrom<Duration[]>(
  1 as Duration,
  seconds(30),
  MAX_UNSETTLED,
  minutes(5),
  minutes(5),
  300_001 as Duration,
  days(1),
  days(60),
  days(400),
);

export const values: fc.Arbitrary<Values> = fc.record({
  roles: fc.oneof({ weight: 3, arbitrary: someOf(ROLES, 3, 1) }, editedTexts(ROLE)) as fc.Arbitrary<RoleId[]>,
  addresses: fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(...ADDRESSES).chain((near) => someOf(near, 5)) },
    { weight: 1, arbitrary: nearTexts },
    { weight: 2, arbitrary: fc.constantFrom(...EDITED).chain(editedTexts) },
  ),
});
