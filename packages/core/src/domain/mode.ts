/** How the service runs for everybody. */
export interface Mode {
  /** While the service is read-only, only the operator changes anything. */
  readonly kind: 'normal' | 'read_only';
  /** The message for callers whose changes are refused; null for none. */
  readonly message: string | null;
}

/** The initial mode. */
export const NORMAL: Mode = { kind: 'normal', message: null };
