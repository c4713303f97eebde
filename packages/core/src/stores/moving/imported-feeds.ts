import { all } from '../../records/joining.ts';
import type { Step, Steps } from '../../records/step.ts';
import { find, insert, remove, update } from '../../records/steps.ts';
import type { NewRowOf } from '../../records/table.ts';
import { EVENTS, type EventRow } from '../../records/tables/service-tables.ts';
import { feedEnds } from '../events.ts';
import { pick } from '../rows.ts';

/** Events that one program numbers. */
const NUMBERED_AT_ONCE = 1_000;

/** The last event that was numbered. */
export interface FeedEnd extends Pick<EventRow, 'at' | 'id'> {
  /** Its place in the feed of all accounts. */
  readonly number: number;
  /** Whether every event from here on is inserted again, because an earlier one came after it. */
  readonly isMoved: boolean;
}

/** Numbers imported events in the order (at, id). Returns where to go on; undefined after the last one. */
export function* numberEvents(isSerial: boolean, from: FeedEnd | undefined): Steps<FeedEnd | undefined> {
  const after = from && pick(from, ['at', 'id']);
  const events = yield* find(EVENTS, {}, { order: ['at', 'id'], after, limit: NUMBERED_AT_ONCE });
  const ends = new Map(yield* feedEnds(events));
  let { number, isMoved } = from ?? { number: 0, isMoved: false };
  const steps = events.flatMap((event) => {
    const { account, sequence } = event;
    const accountFeedNumber = account === null ? null : (ends.get(account) ?? 0) + 1;
    if (account !== null && accountFeedNumber !== null) ends.set(account, accountFeedNumber);
    isMoved ||= isSerial && sequence < number;
    number = isSerial ? sequence : number + 1;
    const feedNumber = isSerial ? null : number;
    return placed(event, { feedNumber, accountFeedNumber }, isMoved);
  });
  yield* all(...steps);
  const last = events.at(-1);
  return last && { at: last.at, id: last.id, number, isMoved };
}

/** The steps that number an event. Where its sequence is its place, one that came too early is inserted again. */
function placed(
  { sequence: _, ...event }: EventRow,
  numbers: Pick<EventRow, 'feedNumber' | 'accountFeedNumber'>,
  isMoved: boolean,
): readonly Step<void, 'write'>[] {
  const { at, id } = event;
  const row: NewRowOf<typeof EVENTS> = { ...event, ...numbers };
  return isMoved ? [remove(EVENTS, { at, id }), insert(EVENTS, row)] : [update(EVENTS, { at, id }, numbers)];
}
