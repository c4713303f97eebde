import { setTimeout as pause } from 'node:timers/promises';

/** A request that is repeated. */
export interface Asking {
  readonly aSecond: number;
  /** Sends it once. Returns the failure, if any, and never throws. */
  ask(): Promise<string | undefined>;
}

/** The number of requests of each kind, and the failures. */
export interface Counted {
  readonly requests: number;
  readonly failures: readonly string[];
}

/** Sends requests during a task, at an even pace and without waiting for answers; then waits for the last answers. */
export async function trafficDuring(
  askings: readonly Asking[],
  goingOn: () => Promise<void>,
): Promise<readonly Counted[]> {
  let going = true;
  const counting = askings.map(async ({ aSecond, ask }) => {
    const answers: Promise<string | undefined>[] = [];
    const start = performance.now();
    while (going) {
      answers.push(ask());
      await pause(Math.max(0, start + (answers.length * 1_000) / aSecond - performance.now()));
    }
    const all = await Promise.all(answers);
    return { requests: all.length, failures: all.filter((failure) => failure !== undefined) };
  });
  try {
    await goingOn();
  } finally {
    going = false;
  }
  return await Promise.all(counting);
}
