import type { CountedViews, ViewStore } from '@pinfold/core';
import type { Connection } from './connection.ts';
import { dropFrom } from './order.ts';

export function nameOfDay({ role, day }: Pick<CountedViews, 'role' | 'day'>): string {
  return `${role} ${day}`;
}

export function memoryViewStore(connection: Connection): ViewStore {
  return {
    add: async (counted) => {
      const { views: rows } = connection.change();
      for (const { role, day, views, refusedPasswords } of counted) {
        const key = nameOfDay({ role, day });
        const known = rows.get(key) ?? { views: 0, refusedPasswords: 0 };
        rows.set(key, {
          role,
          day,
          views: known.views + views,
          refusedPasswords: known.refusedPasswords + refusedPasswords,
        });
      }
    },
    list: async (wanted, from) => {
      const rows = [...connection.open().views.values()];
      return rows
        .filter(({ role, day }) => role === wanted && day >= from)
        .sort((one, other) => other.day - one.day)
        .map(({ role: _, ...day }) => day);
    },
    drop: async (before, limit) => dropFrom(connection.change().views, limit, ({ day }) => day < before),
  };
}
