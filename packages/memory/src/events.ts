import { after, duration, type HistoryEvent, type Instant } from '@pinfold/core';
import type { MemoryData } from './memory-data.ts';

export function keep({ events }: MemoryData, told: readonly HistoryEvent[]): void {
  for (const event of told) events.set(event.id, { ...event, actor: { ...event.actor } });
}

/** Keeps the events of one change of a role, each after the one before; answers when the last of all was. */
export function insertSequenced(
  data: MemoryData,
  told: readonly HistoryEvent[],
  lastEventAt: Instant,
): Instant {
  let last = lastEventAt;
  for (const event of told) {
    last = Math.max(event.at, after(last, duration(1))) as Instant;
    keep(data, [{ ...event, at: last }]);
  }
  return last;
}
