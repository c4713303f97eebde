import type { Instant } from '../../domain/instant.ts';
import type { ErasureStep } from '../../ports/erasure-store.ts';
import { notNull } from '../../records/conditions.ts';
import { all } from '../../records/joining.ts';
import type { Steps } from '../../records/step.ts';
import { find, remove } from '../../records/steps.ts';
import {
  ACCOUNTS,
  ERASURES,
  type ErasureRow,
  SESSION_REFUSALS,
} from '../../records/tables/account-tables.ts';
import { NAMES, ROLES } from '../../records/tables/role-tables.ts';
import { EVENTS, FEED_BEGINS } from '../../records/tables/service-tables.ts';
import { appendEvents } from '../events.ts';
import type { MoreLocks } from '../locking.ts';
import type { Advance, Forgotten } from './advance.ts';
import { forgetConsents, forgetKeys, forgetLinks, forgetSessions } from './credentials.ts';
import { erasureEvent, forgetEvents, forgetPersons } from './events-of-erased.ts';
import { forgetReservations, forgetRoles, forgetTakedowns, ROLES_AT_ONCE } from './roles-of-erased.ts';

/** Events of one step: one of each role that it stops. */
export const EVENTS_AT_ONCE: number = ROLES_AT_ONCE;

/** Names that one step removes, all under the lock of their account. */
const NAMES_AT_ONCE = 500;

export function isMoreLocks(outcome: ErasureStep | MoreLocks): outcome is MoreLocks {
  return typeof outcome === 'object';
}

/**
 * Erases rows of the first kind of which any are left. Events come first: those of stops are stored after them in
 * the replacement's feed.
 */
export function* forgetNext(erasure: ErasureRow, step: Advance): Steps<ErasureStep | MoreLocks> {
  const kinds = [
    forgetEvents,
    forgetSessions,
    forgetLinks,
    forgetConsents,
    forgetKeys,
    forgetNames,
    forgetRoles,
    forgetReservations,
    forgetTakedowns,
    forgetPersons,
  ];
  for (const forget of kinds) {
    const outcome = yield* forget(erasure, step);
    if (outcome !== undefined) return outcome;
  }
  return yield* end(erasure, step);
}

function* forgetNames({ account }: ErasureRow): Forgotten {
  const names = yield* find(NAMES, { account }, { limit: NAMES_AT_ONCE, select: ['name'] });
  if (names.length === 0) return undefined;
  yield* all(...names.map(({ name }) => remove(NAMES, { account, name })));
  return 'continued';
}

function* end(erasure: ErasureRow, { now, ids }: Advance): Steps<ErasureStep> {
  const { account, replacement } = erasure;
  const stored = { account: replacement, deletedAt: notNull, hasArchive: true };
  const newest = { order: ['at', 'id'] as const, descending: true, limit: 1, select: ['at'] as const };
  const [[left], [last]] = yield* all(
    find(ROLES, stored, { limit: 1, select: ['id'] }),
    find(EVENTS, { account: replacement }, newest),
  );
  if (left !== undefined) return 'archives_left';
  yield* all(
    remove(ACCOUNTS, { name: account }),
    remove(ERASURES, { account }),
    remove(SESSION_REFUSALS, { account }),
    remove(FEED_BEGINS, { account }),
  );
  const at = Math.max(now, (last?.at ?? 0) + 1) as Instant;
  yield* appendEvents([erasureEvent(erasure, { type: 'account.erased', at, ids, actor: erasure.actor })]);
  return 'erased';
}
