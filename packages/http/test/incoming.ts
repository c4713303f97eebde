import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { minutes, seconds } from '@pinfold/core';
import { createManualClock } from '@pinfold/test-contracts/fixtures';

/** A request whose body a test writes itself. */
export function incoming(headers: Readonly<Record<string, string>> = {}) {
  const body = Object.assign(new PassThrough(), { headers, complete: false });
  const clock = createManualClock();
  const times = { clock, idle: seconds(30), total: minutes(15) };
  return { body, request: body as unknown as IncomingMessage, clock, times };
}

/** One turn of the event loop, in which everything that is ready happens. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Enough turns for anything that a test waits for. */
export async function turns(): Promise<void> {
  for (let n = 0; n < 20; n += 1) await turn();
}
