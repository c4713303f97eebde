import type { RoleId } from '../domain/identity.ts';
import type { CountedViews, Day } from '../domain/views.ts';
import type { ViewStore } from '../ports/view-store.ts';
import { gte, lt, oneOf } from '../records/conditions.ts';
import type { Database } from '../records/database.ts';
import { all } from '../records/joining.ts';
import { type AnyProgram, type AnyQuery, defineQuery } from '../records/program.ts';
import { find, remove, upsert } from '../records/steps.ts';
import { VIEWS_LOCK } from '../records/tables/locks.ts';
import { VIEWS } from '../records/tables/role-tables.ts';
import { defineChange } from './define-change.ts';

const COUNTS = ['day', 'views', 'refusedPasswords'] as const;
const KEY = ['role', 'day'] as const;

const add = defineChange('views.add', {
  locks: (_counted: readonly CountedViews[]) => ({ exclusive: [VIEWS_LOCK] }),
  *run(counted) {
    const roles = [...new Set(counted.map(({ role }) => role))];
    const [first] = counted.toSorted((one, other) => one.day - other.day);
    // In one step, since nearly all of a batch is of one day.
    const known = yield* find(VIEWS, { role: oneOf(roles), day: first && gte(first.day) });
    yield* all(...added(known, counted).map((row) => upsert(VIEWS, row)));
  },
});

const list = defineQuery('views.list', ({ role, from }: { readonly role: RoleId; readonly from: Day }) =>
  find(VIEWS, { role, day: gte(from) }, { order: ['day'], descending: true, select: COUNTS }),
);

const drop = defineChange('views.drop', {
  locks: (_: { readonly before: Day; readonly limit: number }) => ({ exclusive: [VIEWS_LOCK] }),
  usesReserve: () => true,
  *run({ before, limit }) {
    const old = yield* find(VIEWS, { day: lt(before) }, { order: ['day'], limit, select: KEY });
    yield* all(...old.map((key) => remove(VIEWS, key)));
    return old.length;
  },
});

/** The programs of the store of views. */
export const VIEW_PROGRAMS: readonly (AnyProgram | AnyQuery)[] = [add, list, drop];

/** Stores views in a database. */
export function viewStore(database: Database): ViewStore {
  return {
    add: async (counted) => {
      if (counted.length > 0) await database.write(add, counted);
    },
    list: (role, from) => database.read(list, { role, from }),
    drop: (before, limit) => database.write(drop, { before, limit }),
  };
}

/** The rows of what was counted, with what was known of them before. */
function added(known: readonly CountedViews[], counted: readonly CountedViews[]): readonly CountedViews[] {
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
