/** The total wait for a lock of another connection, in milliseconds. */
export const PATIENCE = 5_000;

/** The longest wait between two tries, in milliseconds; the first is one, and each is twice as long as the last. */
export const LONGEST_WAIT = 16;
