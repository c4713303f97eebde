import type { Mode } from '../../domain/admission.ts';
import type { FeedId } from '../../domain/history.ts';
import type { Token } from '../../domain/identity.ts';
import type { Instant } from '../../domain/instant.ts';
import type { Comparison } from '../../domain/reconciliation.ts';
import type { Version } from '../../ports/role-store.ts';
import { type ColumnFor, defineTable, integer, json, nullable, type RecordTable, text } from '../table.ts';
import { COMPARISON_LOCK, EXPORT_LOCK, FEED_LOCK, IMPORT_LOCK, MODE_LOCK } from './locks.ts';

/** The row of a table that has at most one. */
export type OnlyRow<Members> = Members & { readonly id: 1 };

type OnlyRowTable<Members> = RecordTable<OnlyRow<Members>, 'id'>;

/** Defines a table of at most one row, with a lock of its own. */
function defineOnlyRow<Members>(
  name: string,
  lock: string,
  columns: NoInfer<{ readonly [Member in keyof Members]: ColumnFor<Members[Member]> }>,
): OnlyRowTable<Members> {
  const definition = { name, columns: { id: integer, ...columns }, key: ['id'], guards: () => [lock] };
  return defineTable(definition as never);
}

/** The id of the feed of this database. */
export const FEEDS: OnlyRowTable<{ readonly feed: FeedId }> = defineOnlyRow('feeds', FEED_LOCK, {
  feed: text,
});

/** The mode of the service; no row in the normal mode. */
export const MODES: OnlyRowTable<Mode> = defineOnlyRow('service_modes', MODE_LOCK, {
  kind: text,
  message: nullable(text),
});

/** The import that has not ended. */
export const UNFINISHED_IMPORTS: OnlyRowTable<{ readonly token: Token }> = defineOnlyRow(
  'unfinished_imports',
  IMPORT_LOCK,
  { token: text },
);

/** The last complete export of the schedule. */
export const SCHEDULED_EXPORTS: OnlyRowTable<{ readonly endedAt: Instant }> = defineOnlyRow(
  'scheduled_exports',
  EXPORT_LOCK,
  { endedAt: integer },
);

/** The progress of the comparison of storage with the records. */
export const COMPARISONS: OnlyRowTable<{ readonly version: Version; readonly comparison: Comparison }> =
  defineOnlyRow('comparisons', COMPARISON_LOCK, { version: integer, comparison: json });
