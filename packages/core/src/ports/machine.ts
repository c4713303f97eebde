import type { Uptime } from '../domain/reconciliation.ts';

/** The machine that the process runs on. */
export interface Machine {
  /** The same boot for every process of the machine until it restarts, and an uptime that no setting of clocks changes. */
  uptime(): Uptime;
}
