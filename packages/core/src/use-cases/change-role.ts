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

/** The role after the change. */
export type ChangeOutcome =
  | { readonly kind: 'changed'; readonly role: Role }
  | Refusal<'not_found' | 'invalid_state'>;

/** The ports that changing a role needs. */
export interface ChangePorts {
  readonly roles: RoleStore;
  readonly clock: Clock;
}

/** Decides a command against the newest state, again whenever another change was faster (contract, section 4). */
export async function changeRole(
  { roles, clock }: ChangePorts,
  limits: Pick<Limits, 'renewal'>,
  { account, id, signal }: ChangeRequest,
  command: RoleCommand,
): Promise<ChangeOutcome> {
  for (;;) {
    signal?.throwIfAborted();
    const loaded = await roles.load(id, signal);
    if (loaded === undefined || (account !== undefined && loaded.value.account !== account)) {
      return refuse('not_found');
    }
    const decision = decide(loaded.value, command, clock.now(), limits);
    if (decision.kind === 'refused') return decision;
    const { role } = decision;
    if (role === loaded.value) return { kind: 'changed', role };
    const saved = await roles.save(role, loaded.version);
    if (saved.kind === 'saved') return { kind: 'changed', role };
  }
}
