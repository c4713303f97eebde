import { type Actor, reachOf } from '../domain/actor.ts';
import type { RoleId } from '../domain/identity.ts';
import type { Limits } from '../domain/limits.ts';
import { decide, type Generation, type Role, type RoleCommand } from '../domain/role.ts';
import type { Clock } from '../ports/clock.ts';
import type { RoleStore, Versioned } from '../ports/role-store.ts';
import type { Refusal } from '../refusal.ts';

/** Which role to change, and in whose name. */
export interface ChangeRequest {
  readonly by: Actor;
  readonly id: RoleId;
  /** Ends the request: a change that was overtaken is decided again until then. */
  readonly signal?: AbortSignal;
}

/** What the caller had before its eyes when it decided. */
export interface Seen {
  readonly title?: string | null;
  readonly generation?: Generation;
}

/** The role was changed by another meanwhile, is as it is now, and was not changed again. */
export interface Overtaken {
  readonly kind: 'overtaken';
  readonly role: Role;
}

/** The role after the change. */
export type ChangeOutcome =
  | { readonly kind: 'changed'; readonly role: Role }
  | Refusal<'not_found' | 'invalid_state'>;

/** The ports that changing a role needs. */
export interface ChangePorts {
  readonly roles: RoleStore;
  readonly clock: Clock;
}

export const NOT_FOUND: Refusal<'not_found'> = { kind: 'refused', code: 'not_found' };

/** Decides a command against the newest state, again whenever another change was faster. */
export function changeRole(
  ports: ChangePorts,
  limits: Pick<Limits, 'renewal'>,
  request: ChangeRequest,
  command: RoleCommand,
): Promise<ChangeOutcome> {
  return changeUnless<never>(ports, limits, request, command, () => undefined);
}

/** Decides a command as {@link changeRole} does, but only while the newest state is what the caller saw. */
export function changeSeenRole(
  ports: ChangePorts,
  limits: Pick<Limits, 'renewal'>,
  request: ChangeRequest,
  command: RoleCommand,
  seen: Seen,
): Promise<ChangeOutcome | Overtaken> {
  return changeUnless(ports, limits, request, command, (role) =>
    isAsSeen(role, seen) ? undefined : { kind: 'overtaken', role },
  );
}

async function changeUnless<Other>(
  { roles, clock }: ChangePorts,
  limits: Pick<Limits, 'renewal'>,
  { by, id, signal }: ChangeRequest,
  command: RoleCommand,
  speaksAgainst: (role: Role) => Other | undefined,
): Promise<ChangeOutcome | Other> {
  for (;;) {
    signal?.throwIfAborted();
    const loaded = await loadFor(roles, by, id, signal);
    if (loaded === undefined) return NOT_FOUND;
    const other = speaksAgainst(loaded.value);
    if (other !== undefined) return other;
    const decision = decide(loaded.value, command, clock.now(), limits);
    if (decision.kind === 'refused') return decision;
    const { role } = decision;
    if (role === loaded.value) return { kind: 'changed', role };
    const saved = await roles.save(role, loaded.version);
    if (saved.kind === 'saved') return { kind: 'changed', role };
  }
}

/** A role as an actor finds it: one out of its reach is as unknown as one that never was. */
export async function loadFor(
  roles: RoleStore,
  by: Actor,
  id: RoleId,
  signal?: AbortSignal,
): Promise<Versioned<Role> | undefined> {
  const isReached = reachOf(by);
  const loaded = await roles.load(id, signal);
  return loaded !== undefined && isReached(loaded.value) ? loaded : undefined;
}

function isAsSeen(role: Role, seen: Seen): boolean {
  const sameTitle = seen.title === undefined || seen.title === role.title;
  return sameTitle && (seen.generation === undefined || seen.generation === role.generation);
}
