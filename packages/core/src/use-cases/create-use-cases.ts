import type { PublicationLimits } from '../domain/account.ts';
import type { AccountId } from '../domain/identity.ts';
import { type Limits, limitsInForce, type OwnLimits, withAccountLimits } from '../domain/limits.ts';
import { DEFAULT_NAME_LIMIT } from '../domain/name.ts';
import type { AllPorts } from '../ports/all-ports.ts';
import { type ArchiveReading, archiveReading } from './archive-reading.ts';
import { type Cancelling, cancelling } from './cancelling.ts';
import { type ChangePorts, type Changing, changing, type Granting, granting } from './changing.ts';
import { type Naming, type NamingPorts, naming } from './naming.ts';
import type { ProofOptions } from './prove-archive.ts';
import { type Publishing, publishing } from './publishing.ts';
import { type Reading, reading } from './reading.ts';
import { type PublicationOptions, showing } from './show-publication.ts';
import { type Open, opening } from './site-content.ts';
import { type Entering, entering } from './viewer-access.ts';

/** One implementation of every port. */
export type Ports = Pick<
  AllPorts,
  | 'roles'
  | 'accounts'
  | 'mode'
  | 'attempts'
  | 'staging'
  | 'archives'
  | 'inspector'
  | 'passwords'
  | 'grants'
  | 'takedowns'
  | 'names'
  | 'clock'
  | 'ids'
>;

/** Options of an embedding team, in addition to the limits. */
export interface UseCaseOptions extends PublicationOptions, ProofOptions {
  /** Quotas of accounts without quotas of their own, for all or by account. Default: no limit, but 1,000 names. */
  readonly quotas?: Quotas | undefined;
  /** Limits that differ by account. Called for each publication and renewal, which fail if it throws. Default: none. */
  readonly limitsOf?: ((account: AccountId) => OwnLimits | Promise<OwnLimits>) | undefined;
}

/**
 * The operations for accounts and viewers: functions of plain values, which they validate. They throw a TypeError for an
 * invalid or missing account, and refuse any other invalid value.
 */
export interface UseCases extends Publishing, Reading, Changing, Sharing, Entering {
  readonly open: Open;
  /** Receives uploads before they are published. */
  readonly staging: AllPorts['staging'];
  readonly clock: AllPorts['clock'];
  /** Reads the limits and the usage of an account. */
  readonly accounts: Pick<AllPorts['accounts'], 'load' | 'usedBy'>;
  /** Reads the mode, to refuse changes early. */
  readonly mode: Pick<AllPorts['mode'], 'load'>;
  /** The limits in force for accounts without limits of their own. */
  readonly limits: Limits;
  limitsOf(account: AccountId): Promise<Limits>;
  /** The quotas of an account without quotas of its own. */
  quotasOf(account: AccountId): Promise<PublicationLimits>;
}

/**
 * Creates the use cases, except those of `createSharing` (`@pinfold/core/sharing`), which the API and the viewer also need,
 * those of API keys and sessions (`@pinfold/core/accounts`), and the sweep (`@pinfold/core/cleaning`).
 *
 * @param limits override the defaults; `renewal` is `lifetime` unless given.
 * @throws TypeError when a limit is not a whole number of at least 0, or is larger than another limit permits.
 *
 * @example
 * import { createUseCases, days, type Ports } from '@pinfold/core';
 *
 * declare const ports: Ports, id: string;
 * const useCases = createUseCases(ports, { lifetime: days(30) });
 * await useCases.stop({ by: 'ada', id });
 */
export function createUseCases(
  ports: Ports,
  limits: Partial<Limits> = {},
  options: UseCaseOptions = {},
): Omit<UseCases, keyof Sharing> {
  const { limitsOf: own } = options;
  const inForce = limitsInForce(limits);
  const limitsOf = async (account: AccountId): Promise<Limits> =>
    own === undefined ? inForce : withAccountLimits(inForce, await own(account));
  const quotasOf = quotasBy(options.quotas);
  const { show, showName } = showing(ports.clock, options);
  const entered = entering(ports, inForce, show, options.observe);
  return {
    ...publishing(ports, inForce, { show, showName }, { ...options, limitsOf, quotasOf }),
    ...reading(ports, inForce, show),
    ...changing(ports, inForce, show, limitsOf),
    ...entered,
    open: opening(ports, entered.visit),
    staging: ports.staging,
    clock: ports.clock,
    accounts: ports.accounts,
    mode: ports.mode,
    limits: inForce,
    limitsOf,
    quotasOf,
  };
}

/** Names, grants for owners, original ZIPs, and the cancelling of publications. */
export interface Sharing extends Naming, Granting, ArchiveReading, Cancelling {}

/** The ports of `createSharing`. */
export interface SharingPorts extends NamingPorts, ChangePorts, Pick<AllPorts, 'archives'> {}

/** Options of `createSharing`: the same as those of the use cases. */
export interface SharingOptions extends PublicationOptions {
  readonly quotas?: Quotas | undefined;
}

/**
 * Creates the use cases of names, grants, original ZIPs and cancelling, which the doors need beside those of
 * `createUseCases`.
 *
 * @param limits the same as those of the use cases.
 * @throws TypeError as `createUseCases` does for its limits.
 *
 * @example
 * import { createUseCases, type Ports } from '@pinfold/core';
 * import { createSharing } from '@pinfold/core/sharing';
 *
 * declare const ports: Ports;
 * const useCases = { ...createUseCases(ports), ...createSharing(ports) };
 */
export function createSharing(
  ports: SharingPorts,
  limits: Partial<Limits> = {},
  { publicUrl, quotas }: SharingOptions = {},
): Sharing {
  const { show, showName } = showing(ports.clock, { publicUrl });
  const inForce = limitsInForce(limits);
  return {
    ...naming(ports, show, showName, quotasBy(quotas)),
    ...granting(ports, inForce, show),
    ...archiveReading(ports, show),
    ...cancelling(ports, inForce, reading(ports, inForce, show).findByKey),
  };
}

/** Quotas for all accounts, or a function of the account. Null or absent: no limit, but `names` is 1,000 by default. */
export type Quotas =
  | Partial<PublicationLimits>
  | ((account: AccountId) => Partial<PublicationLimits> | Promise<Partial<PublicationLimits>>);

/** Makes a function that reads the quotas of an account, without a cache. */
function quotasBy(quotas: Quotas | undefined): (account: AccountId) => Promise<PublicationLimits> {
  return async (account) => ({
    publications: null,
    sites: null,
    bytes: null,
    names: DEFAULT_NAME_LIMIT,
    ...(typeof quotas === 'function' ? await quotas(account) : quotas),
  });
}
