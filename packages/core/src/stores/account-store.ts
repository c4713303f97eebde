import type { Account } from '../domain/account.ts';
import type { HistoryEvent } from '../domain/history.ts';
import type { AccountId } from '../domain/identity.ts';
import { before, days, type Instant } from '../domain/instant.ts';
import type { AccountChange, AccountStore } from '../ports/account-store.ts';
import type { Version, Versioned } from '../ports/role-store.ts';
import { gt, notNull } from '../records/conditions.ts';
import type { Database } from '../records/database.ts';
import { all, together } from '../records/joining.ts';
import { type AnyProgram, type AnyQuery, defineQuery } from '../records/program.ts';
import { aggregate, find, get, upsert } from '../records/steps.ts';
import { ACCOUNTS, type AccountRow } from '../records/tables/account-tables.ts';
import { accountLock } from '../records/tables/locks.ts';
import { ROLES } from '../records/tables/role-tables.ts';
import { countInService, inServiceOf } from './admission-reads.ts';
import { newAccount } from './checks.ts';
import { defineChange } from './define-change.ts';
import { eventLocks, feedEnds, insertEvents } from './events.ts';
import { nextVersion } from './role-changes.ts';

const ACCOUNT = ['name', 'limits', 'blocked', 'generation', 'lastPublishedAt', 'publicationsMark'] as const;

interface Saving {
  readonly change: AccountChange;
  readonly loadedAt: Version | undefined;
  readonly events: readonly HistoryEvent[];
}

const load = defineQuery('accounts.load', (name: AccountId) => get(ACCOUNTS, { name }));

const save = defineChange('accounts.save', {
  locks: ({ change, events }: Saving) => ({ exclusive: [accountLock(change.name), ...eventLocks(events)] }),
  usesReserve: ({ change }) => change.blocked !== null,
  *run({ change: { name, limits, blocked, generation }, loadedAt, events }) {
    const [row, ends] = yield* together(get(ACCOUNTS, { name }), feedEnds(events));
    if (row?.version !== loadedAt) return { kind: 'conflict' };
    const { version, ...rest } = row === undefined ? newAccount(name) : { ...row, version: nextVersion(row) };
    const changed = { ...rest, limits, blocked, generation, version };
    yield* all(upsert(ACCOUNTS, changed), ...insertEvents(events, ends));
    return { kind: 'saved' };
  },
});

interface Place {
  readonly after: AccountId | undefined;
  readonly limit: number;
}

const list = defineQuery('accounts.list', ({ after: name, limit }: Place) =>
  find(
    ACCOUNTS,
    {},
    { order: ['name'], after: name === undefined ? undefined : { name }, limit, select: ACCOUNT },
  ),
);

interface Usage {
  readonly name: AccountId;
  readonly now: Instant;
}

const usedBy = defineQuery('accounts.used_by', function* ({ name: account, now }: Usage) {
  const since = before(now, days(1));
  const [inService, published, stopped] = yield* all(
    countInService(account, now),
    // Stopped ones are in an index of their own.
    aggregate(ROLES, { account, deletedAt: null, publishedAt: gt(since) }),
    aggregate(ROLES, { account, deletedAt: notNull, publishedAt: gt(since) }),
  );
  return { ...inServiceOf(inService), publications24h: published.count + stopped.count };
});

/** The programs of the store of accounts. */
export const ACCOUNT_PROGRAMS: readonly (AnyProgram | AnyQuery)[] = [load, save, list, usedBy];

/** Stores accounts in a database. */
export function accountStore(database: Database): AccountStore {
  return {
    load: async (name, signal) => {
      const row = await database.read(load, name, signal);
      return row && versioned(row);
    },
    save: (change, loadedAt, events) => database.write(save, { change, loadedAt, events }),
    list: (after, limit) => database.read(list, { after, limit }),
    usedBy: (name, now) => database.snapshot(usedBy, { name, now }),
  };
}

function versioned({ version, ...value }: AccountRow): Versioned<Account> {
  return { value, version };
}
