import { isErasedAccount } from '../domain/account.ts';
import type { CountedViews } from '../domain/views.ts';
import type { ViewStore } from '../ports/view-store.ts';
import { gte, lt, oneOf } from '../records/conditions.ts';
import type { Database } from '../records/database.ts';
import { all } from '../records/step.ts';
import { find, remove, unlocked, upsert } from '../records/steps.ts';
import { VIEWS_LOCK } from '../records/tables/locks.ts';
import { ROLES, VIEWS } from '../records/tables/role-tables.ts';
import { addChange, addQuery } from './store-programs.ts';

const COUNTS = ['day', 'views', 'refusedPasswords'] as const;
const KEY = ['role', 'day'] as const;
const OWNER = ['id', 'account'] as const;

const add = addChange('views.add', {
  locks: (_counted: readonly CountedViews[]) => ({ exclusive: [VIEWS_LOCK] }),
  *run(counted) {
    const roles = [...new Set(counted.map(({ role }) => role))];
    const [first] = counted.toSorted((one, other) => one.day - other.day);
    const [known, found] = yield* all(
      // One query from the first day on: nearly all of a batch is of one day.
      find(VIEWS, { role: oneOf(roles), day: first && gte(first.day) }),
      // Unlocked: an erasure moves roles to its replacement under the lock of views.
      unlocked(find(ROLES, { id: oneOf(roles) }, { select: OWNER })),
    );
    const erased = new Set(found.filter(({ account }) => isErasedAccount(account)).map(({ id }) => id));
    const remaining = counted.filter(({ role }) => !erased.has(role));
    yield* all(...addCounts(known, remaining).map((row) => upsert(VIEWS, row)));
  },
});

const list = addQuery('views.list', ([role, from]: Parameters<ViewStore['list']>) =>
  find(VIEWS, { role, day: gte(from) }, { order: ['day'], descending: true, select: COUNTS }),
);

const drop = addChange('views.drop', {
  locks: (_: Parameters<ViewStore['drop']>) => ({ exclusive: [VIEWS_LOCK] }),
  usesReserve: () => true,
  *run([before, limit]) {
    const old = yield* find(VIEWS, { day: lt(before) }, { order: ['day'], limit, select: KEY });
    yield* all(...old.map((key) => remove(VIEWS, key)));
    return old.length;
  },
});

export function viewStore(database: Database): ViewStore {
  return {
    add: async (counted) => {
      if (counted.length === 0) return;
      // Many counts are added batch after batch.
      await database.pause();
      await database.write(add, counted);
    },
    list: (...days) => database.read(list, days),
    drop: (...days) => database.write(drop, days),
  };
}

/** Adds counts to the stored rows. */
function addCounts(
  known: readonly CountedViews[],
  counted: readonly CountedViews[],
): readonly CountedViews[] {
  const before = new Map(known.map((row) => [keyOf(row), row]));
  const after = new Map<string, CountedViews>();
  for (const { role, day, views, refusedPasswords } of counted) {
    const key = keyOf({ role, day });
    const row = after.get(key) ?? before.get(key) ?? { views: 0, refusedPasswords: 0 };
    after.set(key, {
      role,
      day,
      views: row.views + views,
      refusedPasswords: row.refusedPasswords + refusedPasswords,
    });
  }
  return [...after.values()];
}

function keyOf({ role, day }: Pick<CountedViews, 'role' | 'day'>): string {
  return JSON.stringify([role, day]);
}
