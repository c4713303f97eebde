/** How a check came out; what was not tried, since something before it fails, is `skipped`. */
export type FindingStatus = 'ok' | 'warning' | 'failed' | 'skipped';

/** One thing that was tried. */
export interface Finding {
  /** What it is called, for scripts. */
  readonly check: string;
  readonly status: FindingStatus;
  readonly tried: string;
  readonly came: string;
  /** What to do; null where there is nothing to. */
  readonly advice: string | null;
}

/** A check whose outcome is not known yet. */
export interface Trying {
  ok(came: string): Finding;
  warning(came: string, advice: string): Finding;
  failed(came: string, advice: string): Finding;
  skipped(came: string): Finding;
}

/** Begins a finding with what is tried. */
export function trying(check: string, tried: string): Trying {
  const found =
    (status: FindingStatus) =>
    (came: string, advice: string | null = null): Finding => ({ check, status, tried, came, advice });
  return {
    ok: found('ok'),
    warning: found('warning'),
    failed: found('failed'),
    skipped: found('skipped'),
  };
}
