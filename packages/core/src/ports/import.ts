import type { Token } from '../domain/identity.ts';
import type { MovedRecord } from '../domain/record-lines.ts';

/**
 * Imports the records of another database into an empty one. Until the end nothing else can be changed: archives keep their
 * ids, so a sweep would remove those whose records are not imported yet.
 *
 * @promise import/changes-refused: while an import is unfinished, every change by any peer rejects with the fault store_unavailable, and nothing is claimed or compared; reads work
 */
export interface Import {
  /**
   * @promise import/unfinished: every peer sees an import as unfinished from its beginning to its end
   * @promise import/unfinished-aborted: an aborted signal rejects with its reason
   */
  isUnfinished(signal?: AbortSignal): Promise<boolean>;

  /**
   * @promise import/begin-foreign: a database with an account, a key, a publication, a reservation, a name, a takedown, a day of views or an event of its own is refused and does not change
   * @promise import/begin-again: beginning again removes the records of an unfinished import and makes its token invalid; of many concurrent calls one has the token
   */
  begin(token: Token): Promise<{ readonly kind: 'begun' | 'refused' }>;

  /**
   * Stores records, all or none. A record whose name or id is stored already is ignored.
   * @promise import/keep-whole: a snapshot returns the imported records unchanged, and they work as in their own database
   * @promise import/keep-removal: a role whose removal is imported has the instants of the removal, and neither manifest nor archive
   * @promise import/keep-lost: a token that another one replaced, or that ended, stores nothing
   */
  saveRecords(token: Token, records: readonly MovedRecord[]): Promise<{ readonly kind: 'saved' | 'lost' }>;

  /**
   * @promise import/end: after the end changes work again; a lost token ends nothing
   * @promise import/feed: the feed has another id than before and the imported events in the order of instant and id, in any order of import
   */
  end(token: Token): Promise<{ readonly kind: 'ended' | 'lost' }>;
}
