import { type Limits, limitsInForce } from '../domain/limits.ts';
import type { AllPorts } from '../ports/all-ports.ts';
import { type ArchiveReading, archiveReading } from './archive-reading.ts';
import { type Cancelling, cancelling } from './cancelling.ts';
import type { ChangePorts } from './changing.ts';
import { type Granting, granting } from './granting.ts';
import { type Naming, type NamingPorts, naming } from './naming.ts';
import { type Quotas, quotasBy } from './quotas.ts';
import { reading } from './reading.ts';
import { type PublicationOptions, showing } from './show-publication.ts';

/** Names and grants for owners, the further URLs that open a publication, its ZIP, and the cancelling of one. */
export interface Sharing extends Naming, Granting, ArchiveReading, Cancelling {}

/** The ports of `createSharing`. */
export interface SharingPorts extends NamingPorts, ChangePorts, Pick<AllPorts, 'archives'> {}

/** Options that have to be those of the use cases. */
export interface SharingOptions extends PublicationOptions {
  readonly quotas?: Quotas | undefined;
}

/**
 * Makes the use cases of names, of created grants, of original ZIPs and of cancelling, which the doors take beside those of
 * `createUseCases`.
 *
 * @param limits those of the use cases.
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
