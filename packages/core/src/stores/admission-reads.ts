import { MOST_RANK } from '../adapter/pages.ts';
import type { AccountUse } from '../domain/account.ts';
import type { Sha256 } from '../domain/idempotency.ts';
import type { AccountId } from '../domain/identity.ts';
import type { Instant } from '../domain/instant.ts';
import type { NameRecord, NamesInUse, PinName } from '../domain/name.ts';
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
  const endingRank = lt(MOST_RANK - now);
  return aggregate(ROLES, { account, deletedAt: null, endingRank }, 'archiveBytes');
}

export function inServiceOf({ count, sum }: Totals): Pick<AccountUse, 'sites' | 'bytes'> {
  return { sites: count, bytes: sum };
}

type Named = Joined<typeof NAMES, typeof SHOWN> | undefined;
type CountedNames = readonly [totals: Totals, named: Named];

/** Counts the names of an account, and reads one of them with the role that it shows, for {@link namesInUseOf}. */
export function countNames(account: AccountId, name: PinName): Step<CountedNames, 'read'> {
  return all(aggregate(NAMES, { account }), getWith(NAMES, { account, name }, SHOWN));
}

export function namesInUseOf([{ count }, named]: CountedNames): NamesInUse {
  const shown = named?.references.role;
  return { count, shown: shown && { id: shown.id, isProtected: shown.passwordHash !== null } };
}

/** The row of a name that shows a role from now on. One that exists keeps its token. */
export function pointedName(known: NameRecord | undefined, record: Omit<NameRecord, 'previous'>): NameRecord {
  if (known === undefined) return { ...record, previous: null };
  const previous = known.role === record.role ? known.previous : known.role;
  return { ...record, token: known.token, previous };
}
