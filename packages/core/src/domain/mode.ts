/** How the service runs for everybody. */
export interface Mode {
  /** While read-only nobody changes anything but the operator. */
  readonly kind: 'normal' | 'read_only';
  /** What those are told whose changes are refused; null for nothing but that. */
  readonly message: string | null;
}

/** How it runs until somebody says otherwise. */
export const NORMAL: Mode = { kind: 'normal', message: null };
