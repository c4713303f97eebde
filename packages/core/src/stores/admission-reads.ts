import { MAX_RANK } from '../adapter/pages.ts';
import type { AccountUse } from '../domain/account.ts';
import type { AccountId } from '../domain/identity.ts';
import type { Instant } from '../domain/instant.ts';
import type { NameRecord, NamesInUse, PinName } from '../domain/name.ts';
import type { Sha256 } from '../domain/sha256.ts';
import type { Takedown } from '../domain/takedown.ts';
import { lt } from '../records/conditions.ts';
import { all } from '../records/joining.ts';
import type { Step } from '../records/step.ts';
import { aggregate, find, getWith, type Joined, type Totals } from '../records/steps.ts';
import { NAMES, ROLES, TAKEDOWNS } from '../records/tables/role-tables.ts';

const BAN = ['id'] as const;
const SHOWN = { role: ['id', 'passwordHash'] } as const;

/** Reads a takedown that forbids a content, if there is any. */
export function findBan(sha256: Sha256): Step<readonly Pick<Takedown, 'id'>[], 'read'> {
  return find(TAKEDOWNS, { sha256, liftedAt: null }, { limit: 1, select: BAN });
}

/** Counts the publications of an account that are in service at an instant, for {@link inServiceOf}. */
export function countInService(account: AccountId, now: Instant): Step<Totals, 'read'> {
  // By their ranks, those without an end and those that end later are one part of an index.
  const endingRank = lt(MAX_RANK - now);
  return aggregate(ROLES, { account, deletedAt: null, endingRank }, 'archiveBytes');
}

export function inServiceOf({ count, sum }: Totals): Pick<AccountUse, 'sites' | 'bytes'> {
  return { sites: count, bytes: sum };
}

type CountedNames<Selected extends keyof NameRecord> = readonly [
  totals: Totals,
  named: Joined<typeof NAMES, typeof SHOWN, Selected> | undefined,
];

/** Counts the names of an account, and reads one of them with the role that it shows, for {@link namesInUseOf}. */
export function countNames<Selected extends keyof NameRecord>(
  account: AccountId,
  name: PinName,
  select: readonly Selected[],
): Step<CountedNames<Selected>, 'read'> {
  return all(aggregate(NAMES, { account }), getWith(NAMES, { account, name }, SHOWN, select));
}

export function namesInUseOf([{ count }, named]: CountedNames<never>): NamesInUse {
  const shown = named?.references.role;
  return { count, shown: shown && { id: shown.id, isProtected: shown.passwordHash !== null } };
}

/** The columns of a name for {@link pointedName}. */
export const POINTED = ['token', 'role'] as const;

/** The row of a name that shows another role from now on. One that exists keeps its token. */
export function pointedName(
  known: Pick<NameRecord, (typeof POINTED)[number]> | undefined,
  record: Omit<NameRecord, 'previous'>,
): NameRecord {
  if (known === undefined) return { ...record, previous: null };
  return { ...record, token: known.token, previous: known.role };
}
