import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CountedViews, Day, ViewStore } from '@pinfold/core';
import { type StoreSubject, viewStoreContract } from '@pinfold/test-contracts';
import { memorySaboteurs, oneForAll, strangers } from './memory-saboteurs.ts';
import { clausesBut, type Sabotage, type Saboteur } from './sabotage.ts';

const { opening, sound, saboteur } = memorySaboteurs<ViewStore>(({ views }) => views);

const saboteurs: readonly Saboteur<StoreSubject<ViewStore>>[] = [
  {
    breaks: 'view-store/harness-apart',
    how: 'all subjects are over the same data',
    open: opening(oneForAll),
  },
  {
    breaks: 'view-store/harness-peer',
    how: 'a peer opens data of its own',
    open: opening(strangers),
    alsoFails: clausesBut(viewStoreContract, ['view-store/harness-apart', 'view-store/unreachable']),
  },
  saboteur('view-store/add', 'what is there is read first and written over later', () => (store) => {
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
  saboteur('view-store/add-many', 'a batch has room for 500', () => (store) => ({
    add: (counted) => store.add(counted.slice(0, 500)),
  })),
  saboteur('view-store/list', 'the first day is left out', () => (store) => ({
    list: (role, from) => store.list(role, (from + 1) as Day),
  })),
  saboteur('view-store/drop', 'the day itself goes, too', () => (store) => ({
    drop: (before, limit) => store.drop((before + 1) as Day, limit),
  })),
  saboteur('view-store/unreachable', 'what cannot be added is forgotten', () => (store) => ({
    add: (counted) => store.add(counted).catch(() => undefined),
  })),
];

export const viewStoreSabotage: Sabotage<ViewStore, StoreSubject<ViewStore>> = {
  contract: viewStoreContract,
  sound,
  saboteurs,
};
