import type { AccountId } from '../domain/identity.ts';
import { after, before, CLOCK_TOLERANCE, days } from '../domain/instant.ts';
import type { AccountStore } from '../ports/account-store.ts';
import { gt, lte, notNull } from '../records/conditions.ts';
import type { Database } from '../records/database.ts';
import { all, together } from '../records/step.ts';
import { aggregate, find, get, upsert } from '../records/steps.ts';
import { ACCOUNTS } from '../records/tables/account-tables.ts';
import { accountLock } from '../records/tables/locks.ts';
import { ROLES } from '../records/tables/role-tables.ts';
import { countInService, inServiceOf } from './admission.ts';
import { newAccount } from './checks.ts';
import { eventLocks, feedEnds, insertEvents } from './events.ts';
import { nextVersion } from './role-rows.ts';
import { addChange, addQuery } from './store-programs.ts';

const ACCOUNT = ['name', 'limits', 'blocked', 'generation', 'lastPublishedAt', 'publicationsMark'] as const;

const load = addQuery('accounts.load', (name: AccountId) => get(ACCOUNTS, { name }));

const save = addChange('accounts.save', {
  locks: ([{ name }, , events]: Parameters<AccountStore['save']>) => {
    return { exclusive: [accountLock(name), ...eventLocks(events)] };
  },
  usesReserve: ([change]) => change.blocked !== null,
  *run([{ name, limits, blocked, generation }, loadedAt, events]) {
    const [row, ends] = yield* together(get(ACCOUNTS, { name }), feedEnds(events));
    if (row?.version !== loadedAt) return { kind: 'conflict' };
    const { version, ...rest } = row === undefined ? newAccount(name) : { ...row, version: nextVersion(row) };
    const changed = { ...rest, limits, blocked, generation, version };
    yield* all(upsert(ACCOUNTS, changed), ...insertEvents(events, ends));
    return { kind: 'saved' };
  },
});

const list = addQuery('accounts.list', ([name, limit]: Parameters<AccountStore['list']>) => {
  return find(ACCOUNTS, {}, { order: ['name'], after: name && { name }, limit, select: ACCOUNT });
});

const usedBy = addQuery('accounts.used_by', function* ([account, now]: Parameters<AccountStore['usedBy']>) {
  // A clock that is ahead published the later ones.
  const lastDay = [gt(before(now, days(1))), lte(after(now, CLOCK_TOLERANCE))];
  const [inService, published, stopped] = yield* all(
    countInService(account, now),
    // Two queries, because stopped roles are in another index.
    aggregate(ROLES, { account, deletedAt: null, publishedAt: lastDay }),
    aggregate(ROLES, { account, deletedAt: notNull, publishedAt: lastDay }),
  );
  return { ...inServiceOf(inService), publications24h: published.count + stopped.count };
});

export function accountStore(database: Database): AccountStore {
  return {
    load: async (name, signal) => {
      const row = await database.read(load, name, signal);
      if (row === undefined) return undefined;
      const { version, ...value } = row;
      return { value, version };
    },
    save: (...saving) => database.write(save, saving),
    list: (...place) => database.read(list, place),
    usedBy: (...use) => database.snapshot(usedBy, use),
  };
}
