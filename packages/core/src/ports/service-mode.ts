import type { Mode } from '../domain/admission.ts';
import type { HistoryEvent } from '../domain/history.ts';

/**
 * Stores the mode of the service. While it is read-only, the other stores of the same database refuse changes by accounts,
 * and nothing else.
 *
 * @promise service-mode/publications: while read-only nothing is reserved, committed or replayed; a refusal stores nothing and leaves its lease valid, which can still be renewed and released
 * @promise service-mode/changes: while read-only, no role is saved and no key is created by the authority of an account; the operator can do both
 * @promise service-mode/viewing: while read-only a role can be saved with the authority of viewing, unless its account is blocked
 * @promise service-mode/goes-on: while read-only, keys are revoked and used, sessions begin and end, tries and views are counted and accounts are saved
 */
export interface ServiceMode {
  /**
   * @promise service-mode/load: the mode is loaded as any peer changed it last, with its message; it is normal at first
   * @promise service-mode/load-aborted: an aborted signal rejects with its reason
   */
  load(signal?: AbortSignal): Promise<Mode>;

  /**
   * @promise service-mode/settled: once the service is read-only, no peer stores a change of an account that began before
   * @promise service-mode/events: a change is stored with its events, and setting the same mode again stores none
   */
  change(mode: Mode, events: readonly HistoryEvent[]): Promise<void>;
}
