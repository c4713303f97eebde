import { setImmediate as nextTurn } from 'node:timers/promises';
import type { HistoryEvent, Instant } from '@pinfold/core';
import { type HistoryStores, historyStoreContract, type StoreSubject } from '@pinfold/test-contracts';
import { anEvent, aSession, replacing, START } from '@pinfold/test-contracts/fixtures';
import { memorySaboteurs, oneForAll, strangers } from './memory-saboteurs.ts';
import { clausesBut, type Sabotage, type Saboteur } from './sabotage.ts';

const { opening, sound, saboteur } = memorySaboteurs<HistoryStores>((memory) => memory);

let others = 1_000;

/** After which a handle believes what it saw. */
const LATE = START;

/** Keeps events with no change of their own. */
async function keepAlone({ sessions }: HistoryStores, events: readonly HistoryEvent[]): Promise<void> {
  others += 1;
  await sessions.begin(aSession(others), events);
}

const keepingSaboteurs: readonly Saboteur<StoreSubject<HistoryStores>>[] = [
  saboteur(
    'history-store/with-publication',
    'a commit keeps its events also when it stores nothing',
    () => (stores) => ({
      roles: replacing(stores.roles, {
        commit: async (publication, lease, events) => {
          const outcome = await stores.roles.commit(publication, lease, []);
          await keepAlone(stores, events);
          return outcome;
        },
      }),
    }),
    ['history-store/in-turn'],
  ),
  saboteur(
    'history-store/with-change',
    'a conflict keeps its events',
    () => (stores) => ({
      roles: replacing(stores.roles, {
        save: async (role, version, events, authority) => {
          const outcome = await stores.roles.save(role, version, events, authority);
          if (outcome.kind === 'conflict') await keepAlone(stores, events);
          return outcome;
        },
      }),
    }),
    ['history-store/in-turn'],
  ),
  saboteur(
    'history-store/with-cleanup',
    'a claim that is lost keeps its events',
    () => (stores) => ({
      roles: replacing(stores.roles, {
        settleCleanup: async (task, outcome, events) => {
          await stores.roles.settleCleanup(task, outcome, []);
          await keepAlone(stores, events);
        },
      }),
    }),
    ['history-store/in-turn'],
  ),
  saboteur('history-store/with-keys', 'a key that is revoked again is told again', () => (stores) => ({
    apiKeys: replacing(stores.apiKeys, {
      revoke: async (id, at, events) => {
        const outcome = await stores.apiKeys.revoke(id, at, []);
        if (outcome.kind === 'revoked') await keepAlone(stores, events);
        return outcome;
      },
    }),
  })),
  saboteur('history-store/with-sessions', 'a redeemed link is told of as of nobody', () => (stores) => ({
    sessions: replacing(stores.sessions, {
      redeem: async (request, events) => {
        const outcome = await stores.sessions.redeem(request, []);
        const actor = { kind: 'operator', id: null } as const;
        if (outcome.kind === 'redeemed') {
          const { account } = outcome.session;
          await keepAlone(
            stores,
            events.map((event) => ({ ...event, account, actor })),
          );
        }
        return outcome;
      },
    }),
  })),
  saboteur('history-store/refused-sign-ins', 'all accounts share one bound', () => (stores) => ({
    sessions: replacing(stores.sessions, {
      refuse: async (event, unlessSince) => {
        const { items } = await stores.history.list({
          account: undefined,
          pin: undefined,
          since: (unlessSince + 1) as Instant,
          after: undefined,
          limit: 1,
        });
        if (items.length === 0) await stores.sessions.refuse(event, unlessSince);
      },
    }),
  })),
  saboteur(
    'history-store/in-turn',
    'events are kept as they come',
    () => (stores) => ({
      roles: replacing(stores.roles, {
        save: async (role, version, events, authority) => {
          const outcome = await stores.roles.save(role, version, [], authority);
          if (outcome.kind === 'saved') await keepAlone(stores, events);
          return outcome;
        },
      }),
    }),
    ['history-store/tell-expired-conflicts'],
  ),
];

const readingSaboteurs: readonly Saboteur<StoreSubject<HistoryStores>>[] = [
  saboteur('history-store/list-order', 'the address is not kept', () => (stores) => ({
    sessions: replacing(stores.sessions, {
      begin: (session, events) =>
        stores.sessions.begin(
          session,
          events.map((event) => ({ ...event, address: null })),
        ),
    }),
  })),
  saboteur(
    'history-store/list-pages',
    'a page goes on behind the instant of the last',
    () => (stores) => ({
      history: replacing(stores.history, {
        list: (query) => {
          const { after } = query;
          const behind = after && { ...after, id: '' as HistoryEvent['id'] };
          return stores.history.list({ ...query, after: behind });
        },
      }),
    }),
    ['history-store/many'],
  ),
  saboteur('history-store/list-filter', 'with a role the account is not looked at', () => (stores) => ({
    history: replacing(stores.history, {
      list: (query) =>
        stores.history.list(query.pin === undefined ? query : { ...query, account: undefined }),
    }),
  })),
  saboteur('history-store/drop', 'events of the instant go, too', () => (stores) => ({
    history: replacing(stores.history, {
      drop: (before, limit) => stores.history.drop((before + 1) as Instant, limit),
    }),
  })),
  saboteur('history-store/thin', 'what was recorded late goes, too', () => (stores) => ({
    history: replacing(stores.history, {
      thin: (thinning) =>
        stores.history.thin({ ...thinning, until: (thinning.until + 100) as Instant, since: thinning.since }),
    }),
  })),
];

const expiringSaboteurs: readonly Saboteur<StoreSubject<HistoryStores>>[] = [
  saboteur('history-store/expired', 'a role expires after its instant, not at it', () => (stores) => ({
    history: replacing(stores.history, {
      expired: (by, limit) => stores.history.expired((by - 1) as Instant, limit),
    }),
  })),
  saboteur(
    'history-store/tell-expired-once',
    'who looked before tells, whatever came since',
    () => (stores) => ({
      history: replacing(stores.history, {
        tellExpired: async (events) => {
          const [event] = events;
          const role = event?.pin == null ? undefined : await stores.roles.load(event.pin);
          await nextTurn();
          await stores.history.tellExpired(events);
          if (role !== undefined && event !== undefined)
            await keepAlone(stores, [{ ...event, id: anEvent().id }]);
        },
      }),
    }),
  ),
  saboteur('history-store/tell-expired-conflicts', 'a change decided before it is saved', () => {
    const seen = new Map<unknown, unknown>();
    return (stores) => ({
      roles: replacing(stores.roles, {
        save: async (role, version, events, authority) => {
          const now = await stores.roles.load(role.id);
          const wasTold = seen.get(role.id) === version;
          return await stores.roles.save(role, wasTold && now ? now.version : version, events, authority);
        },
      }),
      history: replacing(stores.history, {
        tellExpired: async (events) => {
          for (const { pin } of events) {
            if (pin !== null) seen.set(pin, (await stores.roles.load(pin))?.version);
          }
          await stores.history.tellExpired(events);
        },
      }),
    });
  }),
];

const reachSaboteurs: readonly Saboteur<StoreSubject<HistoryStores>>[] = [
  saboteur('history-store/with-accounts', 'what is changed of an account leaves nothing', () => (stores) => ({
    accounts: replacing(stores.accounts, {
      save: (account, loadedAt) => stores.accounts.save(account, loadedAt, []),
    }),
  })),
  saboteur('history-store/many', 'no more than 500 are dropped at a time', () => (stores) => ({
    history: replacing(stores.history, {
      drop: (before, limit) => stores.history.drop(before, Math.min(limit, 500)),
    }),
  })),
  saboteur(
    'history-store/same-question',
    'each handle keeps whom it found expired',
    () => (stores) => {
      let kept: ReturnType<HistoryStores['history']['expired']> | undefined;
      return {
        history: replacing(stores.history, {
          expired: async (by, limit) => {
            const asked = stores.history.expired(by, limit);
            if (by < LATE) return await asked;
            kept ??= asked;
            return await kept;
          },
        }),
      };
    },
    ['history-store/expired'],
  ),
  saboteur('history-store/unreachable', 'what cannot be told is forgotten', () => (stores) => ({
    history: replacing(stores.history, {
      tellExpired: (events) => stores.history.tellExpired(events).catch(() => undefined),
    }),
  })),
];

const saboteurs: readonly Saboteur<StoreSubject<HistoryStores>>[] = [
  {
    breaks: 'history-store/harness-apart',
    how: 'all subjects are over the same data',
    open: opening(oneForAll),
    alsoFails: ['history-store/expired'],
  },
  {
    breaks: 'history-store/harness-peer',
    how: 'a peer opens data of its own',
    open: opening(strangers),
    alsoFails: clausesBut(historyStoreContract, [
      'history-store/harness-apart',
      'history-store/list-filter',
      'history-store/refused-sign-ins',
      'history-store/unreachable',
    ]),
  },
  ...keepingSaboteurs,
  ...readingSaboteurs,
  ...expiringSaboteurs,
  ...reachSaboteurs,
];

export const historyStoreSabotage: Sabotage<HistoryStores, StoreSubject<HistoryStores>> = {
  contract: historyStoreContract,
  sound,
  saboteurs,
};
