import type { CallOptions } from './options.ts';
import { realTiming } from './retry-schedule.ts';
import type { Event, EventPage } from './wire.ts';

/** Which events to read, and from where. */
export interface EventsOptions extends CallOptions {
  /** The cursor of an earlier event, or `latest` for the end; absent, the oldest event. */
  readonly after?: string | undefined;
  /** Only events of this publication. */
  readonly pin?: string | undefined;
  /** Whether to wait for further events, for ever; absent, the iteration ends with the newest one. */
  readonly follow?: boolean | undefined;
}

/** An event, and the cursor after it: store it to continue there. */
export interface ReadEvent {
  readonly event: Event;
  readonly cursor: string;
}

/** The seconds for which a request waits for an event. */
export const EVENT_WAIT = 30;

const LIMIT = 100;
/** Milliseconds between two requests that find no event, though the server did not wait. */
const PAUSE = 1_000;

type AskPage = (
  query: Readonly<Record<string, string | number | undefined>>,
) => Promise<{ readonly answer: EventPage; readonly headers: Headers }>;

export async function* readEvents(
  ask: AskPage,
  { after, pin, follow = false, signal }: EventsOptions,
): AsyncGenerator<ReadEvent, void, undefined> {
  const query = { order: 'asc', include: 'cursors', limit: LIMIT, pin };
  for (let place = after; ; ) {
    const begun = realTiming.now();
    const wait = follow ? EVENT_WAIT : undefined;
    const { answer, headers } = await ask({ ...query, after: place, wait });
    const { events, next_cursor: next, cursors } = answer;
    for (const [n, event] of events.entries()) {
      // Without its own cursor an event is followed by that of the page: reading on repeats some and loses none.
      const ofPage = n === events.length - 1 ? next : (place ?? next);
      yield { event, cursor: cursors?.[n] ?? ofPage };
    }
    place = next;
    if (events.length > 0) continue;
    if (!follow) return;
    const retryAfter = Number(headers.get('retry-after') ?? 0) * 1_000;
    const pause = retryAfter || Math.max(0, begun + PAUSE - realTiming.now());
    if (pause > 0) await realTiming.sleep(pause, signal);
  }
}
