import type {
  CopyQuery,
  HistoryEvent,
  Instant,
  Role,
  RoleId,
  Sha256,
  Takedown,
  TakedownCursor,
  TakedownQuery,
  Versioned,
} from '@pinfold/core';
import { stateOf } from '@pinfold/core';
import { insertSequenced, keep } from './events.ts';
import type { MemoryData } from './memory-data.ts';
import { saveRole } from './save-role.ts';

export function isForbidden({ takedowns }: MemoryData, sha256: Sha256): boolean {
  return [...takedowns.values()].some((each) => each.sha256 === sha256 && each.liftedAt === null);
}

/** Whether it was stored. */
export function takeDown(
  data: MemoryData,
  takedown: Takedown,
  stopped: Versioned<Role> | undefined,
  events: readonly HistoryEvent[],
): boolean {
  const isNew = data.takedowns.get(nameOfTakedown(takedown))?.liftedAt !== null;
  if (stopped === undefined ? !isNew : !saveRole(data, stopped.value, stopped.version, events)) return false;
  if (stopped === undefined) keep(data, events);
  if (isNew) data.takedowns.set(nameOfTakedown(takedown), takedown);
  return true;
}

/** Whether it was lifted now. */
export function lift(
  data: MemoryData,
  { id, sha256 }: Pick<Takedown, 'id' | 'sha256'>,
  liftedAt: Instant,
  events: readonly HistoryEvent[],
): boolean {
  const known = data.takedowns.get(nameOfTakedown({ id, sha256 }));
  if (known?.liftedAt !== null) return false;
  data.takedowns.set(nameOfTakedown(known), { ...known, liftedAt });
  const row = data.roles.get(id);
  if (row === undefined) keep(data, events);
  else data.roles.set(id, { ...row, lastEventAt: insertSequenced(data, events, row.lastEventAt) });
  return true;
}

export function listTakedowns(
  { takedowns }: MemoryData,
  { sha256, after, limit }: TakedownQuery,
): readonly Takedown[] {
  return [...takedowns.values()]
    .filter((each) => each.liftedAt === null && (sha256 === undefined || each.sha256 === sha256))
    .filter((each) => after === undefined || order(after, each) < 0)
    .sort(order)
    .slice(0, limit);
}

export function copies({ roles }: MemoryData, { sha256, now, after, limit }: CopyQuery): readonly RoleId[] {
  return [...roles.values()]
    .map(({ role }) => role)
    .filter((role) => role.sha256 === sha256 && stateOf(role, now) === 'published')
    .map(({ id }) => id)
    .filter((id) => after === undefined || id > after)
    .sort()
    .slice(0, limit);
}

export function nameOfTakedown({ id, sha256 }: Pick<Takedown, 'id' | 'sha256'>): string {
  return `${id} ${sha256}`;
}

/** Negative when `one` comes first: newest first by (at, id, sha256). */
function order(one: TakedownCursor, other: TakedownCursor): number {
  if (one.at !== other.at) return other.at - one.at;
  if (nameOfTakedown(one) === nameOfTakedown(other)) return 0;
  return nameOfTakedown(one) > nameOfTakedown(other) ? -1 : 1;
}
