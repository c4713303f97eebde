import { erasedBlock, erasingBlock } from '../../domain/account.ts';
import type { EventActor } from '../../domain/history.ts';
import type { AccountId } from '../../domain/identity.ts';
import type { Instant } from '../../domain/instant.ts';
import { FIRST_GENERATION, type Generation } from '../../domain/role.ts';
import type { Takedown } from '../../domain/takedown.ts';
import type { ErasureRequest, ErasureStep, ErasureStore } from '../../ports/erasure-store.ts';
import { lte, notNull } from '../../records/conditions.ts';
import type { Database } from '../../records/database.ts';
import { all, type Step, type Steps } from '../../records/step.ts';
import { find, get, insert, remove, unlocked, update, upsert } from '../../records/steps.ts';
import {
  ACCOUNTS,
  ERASURES,
  type ErasureRow,
  SESSION_REFUSALS,
  SIGN_IN_LINKS,
} from '../../records/tables/account-tables.ts';
import { accountLock } from '../../records/tables/locks.ts';
import { ROLES, TAKEDOWNS } from '../../records/tables/role-tables.ts';
import { EVENTS, FEED_BEGINS } from '../../records/tables/service-tables.ts';
import { newAccount } from '../checks.ts';
import { appendEvents } from '../events.ts';
import { CLAIMED, claimedAhead, claimRoles, nextVersion } from '../role-rows.ts';
import { addChange, addQuery, type MoreLocks, tryWithLocks } from '../store-programs.ts';
import { type Advance, erasureEvent, forgetEvents, forgetPersons } from './erasure-steps.ts';
import {
  forgetConsents,
  forgetKeys,
  forgetLinks,
  forgetNames,
  forgetReservations,
  forgetRoles,
  forgetSessions,
  forgetTakedowns,
  ROLES_AT_ONCE,
} from './rows-of-erased.ts';

/**
 * Erases some rows of the first kind that still has any. Events come first, since those of stops are stored after them
 * in the replacement's feed.
 */
function* forgetNext(erasure: ErasureRow, step: Advance): Steps<ErasureStep | MoreLocks> {
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

function* end(erasure: ErasureRow, { now, ids }: Advance): Steps<ErasureStep> {
  const { account, replacement } = erasure;
  const stored = { account: replacement, hasArchive: true, cleanupNotBefore: notNull };
  const newest = { order: ['at', 'id'] as const, descending: true, limit: 1, select: ['at'] as const };
  const [[withArchive], [last]] = yield* all(
    find(ROLES, stored, { order: ['cleanupNotBefore'], limit: 1, select: ['id'] }),
    find(EVENTS, { account: replacement }, newest),
  );
  if (withArchive !== undefined) return 'archives_left';
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

const PLACE = ['account', 'replacement'] as const;
const STARTED = ['version', 'generation', 'blocked', 'lastPublishedAt'] as const;
const ANY = { limit: 1 } as const;
const PAGE = 100;

/** Finds the data of an account without a row: refused sign-ins, unused links, or imported takedowns. */
function traces(account: AccountId): Step<readonly (readonly object[])[], 'read'> {
  return all(
    find(EVENTS, { account }, { ...ANY, select: ['id'] }),
    find(SESSION_REFUSALS, { account }, { ...ANY, select: ['account'] }),
    find(SIGN_IN_LINKS, { account }, { ...ANY, select: ['account'] }),
    // Unlocked: its lock depends on a row that is not known yet, and the erasure searches again.
    unlocked(find(TAKEDOWNS, { account }, { ...ANY, select: ['id'] })),
  );
}

const begin = addChange('erasures.begin', {
  locks: ({ account, replacement }: ErasureRequest) => ({
    exclusive: [accountLock(account), accountLock(replacement)],
  }),
  usesReserve: () => true,
  *run({ account: name, replacement, at, actor }): Steps<'begun' | 'unknown'> {
    const row = yield* get(ACCOUNTS, { name }, STARTED);
    if (row?.blocked?.isErasing === true) return 'begun';
    if (row === undefined && (yield* traces(name)).every((found) => found.length === 0)) return 'unknown';
    const blocked = erasingBlock(at);
    const generation = ((row?.generation ?? FIRST_GENERATION) + 1) as Generation;
    yield* all(
      row === undefined
        ? insert(ACCOUNTS, { ...newAccount(name), blocked, generation })
        : update(ACCOUNTS, { name }, { blocked, generation, version: nextVersion(row) }),
      upsert(ACCOUNTS, {
        ...newAccount(replacement),
        blocked: erasedBlock(at),
        lastPublishedAt: row?.lastPublishedAt ?? null,
      }),
      upsert(ERASURES, {
        account: name,
        replacement,
        actor: withoutPerson(actor),
        persons: [],
        searchedTo: null,
        isSearched: false,
      }),
    );
    return 'begun';
  },
});

/** Removes the id of a person who began the erasure, because that person may be the one to erase. */
function withoutPerson(actor: EventActor): EventActor {
  return actor.kind === 'operator' || actor.kind === 'system' ? actor : { kind: actor.kind, id: null };
}

const list = addQuery('erasures.list', ([after, limit]: Parameters<ErasureStore['list']>) =>
  find(ERASURES, {}, { order: ['account'], after: after && { account: after }, limit, select: PLACE }),
);

const advance = addChange('erasures.advance', {
  locks: ({ account, replacement, more }: Advance) => ({
    exclusive: [accountLock(account), accountLock(replacement), ...more],
  }),
  usesReserve: () => true,
  *run(step) {
    const erasure = yield* get(ERASURES, { account: step.account });
    if (erasure?.replacement !== step.replacement) return { kind: 'done', step: 'erased' as ErasureStep };
    const outcome = yield* forgetNext(erasure, step);
    return typeof outcome === 'object' ? outcome : { kind: 'done', step: outcome };
  },
});

const claimArchives = addChange('erasures.claim_archives', {
  locks: ([account]: Parameters<ErasureStore['claimArchives']>) => ({ exclusive: [accountLock(account)] }),
  usesReserve: () => true,
  *run([account, claim]) {
    // Without the deletion, so that databases use the index of waiting roles, which has only those with an archive.
    const waiting = [{ cleanupNotBefore: lte(claim.now) }, ...claimedAhead(claim.now)];
    const range = { order: ['cleanupNotBefore'] as const, limit: claim.limit, select: CLAIMED };
    const rows = yield* all(
      ...waiting.map((each) => find(ROLES, { ...each, account, hasArchive: true }, range)),
    );
    return yield* claimRoles(rows.flat().slice(0, claim.limit), claim);
  },
});

const pageOfTakedowns = addQuery('erasures.takedowns', (after: Takedown | undefined) =>
  find(TAKEDOWNS, {}, { order: ['id', 'sha256'], after, limit: PAGE }),
);

export function erasureStore(database: Database): ErasureStore {
  return {
    // One for each role that a step stops.
    eventsAtOnce: ROLES_AT_ONCE,
    begin: (request) => database.write(begin, request),
    list: (...page) => database.read(list, page),
    advance: async ({ account, replacement }, now, ids) => {
      const { step } = await tryWithLocks((more) =>
        database.write(advance, { account, replacement, now, ids, more }),
      );
      await database.pause();
      return step;
    },
    claimArchives: (...claim) => database.write(claimArchives, claim),
    takedownsNaming: async (text) => {
      const found: Takedown[] = [];
      for (let last: Takedown | undefined; ; ) {
        const page = await database.read(pageOfTakedowns, last);
        found.push(...page.filter(({ reason }) => reason.includes(text)));
        last = page.at(-1);
        if (page.length < PAGE) return found;
      }
    },
  };
}
