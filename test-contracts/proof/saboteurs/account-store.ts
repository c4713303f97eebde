import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type Account,
  type AccountId,
  type Generation,
  type IdempotencyKey,
  instant,
  isFault,
  type RoleCommit,
} from '@pinfold/core';
import { NO_LIMITS } from '@pinfold/core/adapter';
import { type AccountStores, accountStoreContract, type StoreSubject } from '@pinfold/test-contracts';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { memorySaboteurs, oneForAll, type Spoiling, strangers } from './memory-saboteurs.ts';
import { clausesBut, type Sabotage, type Saboteur } from './sabotage.ts';

const { opening, sound, saboteur } = memorySaboteurs<AccountStores>(
  ({ accounts, apiKeys, roles, sessions }) => ({ accounts, apiKeys, roles, sessions }),
);

/** A spoiling of one of the stores. */
function within<Name extends keyof AccountStores>(
  name: Name,
  spoiling: (store: AccountStores[Name]) => Partial<AccountStores[Name]>,
): Spoiling<AccountStores> {
  return () => (stores) =>
    ({ [name]: replacing(stores[name], spoiling(stores[name])) }) as Partial<AccountStores>;
}

const saboteurs: readonly Saboteur<StoreSubject<AccountStores>>[] = [
  {
    breaks: 'account-store/harness-apart',
    how: 'all subjects are over the same data',
    open: opening(oneForAll),
    alsoFails: ['account-store/made'],
  },
  {
    breaks: 'account-store/harness-peer',
    how: 'a peer opens data of its own',
    open: opening(strangers),
    alsoFails: clausesBut(accountStoreContract, [
      'account-store/harness-apart',
      'account-store/load-aborted',
      'account-store/used',
      'account-store/lets-go',
      'account-store/unreachable',
    ]),
  },
  saboteur(
    'account-store/load',
    'names are compared in one normal form',
    within('accounts', (store) => {
      const same = (name: AccountId): AccountId => name.normalize('NFC') as AccountId;
      return { load: (name, signal) => store.load(same(name), signal) };
    }),
  ),
  saboteur(
    'account-store/load-aborted',
    'the signal is not looked at',
    within('accounts', (store) => ({ load: (name) => store.load(name) })),
  ),
  saboteur('account-store/made', 'a session makes no account', () => {
    const signedIn = new Set<AccountId>();
    return (stores) => ({
      sessions: replacing(stores.sessions, {
        begin: async (session, events) => {
          signedIn.add(session.account);
          return await stores.sessions.begin(session, events);
        },
      }),
      accounts: replacing(stores.accounts, {
        load: async (name, signal) =>
          signedIn.has(name) ? undefined : await stores.accounts.load(name, signal),
      }),
    });
  }),
  saboteur(
    'account-store/save-lost-race',
    'a publication makes a save conflict',
    () => {
      const published = new Set<AccountId>();
      return ({ accounts, roles }) => ({
        roles: replacing(roles, {
          commit: async (publication, lease, events) => {
            const known = await accounts.load(lease.account);
            if (known !== undefined) published.add(lease.account);
            return await roles.commit(publication, lease, events);
          },
        }),
        accounts: replacing(accounts, {
          save: async (account, loadedAt, events) =>
            published.delete(account.name)
              ? { kind: 'conflict' }
              : await accounts.save(account, loadedAt, events),
        }),
      });
    },
    ['account-store/limits-precede', 'account-store/blocked'],
  ),
  saboteur(
    'account-store/save-race',
    'a save looks first and writes later',
    within('accounts', (store) => ({
      save: async (account, loadedAt, events) => {
        const isNewest = (await store.load(account.name))?.version === loadedAt;
        await nextTurn();
        if (!isNewest) return { kind: 'conflict' };
        await store.save(account, (await store.load(account.name))?.version, events);
        return { kind: 'saved' };
      },
    })),
  ),
  saboteur(
    'account-store/list',
    'names are in order of code units',
    within('accounts', (store) => ({
      list: async (after, limit) =>
        [...(await store.list(undefined, 1_000))]
          .sort((one, other) => (one.name < other.name ? -1 : 1))
          .filter(({ name }) => after === undefined || name > after)
          .slice(0, limit),
    })),
    ['account-store/list-many'],
  ),
  saboteur(
    'account-store/used',
    'a publication ends after its instant, not at it',
    within('accounts', (store) => ({ usedBy: (name, now) => store.usedBy(name, instant(now - 1)) })),
  ),
  saboteur('account-store/limits-precede', 'limits of an account are kept and not looked at', () => {
    const kept = new Map<AccountId, typeof NO_LIMITS>();
    return (stores) => ({
      accounts: replacing(stores.accounts, {
        load: async (name, signal) => {
          const loaded = await stores.accounts.load(name, signal);
          const limits = kept.get(name) ?? NO_LIMITS;
          return loaded && { ...loaded, value: { ...loaded.value, limits } };
        },
        save: async (account, loadedAt, events) => {
          const outcome = await stores.accounts.save({ ...account, limits: NO_LIMITS }, loadedAt, events);
          if (outcome.kind === 'saved') kept.set(account.name, account.limits);
          return outcome;
        },
      }),
    });
  }),
  saboteur('account-store/blocked', 'a blocked account is answered a replay', () => {
    const committed = new Map<IdempotencyKey, RoleCommit>();
    return ({ roles }) => ({
      roles: replacing(roles, {
        reserve: async (request) => {
          const outcome = await roles.reserve(request);
          const publication = committed.get(request.key);
          if (outcome.kind !== 'refused' || publication === undefined) return outcome;
          return { kind: 'complete', role: publication.role.id, warnings: publication.warnings };
        },
        commit: async (publication, lease, events) => {
          const outcome = await roles.commit(publication, lease, events);
          if (outcome.kind === 'committed') committed.set(lease.key, publication);
          return outcome;
        },
      }),
    });
  }),
  saboteur('account-store/blocked-changes', 'nobody is the operator', () => ({ roles }) => ({
    roles: replacing(roles, {
      save: (role, version, events, _, credential) =>
        roles.save(role, version, events, 'account', credential),
    }),
  })),
  saboteur('account-store/blocked-changes', 'everybody is the operator', () => ({ apiKeys }) => ({
    apiKeys: replacing(apiKeys, { create: (key, events) => apiKeys.create(key, events, 'operator') }),
  })),
  saboteur(
    'account-store/revoked-key',
    'a commit looks at the key first and stores later',
    () =>
      ({ roles, apiKeys }) => ({
        roles: replacing(roles, {
          commit: async (publication, lease, events) => {
            const { key, session = null } = publication.credential ?? {};
            const found = key ? await apiKeys.find(key) : undefined;
            await nextTurn();
            if ((found?.revokedAt ?? null) !== null) return { kind: 'refused', code: 'unauthorized' };
            return await roles.commit({ ...publication, credential: { session } }, lease, events);
          },
        }),
      }),
  ),
  saboteur('account-store/ended-session', 'a save does not look at the session', () => ({ roles }) => ({
    roles: replacing(roles, {
      save: (role, version, events, authority, { key = null } = {}) =>
        roles.save(role, version, events, authority, { key }),
    }),
  })),
  saboteur('account-store/with-roles', 'every block hides', () => ({ roles, accounts }) => ({
    roles: replacing(roles, {
      load: async (id, signal) => {
        const found = await roles.load(id, signal);
        const owner = found && (await accounts.load(found.value.account))?.value;
        return found && { ...found, isHidden: (owner?.blocked ?? null) !== null };
      },
    }),
  })),
  saboteur('account-store/with-roles', 'a generation has 16 bits', () => ({ roles }) => ({
    roles: replacing(roles, {
      load: async (id, signal) => {
        const found = await roles.load(id, signal);
        const accountGeneration = ((found?.accountGeneration ?? 0) & 0xffff) as Generation;
        return found && { ...found, accountGeneration };
      },
    }),
  })),
  saboteur('account-store/list-many', 'a walk ends after a thousand', () => ({ accounts }) => ({
    accounts: replacing(accounts, {
      list: async (after, limit) => {
        const first = new Set((await accounts.list(undefined, 1_000)).map(({ name }) => name));
        return (await accounts.list(after, limit)).filter(({ name }) => first.has(name));
      },
    }),
  })),
  saboteur('account-store/same-question', 'each handle keeps the page that it gave', () => ({ accounts }) => {
    let kept: readonly Account[] | undefined;
    return {
      accounts: replacing(accounts, {
        list: async (after, limit) => {
          const page = limit === 10 ? kept : undefined;
          const listed = page ?? (await accounts.list(after, limit));
          if (limit === 10) kept = listed;
          return listed;
        },
      }),
    };
  }),
  saboteur('account-store/lets-go', 'a load goes on listening to its signal', () => ({ accounts }) => ({
    accounts: replacing(accounts, {
      load: (name, signal) => {
        signal?.addEventListener('abort', () => undefined);
        return accounts.load(name, signal);
      },
    }),
  })),
  saboteur('account-store/lets-go', 'a load goes on listening where it faults', () => ({ accounts }) => ({
    accounts: replacing(accounts, {
      load: async (name, signal) => {
        const heard = (): void => undefined;
        signal?.addEventListener('abort', heard);
        const loaded = await accounts.load(name, signal);
        signal?.removeEventListener('abort', heard);
        return loaded;
      },
    }),
  })),
  saboteur('account-store/unreachable', 'an account that cannot be loaded is none', () => ({ accounts }) => ({
    accounts: replacing(accounts, {
      load: (name, signal) =>
        accounts.load(name, signal).catch((error: unknown) => {
          if (isFault(error)) return undefined;
          throw error;
        }),
    }),
  })),
];

export const accountStoreSabotage: Sabotage<AccountStores, StoreSubject<AccountStores>> = {
  contract: accountStoreContract,
  sound,
  saboteurs,
};
