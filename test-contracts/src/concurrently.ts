import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Subject } from './contract.ts';

/** Runs `count` actions at once, distributed over the port and two peers. */
export async function together<Port, Result>(
  subject: Subject<Port>,
  count: number,
  action: (port: Port, n: number) => Promise<Result>,
): Promise<readonly Result[]> {
  const ports = [subject.port, await subject.peer(), await subject.peer()];
  const started = Array.from({ length: count }, (_, n) => action(ports[n % ports.length] as Port, n));
  return await Promise.all(started);
}

/** Calls `observe` repeatedly, with other work in between, until `work` ends; returns its result. */
export async function meanwhile<Result>(
  work: Promise<Result>,
  observe: () => Promise<unknown>,
): Promise<Result> {
  let isOver = false;
  const done = work.finally(() => {
    isOver = true;
  });
  // If an observation fails first, its error is thrown instead.
  done.catch(() => undefined);
  while (!isOver) {
    await observe();
    await nextTurn();
  }
  return await done;
}
