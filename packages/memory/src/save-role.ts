import type { HistoryEvent, Role, Version } from '@pinfold/core';
import { insertSequenced } from './events.ts';
import type { MemoryData } from './memory-data.ts';

/** Whether the change was stored: only one of the version that was loaded is. */
export function saveRole(
  data: MemoryData,
  role: Role,
  loadedAt: Version,
  events: readonly HistoryEvent[],
): boolean {
  const row = data.roles.get(role.id);
  if (row?.version !== loadedAt) return false;
  const lastEventAt = insertSequenced(data, events, row.lastEventAt);
  data.roles.set(role.id, { ...row, role: { ...role }, version: (row.version + 1) as Version, lastEventAt });
  return true;
}
