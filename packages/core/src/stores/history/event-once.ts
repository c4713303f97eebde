import { isSameActor, type PublicationEvent } from '../../domain/history.ts';
import type { Instant } from '../../domain/instant.ts';
import { gt } from '../../records/conditions.ts';
import type { Database } from '../../records/database.ts';
import { all, together } from '../../records/joining.ts';
import type { AnyProgram } from '../../records/program.ts';
import { find } from '../../records/steps.ts';
import { EVENTS } from '../../records/tables/service-tables.ts';
import { defineChange } from '../define-change.ts';
import { eventLocks, feedEnds } from '../events.ts';
import { CHANGED, changeRoles, findRole } from '../role-changes.ts';

const ACTOR = ['actor'] as const;

interface EventOnce {
  readonly event: PublicationEvent;
  readonly unlessSince: Instant;
}

const recordEventOnce = defineChange('history.record_once', {
  locks: ({ event }: EventOnce) => ({ exclusive: eventLocks([event]) }),
  *run({ event, unlessSince }) {
    const { type, actor, account, pin } = event;
    const [row, alike, ends] = yield* together(
      findRole(account, pin, CHANGED),
      find(EVENTS, { account, pin, type, at: gt(unlessSince) }, { select: ACTOR }),
      feedEnds([event]),
    );
    const isRecorded = alike.some((known) => isSameActor(known.actor, actor));
    if (row === undefined || isRecorded) return false;
    yield* all(...changeRoles([{ row, changes: {}, events: [event] }], ends));
    return true;
  },
});

/** The programs that record an event once in a while. */
export const RECORD_ONCE_PROGRAMS: readonly AnyProgram[] = [recordEventOnce];

/** Stores an event of a role unless its actor has one of the type after an instant. */
export function recordOnce(
  database: Database,
  event: PublicationEvent,
  unlessSince: Instant,
): Promise<boolean> {
  return database.write(recordEventOnce, { event, unlessSince });
}
