import { errorText } from '../settings/settings-error.ts';

/** The result of a check; `skipped` if it does not apply, or depends on one that failed. */
export type FindingStatus = 'ok' | 'warning' | 'failed' | 'skipped';

export interface Finding {
  /** The name of the check, for scripts. */
  readonly check: string;
  readonly status: FindingStatus;
  readonly expected: string;
  readonly observed: string;
  /** The advice for the operator, or null. */
  readonly advice: string | null;
}

export type Result = Omit<Finding, 'check' | 'expected'>;

export interface Check {
  readonly name: string;
  readonly expected: string;
  /** Runs the check; `undefined` if it does not apply. */
  readonly run: () => Result | undefined | Promise<Result | undefined>;
  /** The advice if `run` throws; without it the error is thrown. */
  readonly advice?: string;
  /** Whether later checks depend on this one: they are left out if it fails. */
  readonly isRequired?: true;
}

export const ok = (observed: string): Result => ({ status: 'ok', observed, advice: null });
export const skipped = (observed: string): Result => ({ status: 'skipped', observed, advice: null });
export const warning = (observed: string, advice: string): Result => ({
  status: 'warning',
  observed,
  advice,
});
export const failed = (observed: string, advice: string): Result => ({ status: 'failed', observed, advice });

/** Runs checks in order; returns whether all required ones passed. */
export async function* runChecks(checks: readonly Check[]): AsyncGenerator<Finding, boolean> {
  for (const check of checks) {
    const result = await runCheck(check);
    if (result === undefined) continue;
    yield { check: check.name, expected: check.expected, ...result };
    if (check.isRequired && result.status === 'failed') return false;
  }
  return true;
}

async function runCheck({ run, advice }: Check): Promise<Result | undefined> {
  try {
    return await run();
  } catch (error) {
    if (advice === undefined) throw error;
    return failed(errorText(error), advice);
  }
}
