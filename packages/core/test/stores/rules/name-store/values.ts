import {
  type AccountId,
  after,
  type CommitOutcome,
  duration,
  type HistoryEvent,
  type Instant,
  type NameChange,
  type NameRecord,
  type NameStore,
  type NameToken,
  type PasswordHash,
  type PinName,
  type PublicationLimits,
  type ReserveOutcome,
  type Role,
  type RoleCommit,
  type RoleId,
  type ShownName,
  type Warning,
} from '@pinfold/core';
import {
  ACCOUNT,
  anEvent,
  aPublication,
  aReservation,
  aRole,
  aRoleId,
  leaseOf,
  publishTo,
  START,
} from '@pinfold/test-contracts/fixtures';
import { changeRole, UNBOUNDED } from '@pinfold/test-contracts/internal';
import type { NameStores } from '../stores.ts';

export const LATER: Instant = after(START, duration(60_123));
export const PROTECTED = 'hash' as PasswordHash;

export function aName(n: number): PinName {
  return `pr-${n}` as PinName;
}

/** The `n`th token, in letters of both cases. */
export function aNameToken(n: number): NameToken {
  return `tOKeN${n.toString().padStart(17, 'x')}` as NameToken;
}

/** A change that points the `n`th name at the `n`th role. */
export function aChange(n: number, more: Partial<NameChange> = {}): NameChange {
  return {
    account: ACCOUNT,
    name: aName(n),
    token: aNameToken(n),
    role: aRoleId(n),
    now: LATER,
    limit: null,
    ...more,
  };
}

/** The name as it was changed, with the ends of a role that is in service. */
export function shownBy(
  { account, name, token, role, now: updatedAt }: NameChange,
  more: Partial<NameRecord> = {},
): ShownName {
  const { deletedAt, expiresAt } = aRole(1);
  return {
    name: { account, name, token, role, previous: null, updatedAt, ...more },
    role: { deletedAt, expiresAt },
  };
}

export function setEvent({ account, name, role, now: at }: NameChange): HistoryEvent {
  return anEvent({ type: 'name.set', account, name, pin: role, at });
}

export function deletedEvent(name: PinName, account: AccountId = ACCOUNT): HistoryEvent {
  return anEvent({ type: 'name.deleted', account, name, at: LATER });
}

export async function publish({ roles }: NameStores, ...numbers: readonly number[]): Promise<void> {
  for (const n of numbers) await publishTo(roles, aPublication(n));
}

export function set({ names }: NameStores, change: NameChange): ReturnType<NameStore['set']> {
  return names.set(change, [setEvent(change)]);
}

/** The differences of a publication to a name. */
export interface Named extends Partial<Role> {
  readonly name?: PinName;
  readonly token?: NameToken;
  readonly limits?: PublicationLimits;
  readonly warnings?: readonly Warning[];
}

/** The commit of the `n`th role with a name: the `n`th name, unless another is given. */
export function aNamedPublication(
  n: number,
  { name = aName(n), token = aNameToken(n), limits = UNBOUNDED, warnings = [], ...more }: Named = {},
): RoleCommit {
  return { ...aPublication(n, more), limits, warnings, name: { name, token } };
}

/** Reserves and commits a publication to a name; returns the refusal, or the outcome of the commit. */
export async function publishNamed(
  { roles }: NameStores,
  n: number,
  named: Named = {},
): Promise<CommitOutcome | ReserveOutcome> {
  const publication = aNamedPublication(n, named);
  const { role, limits } = publication;
  const reservation = aReservation(n, { account: role.account, limits, name: publication.name?.name });
  const reserved = await roles.reserve(reservation);
  if (reserved.kind !== 'reserved') return reserved;
  return await roles.commit(publication, leaseOf(reservation), eventsOf(publication));
}

export function eventsOf({ role: { account, id }, name }: RoleCommit): readonly HistoryEvent[] {
  const named = { type: 'name.set', name: name?.name ?? null, at: after(START, duration(1)) } as const;
  return [anEvent({ account, pin: id }), anEvent({ account, pin: id, ...named })];
}

export function stop({ roles }: NameStores, id: RoleId): Promise<void> {
  return changeRole(roles, id, { deletedAt: START }, anEvent({ type: 'pin.stopped', pin: id }));
}
