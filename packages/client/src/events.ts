import { readRetryAfter } from './attempt.ts';
import type { CallOptions } from './options.ts';
import { realTiming } from './retry-schedule.ts';
import { endlessList } from './sender.ts';
import type { Event } from './wire.ts';
import type { Wire } from './wire-objects.ts';

/** The filter and the start of `events`. */
export interface EventsOptions extends CallOptions {
  /** The cursor of an earlier event, or `latest` for the end. Default: the oldest event. */
  readonly after?: string | undefined;
  /** Only events of this publication. */
  readonly pin?: string | undefined;
  /** Whether to wait for further events without end. Default: the iteration ends with the newest event. */
  readonly follow?: boolean | undefined;
}

/** An event and its cursor: store the cursor to continue after the event. */
export interface ReadEvent {
  readonly event: Event;
  readonly cursor: string;
}

/** The seconds for which a request waits for an event. */
export const EVENT_WAIT = 30;

const LIMIT = 100;
/** Milliseconds between two requests without an event, if the server did not wait. */
const PAUSE = 1_000;

type RequestPage = (
  query: Readonly<Record<string, string | number | undefined>>,
) => Promise<{ readonly answer: Wire<'EventPage'>; readonly headers: Headers }>;

export async function* readEvents(
  requestPage: RequestPage,
  { after, pin, follow = false, signal }: EventsOptions,
): AsyncGenerator<ReadEvent, void, undefined> {
  const query = { order: 'asc', include: 'cursors', limit: LIMIT, pin };
  for (let cursor = after; ; ) {
    const startedAt = realTiming.now();
    const wait = follow ? EVENT_WAIT : undefined;
    const { answer, headers } = await requestPage({ ...query, after: cursor, wait });
    const { events, next_cursor: next, cursors } = answer;
    for (const [n, event] of events.entries()) {
      // Without a cursor per event, use the page's: continuing repeats events and, after the first page, loses none.
      const pageCursor = n === events.length - 1 ? next : (cursor ?? next);
      yield { event, cursor: cursors?.[n] ?? pageCursor };
    }
    if (events.length > 0 && next === cursor) throw endlessList();
    cursor = next;
    if (events.length > 0) continue;
    if (!follow) return;
    const pause = pauseAfter(headers, realTiming.now() - startedAt);
    if (pause > 0) await realTiming.sleep(pause, signal);
  }
}

/** Milliseconds until the next request after a page without events, which took `elapsed` milliseconds. */
export function pauseAfter(headers: Headers, elapsed: number): number {
  const requested = (readRetryAfter(headers) ?? 0) * 1_000;
  return requested > 0 ? requested : Math.max(0, PAUSE - elapsed);
}
