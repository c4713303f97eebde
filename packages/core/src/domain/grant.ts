import type { RoleId } from './identity.ts';
import { after, type Instant, MAX_CLOCK_DIFFERENCE } from './instant.ts';
import type { Limits } from './limits.ts';
import { type Generation, type Publication, stateOf } from './role.ts';

/** The place where a grant is presented; none is accepted in another's place. */
export type GrantPurpose = 'cookie' | 'path' | 'hand_over';

/** The viewer, if the embedding team identifies viewers. */
export interface KnownViewer {
  /** As its `identify` named them. */
  readonly id: string;
  readonly gavePassword: boolean;
}

/** A viewer's right to see a protected site. It travels signed; what is signed is all that stands here. */
export interface Grant {
  readonly purpose: GrantPurpose;
  readonly role: RoleId;
  readonly generation: Generation;
  /** That of the account when the password was given. */
  readonly accountGeneration: Generation;
  /** When the password was given. Passing from one purpose to another keeps it. */
  readonly issuedAt: Instant;
  readonly madeAt: Instant;
  /** Absent where viewers are not identified. */
  readonly viewer?: KnownViewer;
}

/** A site that is shown, with what a grant for it has to match. */
export interface VisibleRole {
  readonly publication: Publication;
  readonly accountGeneration: Generation;
}

/** The grant for a viewer who has just given the right password, or needs none. */
export function firstGrant(
  purpose: GrantPurpose,
  { publication: { id, generation }, accountGeneration }: VisibleRole,
  now: Instant,
): Grant {
  return { purpose, role: id, generation, accountGeneration, issuedAt: now, madeAt: now };
}

/** The same grant for another purpose. It ends no later. */
export function withPurpose(grant: Grant, purpose: GrantPurpose, now: Instant): Grant {
  return { ...grant, purpose, madeAt: now };
}

/** When the grant ends if nothing else ends it first; a cookie may live as long. */
export function grantEndsAt(
  grant: Grant,
  { expiresAt }: Pick<Publication, 'expiresAt'>,
  limits: Pick<Limits, 'grantLifetime' | 'handOverLifetime'>,
): Instant {
  const ends: number[] = [after(grant.issuedAt, limits.grantLifetime)];
  if (grant.purpose === 'hand_over') ends.push(after(grant.madeAt, limits.handOverLifetime));
  if (expiresAt !== null) ends.push(expiresAt);
  return Math.min(...ends) as Instant;
}

export function admits(
  grant: Grant,
  purpose: GrantPurpose,
  { publication, accountGeneration }: VisibleRole,
  now: Instant,
  limits: Pick<Limits, 'grantLifetime' | 'handOverLifetime'>,
): boolean {
  return (
    grant.purpose === purpose &&
    grant.role === publication.id &&
    grant.generation === publication.generation &&
    grant.accountGeneration === accountGeneration &&
    stateOf(publication, now) === 'published' &&
    // Of a clock days ahead, it would be good for days.
    grant.madeAt <= after(now, MAX_CLOCK_DIFFERENCE) &&
    now < grantEndsAt(grant, publication, limits)
  );
}
