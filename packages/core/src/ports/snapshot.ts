import type { Instant } from '../domain/instant.ts';
import type { MovedRecord } from '../domain/record-lines.ts';

/**
 * Reads all lasting records of a database, as they were at one instant, for export. It leaves out data of the running
 * service: sessions and links, password tries, the usage of rates and keys, reservations, claims and versions.
 */
export interface Snapshot {
  /**
   * Texts are in order of code points, events in the order of (at, id).
   * @promise snapshot/whole: every account, key, publication, name, takedown, day of views and event is given once, with every field
   * @promise snapshot/order: accounts are ordered by name, keys and publications by id, names by account and name, takedowns by publication and archive, views by publication and day, events by instant and id; one kind after the other
   * @promise snapshot/instant: changes during the reading are not in it, and are not delayed
   * @promise snapshot/left-out: data that only a running service needs is not in it: databases that differ only in such data have equal snapshots
   * @promise snapshot/aborted: an aborted signal rejects with its reason, even while records are read
   */
  records(signal?: AbortSignal): AsyncIterable<MovedRecord>;

  /**
   * Records that a scheduled export is complete. An earlier instant than the recorded one changes nothing.
   * @promise snapshot/scheduled-export: the latest instant that any peer recorded is returned, unless it is over an hour later than one recorded since, as by a clock that was ahead, and undefined before the first; no snapshot has it
   */
  recordScheduledExport(endedAt: Instant): Promise<void>;

  /** When the last scheduled export was complete; undefined before the first. */
  lastScheduledExport(): Promise<Instant | undefined>;
}
