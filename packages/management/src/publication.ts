import {
  decide,
  type Generation,
  type Instant,
  type Limits,
  type Refusal,
  type Role,
  type RoleCommand,
  type RoleState,
  stateOf,
} from '@pinfold/core';
import { type PublicUrl, sharedUrl } from '@pinfold/http';

/** Why the core would refuse a command now. */
export type RefusedBecause = Refusal<'invalid_state'>['state'];

/** What a person may do with a publication now, and why not, as the core decides it. */
export type Permitted = Readonly<Record<RoleCommand['type'], RefusedBecause | undefined>>;

/** A publication as the pages show it. */
export interface Publication {
  readonly id: string;
  readonly title: string | null;
  /** The title, or the uploaded file's name where there is none. */
  readonly name: string;
  readonly filename: string;
  readonly state: RoleState;
  readonly pinned: boolean;
  readonly protected: boolean;
  readonly sharedUrl: string;
  readonly publishedAt: Instant;
  readonly expiresAt: Instant | null;
  readonly deletedAt: Instant | null;
  /** It expires within a day. */
  readonly endsSoon: boolean;
  readonly fileCount: number;
  readonly size: number;
  readonly generation: Generation;
  readonly refused: Permitted;
}

const SOON = 86_400_000;

/** Makes what a page shows of a role. */
export function publicationOf(
  role: Role,
  {
    publicUrl,
    now,
    limits,
  }: { readonly publicUrl: PublicUrl; readonly now: Instant; readonly limits: Limits },
): Publication {
  const state = stateOf(role, now);
  return {
    id: role.id,
    title: role.title,
    name: role.title ?? role.originalFilename,
    filename: role.originalFilename,
    state,
    pinned: role.pinned,
    protected: role.passwordHash !== null,
    sharedUrl: sharedUrl(publicUrl, role.id),
    publishedAt: role.publishedAt,
    expiresAt: role.expiresAt,
    deletedAt: role.deletedAt,
    endsSoon: state === 'published' && role.expiresAt !== null && role.expiresAt - now < SOON,
    fileCount: role.fileCount,
    size: role.size,
    generation: role.generation,
    refused: permitted(role, now, limits),
  };
}

function permitted(role: Role, now: Instant, limits: Limits): Permitted {
  const reason = (command: RoleCommand): RefusedBecause | undefined => {
    const decision = decide(role, command, now, limits);
    return decision.kind === 'refused' ? decision.state : undefined;
  };
  return {
    set_title: reason({ type: 'set_title', title: null }),
    set_password: reason({ type: 'set_password', hash: null }),
    reset_expiration: reason({ type: 'reset_expiration' }),
    pin: reason({ type: 'pin' }),
    unpin: reason({ type: 'unpin' }),
    stop: reason({ type: 'stop' }),
  };
}
