import type { HistoryEvent, Instant, RoleId } from '@pinfold/core';
import type { Prepare } from '../engine/sqlite-file.ts';
import { EVENTS } from '../schema/columns.ts';

/** Writers take turns, so the next number is one more than the last, of events that were dropped, too. */
const KEEP = `
  INSERT INTO events (${EVENTS.insert}, number, account_number) VALUES (
    ${EVENTS.parameters(1)},
    (SELECT 1 + max(
      coalesce((SELECT max(number) FROM events), 0),
      coalesce((SELECT number FROM feed_begins WHERE account = ''), 0)
    )),
    (SELECT 1 + max(
      coalesce((SELECT max(account_number) FROM events WHERE account = own.account), 0),
      coalesce((SELECT number FROM feed_begins WHERE account = own.account), 0)
    ) FROM (SELECT ? AS account) AS own WHERE own.account IS NOT NULL)
  )`;

/** Takes as parameters the instant of the role's first new event, put after the one before, and their number. */
export const LAST_EVENT_AT = 'last_event_at = max(last_event_at + 1, coalesce(?, 0)) + ? - 1';

/** A role's row after its update. */
export interface SequencedEvent {
  readonly lastEventAt: number;
}

/** The parameters of {@link LAST_EVENT_AT}. */
export function sequenced(events: readonly HistoryEvent[]): readonly [Instant | null, number] {
  return [events[0]?.at ?? null, events.length];
}

export function keep(prepare: Prepare, events: readonly HistoryEvent[]): void {
  for (const event of events) prepare(KEEP).run(...EVENTS.values(event), event.account);
}

/** Keeps the events of one change of a role, a millisecond apart, the last of them when its row says. */
export function insertSequenced(
  prepare: Prepare,
  events: readonly HistoryEvent[],
  { lastEventAt }: SequencedEvent,
): void {
  const first = lastEventAt - events.length + 1;
  keep(
    prepare,
    events.map((event, n) => ({ ...event, at: (first + n) as Instant })),
  );
}

const TELL = `UPDATE roles SET ${LAST_EVENT_AT} WHERE id = ? RETURNING last_event_at AS lastEventAt`;

/** Keeps the events of one role outside of a change of it, each later than its last; false without such a role. */
export function keepOfRole(prepare: Prepare, id: RoleId, events: readonly HistoryEvent[]): boolean {
  const told = prepare<SequencedEvent>(TELL).get(...sequenced(events), id);
  if (told === undefined) return false;
  const own = events.map((event) => ({ ...event, pin: id }));
  insertSequenced(prepare, own, told);
  return true;
}
