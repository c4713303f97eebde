import type { AccountId, RoleId } from '../domain/identity.ts';
import type { Limits } from '../domain/limits.ts';
import { decide, type Role, type RoleCommand } from '../domain/role.ts';
import type { Clock } from '../ports/clock.ts';
import type { RoleStore } from '../ports/role-store.ts';
import { type Refusal, refuse } from '../refusal.ts';

/** Which role to change, for whom. */
export interface ChangeRequest {
  /** The owner; absent for an operator, who may change any role. */
  readonly account?: AccountId;
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
  { account, id, signal }: ChangeRequest,
  command: RoleCommand,
  seen?: S,
): Promise<ChangeOutcome | (S extends Seen ? Overtaken : never)>;
export async function changeRole(
  { roles, clock }: ChangePorts,
  limits: Pick<Limits, 'renewal'>,
  { account, id, signal }: ChangeRequest,
  command: RoleCommand,
  seen?: Seen,
): Promise<ChangeOutcome | Overtaken> {
  for (;;) {
    signal?.throwIfAborted();
    const loaded = await roles.load(id, signal);
    if (loaded === undefined || (account !== undefined && loaded.value.account !== account)) {
      return refuse('not_found');
    }
    if (seen !== undefined && !isAsSeen(loaded.value, seen)) return { kind: 'overtaken', role: loaded.value };
    const decision = decide(loaded.value, command, clock.now(), limits);
    if (decision.kind === 'refused') return decision;
    const { role } = decision;
    if (role === loaded.value) return { kind: 'changed', role };
    const saved = await roles.save(role, loaded.version);
    if (saved.kind === 'saved') return { kind: 'changed', role };
  }
}

function isAsSeen(role: Role, seen: Seen): boolean {
  const sameTitle = seen.title === undefined || seen.title === role.title;
  return sameTitle && (seen.generation === undefined || seen.generation === role.generation);
}
