import { MAX_RANK } from '../adapter/pages.ts';
import type { AccountUse } from '../domain/account.ts';
import { type AdmissionRequest, checkAdmission, hasQuota, publicationLimitsOf } from '../domain/admission.ts';
import type { AccountId, Sha256 } from '../domain/identity.ts';
import type { Instant } from '../domain/instant.ts';
import type { NameRecord, NamesInUse, PinName } from '../domain/name.ts';
import type { Takedown } from '../domain/takedown.ts';
import { lt } from '../records/conditions.ts';
import { all, nothing, type Step, type Steps } from '../records/step.ts';
import { aggregate, find, getWith, type Joined, type Totals } from '../records/steps.ts';
import type { AccountRow } from '../records/tables/account-tables.ts';
import { NAMES, ROLES, TAKEDOWNS } from '../records/tables/role-tables.ts';

const BAN = ['id'] as const;
const SHOWN = { role: ['id', 'passwordHash'] } as const;

/** Finds a takedown that forbids this content. */
export function findBan(sha256: Sha256): Step<readonly Pick<Takedown, 'id'>[], 'read'> {
  return find(TAKEDOWNS, { sha256, liftedAt: null }, { limit: 1, select: BAN });
}

/** Counts the publications of an account that are in service at an instant, for {@link inServiceOf}. */
export function countInService(account: AccountId, now: Instant): Step<Totals, 'read'> {
  // The rank covers roles without an end and roles that end later in one range of an index.
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

/** The columns of a name for {@link moveName}. */
const POINTED = ['token', 'role'] as const;

/** Makes the row of a name that shows another role. An existing name keeps its token. */
export function moveName(
  known: Pick<NameRecord, (typeof POINTED)[number]> | undefined,
  record: Omit<NameRecord, 'previous'>,
): NameRecord {
  if (known === undefined) return { ...record, previous: null };
  return { ...record, token: known.token, previous: known.role };
}

/** A publication to admit. */
interface Candidate extends Omit<AdmissionRequest, 'isNamed'> {
  readonly account: AccountId;
  readonly name: PinName | undefined;
}

/** The columns of an account for {@link admit}. */
export const ADMITTING = ['blocked', 'limits', 'publicationsMark'] as const;

type Admitting = Pick<AccountRow, (typeof ADMITTING)[number]>;

/** The facts for an admission that do not depend on the row of the account. */
export interface AdmissionFacts {
  readonly isForbidden: boolean;
  readonly inService: Pick<AccountUse, 'sites' | 'bytes'> | undefined;
  readonly names: NamesInUse;
  /** The name, if it exists. */
  readonly named: Pick<NameRecord, (typeof POINTED)[number]> | undefined;
}

/** Wraps the reading steps of an admission: `unlocked` makes them run without the locks of their rows. */
type ReadWrapper = <Result>(step: Step<Result, 'read'>) => Step<Result, 'read'>;

/** Reads {@link AdmissionFacts}, concurrently with the row of the account. */
export function* readAdmission(
  { account, sha256, now, limits, name }: Candidate,
  wrap: ReadWrapper = (step) => step,
): Steps<AdmissionFacts, 'read'> {
  const [bans, used, found] = yield* wrap(
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

/** Decides whether a publication is admitted. Reads more only if the account has a quota of its own. */
export function* admit(
  owner: Admitting | undefined,
  candidate: Candidate,
  facts: AdmissionFacts,
  wrap: ReadWrapper = (step) => step,
): Steps<ReturnType<typeof checkAdmission>, 'read'> {
  const { account, now, limits, name } = candidate;
  const isCounted = facts.inService === undefined && hasQuota(publicationLimitsOf(owner, limits));
  const inService = isCounted ? inServiceOf(yield* wrap(countInService(account, now))) : facts.inService;
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
