import { defaultLimits, type Limits } from '../domain/limits.ts';
import type { ArchiveInspector } from '../ports/archive-inspector.ts';
import type { ArchiveStorage } from '../ports/archive-storage.ts';
import type { AttemptCounter } from '../ports/attempt-counter.ts';
import type { Clock } from '../ports/clock.ts';
import type { GrantSigner } from '../ports/grant-signer.ts';
import type { Ids } from '../ports/ids.ts';
import type { PasswordHasher } from '../ports/password-hasher.ts';
import type { RoleStore } from '../ports/role-store.ts';
import type { Staging } from '../ports/staging.ts';
import { CleanUp } from './clean-up.ts';
import { Enter } from './enter.ts';
import { Open } from './open.ts';
import { PinRole } from './pin.ts';
import { Publish } from './publish.ts';
import { ReadRoles } from './read.ts';
import { StopRole } from './stop.ts';
import { UpdateRole } from './update.ts';

/** One implementation of every port. */
export interface Ports {
  readonly roles: RoleStore;
  readonly attempts: AttemptCounter;
  readonly staging: Staging;
  readonly archives: ArchiveStorage;
  readonly inspector: ArchiveInspector;
  readonly passwords: PasswordHasher;
  readonly grants: GrantSigner;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** What an embedding team may set beside the limits. */
export interface UseCaseOptions {
  /** False where sites are viewed in path mode; publishing then warns of absolute references. Default true. */
  readonly absolutePathsWork?: boolean;
}

/** Everything Pinfold can do, over the ports it was given. */
export interface UseCases {
  readonly publish: Publish;
  readonly read: ReadRoles;
  readonly update: UpdateRole;
  readonly stop: StopRole;
  readonly pin: PinRole;
  readonly enter: Enter;
  readonly open: Open;
  readonly cleanUp: CleanUp;
  /** For receiving uploads before {@link Publish.publish}. */
  readonly staging: Staging;
  readonly clock: Clock;
  /** The limits in force. */
  readonly limits: Limits;
}

/**
 * Puts the use cases together.
 *
 * @param limits figures that differ from {@link defaultLimits}.
 * @throws TypeError when a limit is no whole number of at least 0.
 *
 * @example
 * import { createUseCases, days, type Ports } from '@pinfold/core';
 *
 * declare const ports: Ports;
 *
 * const useCases = createUseCases(ports, { lifetime: days(30) });
 */
export function createUseCases(
  ports: Ports,
  limits: Partial<Limits> = {},
  options: UseCaseOptions = {},
): UseCases {
  const inForce: Limits = { ...defaultLimits, ...limits };
  for (const [name, value] of Object.entries(inForce)) {
    if (!Number.isSafeInteger(value) || value < 0)
      throw new TypeError(`the limit ${name} is no whole number`);
  }
  const enter = new Enter(ports, inForce);
  return {
    publish: new Publish(ports, inForce, options.absolutePathsWork ?? true),
    read: new ReadRoles(ports),
    update: new UpdateRole(ports, inForce),
    stop: new StopRole(ports, inForce),
    pin: new PinRole(ports, inForce),
    enter,
    open: new Open(ports, enter),
    cleanUp: new CleanUp(ports, inForce),
    staging: ports.staging,
    clock: ports.clock,
    limits: inForce,
  };
}
