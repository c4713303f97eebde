import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CountedViews, DayOfViews, ViewStore } from '@pinfold/core';
import { type StoreSubject, viewStoreContract } from '@pinfold/test-contracts';
import { derived, type PortShape } from './derive.ts';
import type { Fields } from './distortions.ts';
import type { Mutant } from './mutant.ts';
import { overMemory, type StoreTable } from './over-memory.ts';
import { VIEWS } from './records.ts';

const { mutant, table } = overMemory<ViewStore>(({ views }) => views);

const DAY: Fields<DayOfViews> = { day: 'count', views: 'size', refusedPasswords: 'size' };

const shape: PortShape<ViewStore> = {
  methods: {
    add: {
      takes: { counted: [VIEWS] },
      clauses: 'unreachable add',
      untested: 'caches takes.counted.list-reversed',
      tested: 'repeats takes.counted.day.capped',
    },
    list: {
      takes: { role: 'uuid', from: 'count' },
      answers: [DAY],
      clauses: 'unreachable add list drop same-question',
      tested: 'answers.day.capped takes.from.capped',
    },
    drop: {
      takes: { before: 'count', limit: 'count' },
      answers: 'count',
      clauses: 'unreachable drop add-many',
      untested: 'shares takes.before.stuck takes.limit.stuck',
      tested: 'repeats takes.before.capped',
    },
  },
  confusions: { clauses: '', untested: '*' },
};

const stories: readonly Mutant<StoreSubject<ViewStore>>[] = [
  mutant('add', 'adding reads the count first and writes it later', () => (store) => {
    const keptOf = async ({ role, day }: CountedViews): Promise<number> =>
      (await store.list(role, day)).find((kept) => kept.day === day)?.views ?? 0;
    return {
      add: async (counted) => {
        for (const more of counted) {
          const read = await keptOf(more);
          await nextTurn();
          await store.add([{ ...more, views: read - (await keptOf(more)) + more.views }]);
        }
      },
    };
  }),
  mutant('add-many', 'a batch is cut at 500', () => (store) => ({
    add: (counted) => store.add(counted.slice(0, 500)),
  })),
];

export const viewStoreTable: StoreTable<ViewStore> = table(viewStoreContract, [
  ...derived(shape, mutant),
  ...stories,
]);
