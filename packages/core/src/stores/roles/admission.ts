import type { AccountUse } from '../../domain/account.ts';
import {
  type AdmissionRequest,
  hasQuota,
  publicationLimitsOf,
  refuseAdmission,
} from '../../domain/admission.ts';
import type { AccountId } from '../../domain/identity.ts';
import type { NameRecord, NamesInUse, PinName } from '../../domain/name.ts';
import { all, nothing } from '../../records/joining.ts';
import type { Step, Steps } from '../../records/step.ts';
import type { AccountRow } from '../../records/tables/account-tables.ts';
import {
  countInService,
  countNames,
  findBan,
  inServiceOf,
  namesInUseOf,
  POINTED,
} from '../admission-reads.ts';

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
): Steps<ReturnType<typeof refuseAdmission>, 'read'> {
  const { account, now, limits, name } = candidate;
  const isCounted = facts.inService === undefined && hasQuota(publicationLimitsOf(owner, limits));
  const inService = isCounted ? inServiceOf(yield* ask(countInService(account, now))) : facts.inService;
  return refuseAdmission(
    owner,
    { ...candidate, isNamed: name !== undefined },
    {
      isForbidden: () => facts.isForbidden,
      inService: () => inService ?? { sites: 0, bytes: 0 },
      names: () => facts.names,
    },
  );
}
