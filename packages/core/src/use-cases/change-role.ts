import { type Actor, reachOf } from '../domain/actor.ts';
import type { RoleId } from '../domain/identity.ts';
import type { Limits } from '../domain/limits.ts';
import { decide, type Role, type RoleCommand } from '../domain/role.ts';
import type { Clock } from '../ports/clock.ts';
import type { RoleStore, Versioned } from '../ports/role-store.ts';
import { type Refusal, refuse } from '../refusal.ts';

/** Which role to change, and in whose name. */
export interface ChangeRequest {
  readonly by: Actor;
  readonly id: RoleId;
  /** Ends the request: a change that was overtaken is decided again until then. */
  readonly signal?: AbortSignal;
}

/** What the caller had before its eyes when it decided. */
export type Seen = Partial<Pick<Role, 'title' | 'generation'>>;

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

/**
 * Decides a command against the newest state, again whenever another change was faster (contract, section 4). With
 * `seen`, it is decided only while the newest state is what the caller saw, so that nothing is overwritten unseen.
 */
export async function changeRole<S extends Seen | undefined = undefined>(
  { roles, clock }: ChangePorts,
  limits: Pick<Limits, 'renewal'>,
  { by, id, signal }: ChangeRequest,
  command: RoleCommand,
  seen?: S,
): Promise<ChangeOutcome | (S extends Seen ? Overtaken : never)>;
export async function changeRole(
  { roles, clock }: ChangePorts,
  limits: Pick<Limits, 'renewal'>,
  { by, id, signal }: ChangeRequest,
  command: RoleCommand,
  seen?: Seen,
): Promise<ChangeOutcome | Overtaken> {
  for (;;) {
    signal?.throwIfAborted();
    const loaded = await loadFor(roles, by, id, signal);
    if (loaded === undefined) return refuse('not_found');
    if (seen !== undefined && !isAsSeen(loaded.value, seen)) return { kind: 'overtaken', role: loaded.value };
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
