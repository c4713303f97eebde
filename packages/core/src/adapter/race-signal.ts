/**
 * The outcome of a promise, or the signal's reason as soon as that aborts. The promise may settle later, unheard.
 *
 * @example
 * import { raceSignal } from '@pinfold/core/adapter';
 *
 * const answer = await raceSignal(Promise.resolve(42), AbortSignal.timeout(5_000));
 * console.log(answer); // 42
 */
export async function raceSignal<Value>(value: Promise<Value>, signal?: AbortSignal): Promise<Value> {
  if (signal === undefined) return value;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const leave = (): void => reject(signal.reason);
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  try {
    return await Promise.race([value, aborted]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
