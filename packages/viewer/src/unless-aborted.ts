/** What a promise becomes, or the signal's reason when that aborts first. */
export async function unlessAborted<Value>(value: Promise<Value>, signal: AbortSignal): Promise<Value> {
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
