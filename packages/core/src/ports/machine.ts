import type { Uptime } from '../domain/reconciliation.ts';

/** The machine that the process runs on. */
export interface Machine {
  /** The boot is the same for all processes of the machine until it restarts; setting a clock does not change the uptime. */
  uptime(): Uptime;
}
