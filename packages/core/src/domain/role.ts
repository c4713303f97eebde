import type { Refusal } from '../refusal.ts';
import type { EventDraft, RoleEventType } from './history.ts';
import type { Filename, IdempotencyKey } from './idempotency.ts';
import type { AccountId, ArchiveId, Branded, RoleId, Sha256 } from './identity.ts';
import { after, type Instant } from './instant.ts';
import type { Limits } from './limits.ts';
import type { PasswordHash } from './password.ts';
import type { Title } from './text.ts';

/** Grows with every change that ends the grants for a role. */
export type Generation = Branded<number, 'Generation'>;

/** The initial generation. */
export const FIRST_GENERATION: Generation = 1 as Generation;

/** The record of a publication. Its state is derived from it and the time, never stored. */
export interface Role {
  /** The last segment of the shared URL. */
  readonly id: RoleId;
  readonly account: AccountId;
  readonly archive: ArchiveId;
  /** Null once its account was erased. */
  readonly idempotencyKey: IdempotencyKey | null;
  /** Null without a title, and once it was dropped with the name of the ZIP. */
  readonly title: Title | null;
  /** The name of the ZIP; null once it was dropped, some time after the role's end. */
  readonly originalFilename: Filename | null;
  /** Files of the site, without folders and the files that operating systems add. */
  readonly fileCount: number;
  /** Bytes of these files, expanded. */
  readonly size: number;
  /** Bytes of the ZIP. */
  readonly archiveBytes: number;
  /** SHA-256 of the ZIP. */
  readonly sha256: Sha256;
  readonly publishedAt: Instant;
  /** Null while pinned: a pinned role does not expire. */
  readonly expiresAt: Instant | null;
  readonly pinned: boolean;
  /** When it was stopped. */
  readonly deletedAt: Instant | null;
  /** {@link DROPPED_HASH} once its archive was removed. */
  readonly passwordHash: PasswordHash | null;
  /** Grants are valid for one generation only; `updateSeen` compares it. */
  readonly generation: Generation;
}

/** The members of a role that a command may change. The others are not saved again. */
export const CHANGEABLE_MEMBERS = [
  'title',
  'expiresAt',
  'pinned',
  'deletedAt',
  'passwordHash',
  'generation',
] as const;

/** The state of a role at a moment (docs/design-decisions.md#state-is-derived-never-stored). */
export type RoleState = 'published' | 'expired' | 'deleted';

export const ROLE_STATES: readonly RoleState[] = ['published', 'expired', 'deleted'];

export function parseRoleState(value: unknown): RoleState | undefined {
  return ROLE_STATES.find((state) => state === value);
}

/** @throws TypeError for a value that is neither a state nor absent. */
export function expectState(state: RoleState | undefined): void {
  if (state === undefined || ROLE_STATES.includes(state)) return;
  throw new TypeError('state is published, expired or deleted');
}

/** A change of a role. Its values are validated, and a password is hashed. */
export type RoleCommand =
  | { readonly type: 'set_title'; readonly title: Title | null }
  | { readonly type: 'set_password'; readonly hash: PasswordHash | null }
  | { readonly type: 'reset_expiration' }
  | { readonly type: 'pin' }
  | { readonly type: 'unpin' }
  /** Opens a protected site without its password. Changes no member, but records an event. */
  | { readonly type: 'create_grant' }
  | { readonly type: 'stop' };

/** The changed role and its events; the same object and no events if nothing changed. */
export interface Decision {
  readonly kind: 'decided';
  readonly role: Role;
  readonly events: readonly EventDraft<RoleEventType>[];
}

/** Returns the state at `now`: a role that expires now is expired. */
export function stateOf(role: Pick<Role, 'deletedAt' | 'expiresAt'>, now: Instant): RoleState {
  if (role.deletedAt !== null) return 'deleted';
  if (role.expiresAt !== null && role.expiresAt <= now) return 'expired';
  return 'published';
}

export function checkCommand(
  publication: Pick<Role, 'deletedAt' | 'expiresAt' | 'pinned'>,
  type: RoleCommand['type'],
  now: Instant,
): Refusal<'invalid_state'> | undefined {
  const state = stateOf(publication, now);
  if (type === 'stop' && state === 'expired') return undefined;
  if (state !== 'published') return { kind: 'refused', code: 'invalid_state', state };
  const isPinned = type === 'reset_expiration' && publication.pinned;
  return isPinned ? { kind: 'refused', code: 'invalid_state', state: 'pinned' } : undefined;
}

/** Checks whether the ZIP may be read. Only the operator may read that of a stopped publication. */
export function checkArchiveAccess(
  { deletedAt }: Pick<Role, 'deletedAt'>,
  hasArchive: boolean,
  isOperator: boolean,
): Refusal<'invalid_state'> | undefined {
  if (deletedAt !== null && !isOperator) return { kind: 'refused', code: 'invalid_state', state: 'deleted' };
  return hasArchive ? undefined : { kind: 'refused', code: 'invalid_state', state: 'archive_removed' };
}

/**
 * The state machine: applies a command to a role, or refuses it
 * (docs/design-decisions.md#a-change-is-decided-against-the-newest-state).
 *
 * @example
 * import { decide, defaultLimits, type Instant, type Role } from '@pinfold/core';
 *
 * declare const role: Role;
 * declare const now: Instant;
 *
 * const outcome = decide(role, { type: 'reset_expiration' }, now, defaultLimits);
 * if (outcome.kind === 'decided') console.log(outcome.role.expiresAt);
 * else console.log(outcome.state);
 */
export function decide(
  role: Role,
  command: RoleCommand,
  now: Instant,
  limits: Pick<Limits, 'renewal'>,
): Decision | Refusal<'invalid_state'> {
  const refused = checkCommand(role, command.type, now);
  if (refused !== undefined) return refused;
  const decided = (
    type: RoleEventType,
    change: Partial<Pick<Role, (typeof CHANGEABLE_MEMBERS)[number]>>,
  ): Decision => ({
    kind: 'decided',
    role: { ...role, ...change },
    events: [{ type, at: now }],
  });
  const unchanged: Decision = { kind: 'decided', role, events: [] };
  const generation = (role.generation + 1) as Generation;
  const renewed = after(now, limits.renewal);
  switch (command.type) {
    case 'set_title':
      return command.title === role.title
        ? unchanged
        : decided('pin.title_changed', { title: command.title });
    case 'set_password': {
      const type = command.hash === null ? 'pin.password_removed' : 'pin.password_set';
      return decided(type, { passwordHash: command.hash, generation });
    }
    case 'stop':
      return decided('pin.stopped', { deletedAt: now, generation });
    case 'reset_expiration':
      return decided('pin.renewed', { expiresAt: renewed, generation });
    case 'pin':
      return role.pinned ? unchanged : decided('pin.pinned', { pinned: true, expiresAt: null });
    case 'unpin':
      return role.pinned ? decided('pin.unpinned', { pinned: false, expiresAt: renewed }) : unchanged;
    case 'create_grant':
      return role.passwordHash === null ? unchanged : decided('pin.grant_created', {});
    default:
      return command satisfies never;
  }
}

/**
 * A publication as use cases answer it: without the password's hash, the archive's id and the Idempotency-Key, so that
 * everyone in its account may see it. Instants are milliseconds since 1970, which `new Date(…)` takes.
 */
export interface Publication extends Omit<Role, 'archive' | 'idempotencyKey' | 'passwordHash'> {
  /** The state at the moment of the answer. */
  readonly state: RoleState;
  /** The URL for viewers; without an origin if the use cases do not know the public URL. */
  readonly sharedUrl: string;
  readonly passwordProtected: boolean;
}

function returnObject(object: object): object {
  return object;
}

/**
 * Adds the archive to a publication in a private field, which serializers and copies do not see. The base constructor
 * returns the publication, so the field is added to it. A WeakMap would be slower, and every view does this.
 */
class ArchiveTag extends (returnObject as unknown as new (object: object) => object) {
  readonly #archive: ArchiveId;

  constructor(publication: object, archive: ArchiveId) {
    super(publication);
    this.#archive = archive;
  }

  static of(publication: object): ArchiveId | undefined {
    return #archive in publication ? publication.#archive : undefined;
  }
}

export function publicationOf(role: Role, now: Instant, publicUrl: string): Publication {
  // Names each member, so that a new member of a role is not shown by accident; a spread would be slower on every view.
  const publication: Publication = {
    id: role.id,
    account: role.account,
    state: stateOf(role, now),
    sharedUrl: sharedUrlBelow(publicUrl, role.id),
    title: role.title,
    originalFilename: role.originalFilename,
    fileCount: role.fileCount,
    size: role.size,
    archiveBytes: role.archiveBytes,
    sha256: role.sha256,
    publishedAt: role.publishedAt,
    expiresAt: role.expiresAt,
    deletedAt: role.deletedAt,
    pinned: role.pinned,
    passwordProtected: role.passwordHash !== null,
    generation: role.generation,
  };
  new ArchiveTag(publication, role.archive);
  return publication;
}

/** The archive of a publication from a use case; `undefined` for a copy of one. */
export function archiveOf(publication: object): ArchiveId | undefined {
  return ArchiveTag.of(publication);
}

/** The shared URL of a publication. `publicUrl` has no slash at its end. */
export function sharedUrlBelow(publicUrl: string, id: RoleId): string {
  return `${publicUrl}/s/${id}`;
}
