/** The outcome of a promise, or the signal's reason as soon as that aborts. The promise may settle later, unheard. */
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
