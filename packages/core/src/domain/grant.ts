import type { RoleId } from './identity.ts';
import { after, CLOCK_TOLERANCE, type Instant } from './instant.ts';
import type { Limits } from './limits.ts';
import { type Generation, type Publication, stateOf } from './role.ts';

/** The place where a grant is presented; a grant is valid for one purpose only. */
export type GrantPurpose = 'cookie' | 'path' | 'hand_over';

/** The viewer, if the embedding team identifies viewers. */
export interface KnownViewer {
  /** The viewer's id from `identify`. */
  readonly id: string;
  readonly gavePassword: boolean;
}

/** A viewer's right to see a protected site. The signed token has all these members. */
export interface Grant {
  readonly purpose: GrantPurpose;
  readonly role: RoleId;
  readonly generation: Generation;
  /** The account's generation when the password was given. */
  readonly accountGeneration: Generation;
  /** When the password was given. A change of purpose keeps it. */
  readonly issuedAt: Instant;
  /** When this token was signed. */
  readonly madeAt: Instant;
  /** Absent if viewers are not identified. */
  readonly viewer?: KnownViewer;
}

/** A site that viewers may see, with the generations that a grant for it must match. */
export interface VisibleRole {
  readonly publication: Publication;
  readonly accountGeneration: Generation;
}

/** Makes a grant for a viewer who has just given the right password, or needs none. */
export function firstGrant(
  purpose: GrantPurpose,
  { publication: { id, generation }, accountGeneration }: VisibleRole,
  now: Instant,
): Grant {
  return { purpose, role: id, generation, accountGeneration, issuedAt: now, madeAt: now };
}

/** Makes the same grant for another purpose. It ends no later. */
export function withPurpose(grant: Grant, purpose: GrantPurpose, now: Instant): Grant {
  return { ...grant, purpose, madeAt: now };
}

/** When the grant ends, unless a generation grows first. A cookie with it lives as long. */
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
    // A grant made by a node whose clock was days ahead would be valid for days.
    grant.madeAt <= after(now, CLOCK_TOLERANCE) &&
    now < grantEndsAt(grant, publication, limits)
  );
}
