import { MAX_RANK } from '../adapter/pages.ts';
import type { AccountUse } from '../domain/account.ts';
import { type AdmissionRequest, checkAdmission, hasQuota, publicationLimitsOf } from '../domain/admission.ts';
import type { AccountId } from '../domain/identity.ts';
import type { Instant } from '../domain/instant.ts';
import type { NameRecord, NamesInUse, PinName } from '../domain/name.ts';
import type { Sha256 } from '../domain/sha256.ts';
import type { Takedown } from '../domain/takedown.ts';
import { lt } from '../records/conditions.ts';
import { all, nothing } from '../records/joining.ts';
import type { Step, Steps } from '../records/step.ts';
import { aggregate, find, getWith, type Joined, type Totals } from '../records/steps.ts';
import type { AccountRow } from '../records/tables/account-tables.ts';
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

/** A publication that asks to be admitted. */
export interface Candidate extends Omit<AdmissionRequest, 'isNamed'> {
  readonly account: AccountId;
  readonly name: PinName | undefined;
}

/** The columns of an account by which its publications are admitted. */
export const ADMITTING = ['blocked', 'limits', 'publicationsMark'] as const;

type Admitting = Pick<AccountRow, (typeof ADMITTING)[number]>;

/** What an admission looks at that needs no row of the account. */
export interface AdmissionRead {
  readonly isForbidden: boolean;
  readonly inService: Pick<AccountUse, 'sites' | 'bytes'> | undefined;
  readonly names: NamesInUse;
  /** The name, if it exists. */
  readonly named: Pick<NameRecord, (typeof POINTED)[number]> | undefined;
}

/** How steps are asked: under the locks of their rows or, by `unlocked`, without. */
export type Asking = <Result>(step: Step<Result, 'read'>) => Step<Result, 'read'>;

/** Looks up what an admission needs: beside the row of the account. */
export function* readAdmission(
  { account, sha256, now, limits, name }: Candidate,
  ask: Asking = (step) => step,
): Steps<AdmissionRead, 'read'> {
  const [bans, used, found] = yield* ask(
    all(
      findBan(sha256),
      hasQuota(limits) ? countInService(account, now) : nothing,
      name === undefined ? nothing : countNames(account, name, POINTED),
    ),
  );
  return {
    isForbidden: bans.length > 0,
    inService: used && inServiceOf(used),
    names: found === undefined ? { count: 0, shown: undefined } : namesInUseOf(found),
    named: found?.[1]?.row,
  };
}

/** Decides whether a publication is admitted; only a quota of the account itself has to be looked up for that. */
export function* admit(
  owner: Admitting | undefined,
  candidate: Candidate,
  facts: AdmissionRead,
  ask: Asking = (step) => step,
): Steps<ReturnType<typeof checkAdmission>, 'read'> {
  const { account, now, limits, name } = candidate;
  const isCounted = facts.inService === undefined && hasQuota(publicationLimitsOf(owner, limits));
  const inService = isCounted ? inServiceOf(yield* ask(countInService(account, now))) : facts.inService;
  return checkAdmission(
    owner,
    { ...candidate, isNamed: name !== undefined },
    {
      isForbidden: () => facts.isForbidden,
      inService: () => inService ?? { sites: 0, bytes: 0 },
      names: () => facts.names,
    },
  );
}
