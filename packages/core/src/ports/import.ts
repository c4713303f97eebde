import type { Token } from '../domain/identity.ts';
import type { MovedRecord } from '../domain/record-lines.ts';

/**
 * Imports the records of another database into an empty one. Until the end nothing else can be changed: archives keep their
 * ids, so a sweep would remove those whose records are not imported yet.
 *
 * @promise import/changes-refused: while an import is unfinished every change by any peer is the fault store_unavailable, and nothing is claimed or compared; reads work
 */
export interface Import {
  /**
   * @promise import/unfinished: an import is unfinished, for every peer, from its beginning to its end
   * @promise import/unfinished-aborted: an aborted signal rejects with its reason
   */
  isUnfinished(signal?: AbortSignal): Promise<boolean>;

  /**
   * @promise import/begin-foreign: a database with an account, a key, a publication, a reservation, a name, a takedown, a day of views or an event of its own is refused and left as it is
   * @promise import/begin-again: what an unfinished import stored before is gone, and its token is good for nothing more; of many at once one holds the token
   */
  begin(token: Token): Promise<{ readonly kind: 'begun' } | { readonly kind: 'refused' }>;

  /**
   * Stores records, all or none. A record whose name or id is stored already is ignored.
   * @promise import/keep-whole: a snapshot gives the imported records again, the same in every field, and they work as where they come from
   * @promise import/keep-removal: a role whose removal is imported has the instants of it, and neither manifest nor archive
   * @promise import/keep-lost: with a token that another one took over, or that ended, nothing is stored
   */
  saveRecords(token: Token, records: readonly MovedRecord[]): Promise<{ readonly kind: 'saved' | 'lost' }>;

  /**
   * @promise import/end: after the end changes are made again; a lost token ends nothing
   * @promise import/feed: the feed has another id than before and the imported events in the order of instant and id, in any order of import
   */
  end(token: Token): Promise<{ readonly kind: 'ended' | 'lost' }>;
}
