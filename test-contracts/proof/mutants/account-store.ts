import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AccountId, AccountStore, IdempotencyKey, Instant, RoleCommit } from '@pinfold/core';
import { NO_ACCOUNT_LIMITS } from '@pinfold/core/adapter';
import { type AccountStores, accountStoreContract, type StoreSubject } from '@pinfold/test-contracts';
import { aRole, replacing } from '@pinfold/test-contracts/fixtures';
import { derived, type PortShape, part } from './derive.ts';
import type { Mutant } from './mutant.ts';
import { overMemory, type StoreTable } from './over-memory.ts';
import { ACCOUNT, EVENTS } from './records.ts';

const { mutant, table } = overMemory<AccountStores>((memory) => memory);
const ofRoles = part(mutant, 'roles');
const ofKeys = part(mutant, 'apiKeys');

const shape: PortShape<AccountStore> = {
  methods: {
    load: {
      takes: { name: 'text', signal: 'signal' },
      answers: { value: ACCOUNT, version: 'count' },
      clauses: [
        'unreachable load blocked made limits-precede same-question save-lost-race with-roles',
        'lets-go load-aborted',
      ],
      untested: [
        'answers.value.blocked.at.{seconds,stuck} answers.value.blocked.reason.stuck',
        'answers.value.blocked.sites answers.value.lastPublishedAt.{seconds,stuck}',
        'answers.value.limits.bytes.stuck answers.value.limits.publications.stuck',
        'answers.value.limits.requests.stuck answers.value.limits.sites.stuck',
        'answers.value.{name,publicationsMark} takes.name.{cut,latin,numeric,quoted}',
      ],
      tested: 'answers.value.generation.capped answers.value.name.{lost,lowered,raised}',
    },
    save: {
      takes: { account: ACCOUNT, loadedAt: 'count', events: EVENTS },
      answers: { kind: 'choice' },
      early: { value: { kind: 'saved' } },
      clauses: 'unreachable load limits-precede list blocked save-race with-roles',
      untested: [
        'caches takes.account.blocked.at.{seconds,stuck} takes.account.blocked.reason.stuck',
        'takes.account.limits.bytes.stuck takes.account.limits.requests.stuck',
        'takes.account.limits.sites.stuck takes.account.name.{composed,cut,numeric,quoted,trimmed}',
        'takes.account.{lastPublishedAt,publicationsMark} takes.events',
      ],
      tested: 'repeats takes.account.generation.capped',
    },
    list: {
      takes: { after: 'text', limit: 'count' },
      answers: [ACCOUNT],
      clauses: 'unreachable list same-question made list-many',
      untested: [
        'answers.generation.stuck answers.name.{composed,cut,numeric,quoted,trimmed}',
        'answers.{blocked,lastPublishedAt,limits,publicationsMark} takes.after takes.limit.stuck',
      ],
      tested: 'takes.after.{latin,lost,raised,stuck}',
    },
    usedBy: {
      takes: { name: 'text', now: 'instant' },
      answers: { sites: 'count', bytes: 'size', publications24h: 'count' },
      early: { value: { sites: 0, bytes: 0, publications24h: 0 } },
      clauses: 'unreachable used same-question',
      untested: 'takes.name takes.now.seconds',
      tested: 'takes.name.{lost,raised,stuck}',
    },
  },
  confusions: { clauses: 'load list', untested: '* name.{cut,numeric,quoted}', tested: 'name' },
};

const ofAccounts = part(mutant, 'accounts');

const stories: readonly Mutant<StoreSubject<AccountStores>>[] = [
  mutant('made', 'a session makes no account', () => {
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
  mutant('save-lost-race', 'a publication makes a save conflict', () => {
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
  }),
  ofAccounts('load', 'a reason is cut to 255 code units', () => (store) => ({
    save: ({ blocked, ...account }, loadedAt, events) => {
      const cut = blocked && { ...blocked, reason: blocked.reason.slice(0, 255) };
      return store.save({ ...account, blocked: cut }, loadedAt, events);
    },
  })),
  ofAccounts('save-race', 'a save looks first and writes later', () => (store) => ({
    save: async (account, loadedAt, events) => {
      const isNewest = (await store.load(account.name))?.version === loadedAt;
      await nextTurn();
      if (!isNewest) return { kind: 'conflict' };
      await store.save(account, (await store.load(account.name))?.version, events);
      return { kind: 'saved' };
    },
  })),
  ofAccounts('list', 'names are in order of code units', () => (store) => ({
    list: async (after, limit) =>
      [...(await store.list(undefined, 1_000))]
        .sort((one, other) => (one.name < other.name ? -1 : 1))
        .filter(({ name }) => after === undefined || name > after)
        .slice(0, limit),
  })),

  ofAccounts('limits-precede', 'the limits of an account are stored and ignored', () => {
    const kept = new Map<AccountId, typeof NO_ACCOUNT_LIMITS>();
    return (_, stores) => ({
      load: async (name, signal) => {
        const loaded = await stores.accounts.load(name, signal);
        const limits = kept.get(name) ?? NO_ACCOUNT_LIMITS;
        return loaded && { ...loaded, value: { ...loaded.value, limits } };
      },
      save: async (account, loadedAt, events) => {
        const outcome = await stores.accounts.save(
          { ...account, limits: NO_ACCOUNT_LIMITS },
          loadedAt,
          events,
        );
        if (outcome.kind === 'saved') kept.set(account.name, account.limits);
        return outcome;
      },
    });
  }),
  ofRoles('blocked', 'a blocked account is answered a replay', () => {
    const committed = new Map<IdempotencyKey, RoleCommit>();
    return (roles) => ({
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
    });
  }),
  mutant('blocked', 'a refused commit counts as the last publication', () => {
    const tried = new Map<AccountId, Instant>();
    return ({ accounts, roles }) => ({
      roles: replacing(roles, {
        commit: async (publication, lease, events) => {
          const outcome = await roles.commit(publication, lease, events);
          if (outcome.kind === 'refused') tried.set(lease.account, publication.now);
          return outcome;
        },
      }),
      accounts: replacing(accounts, {
        load: async (name, signal) => {
          const found = await accounts.load(name, signal);
          const lastPublishedAt = tried.get(name);
          return found && lastPublishedAt !== undefined
            ? { ...found, value: { ...found.value, lastPublishedAt } }
            : found;
        },
      }),
    });
  }),
  ofRoles('blocked-changes', 'archives of a blocked account are never removed', () => (roles, stores) => ({
    countForCleanup: async (request) => {
      const { archives, reservations } = await roles.countForCleanup(request);
      const isBlocked = (await stores.accounts.load(aRole(1).account))?.value.blocked != null;
      return { archives: isBlocked ? 0 : archives, reservations };
    },
  })),
  ofRoles('blocked-changes', 'no caller is the operator', () => (roles) => ({
    save: (role, version, events, _, credential) => roles.save(role, version, events, 'account', credential),
  })),
  ofKeys('blocked-changes', 'every caller is the operator', () => (apiKeys) => ({
    create: (key, events) => apiKeys.create(key, events, 'operator'),
  })),
  ofRoles('revoked-key', 'a commit looks at the key first and stores later', () => (roles, { apiKeys }) => ({
    commit: async (publication, lease, events) => {
      const { key, session = null } = publication.credential ?? {};
      const found = key ? await apiKeys.find(key) : undefined;
      await nextTurn();
      if ((found?.revokedAt ?? null) !== null) return { kind: 'refused', code: 'unauthorized' };
      return await roles.commit({ ...publication, credential: { session } }, lease, events);
    },
  })),
  ofRoles('ended-session', 'a save ignores the session', () => (roles) => ({
    save: (role, version, events, authority, { key = null } = {}) =>
      roles.save(role, version, events, authority, { key }),
  })),
  ofRoles('with-roles', 'every block hides', () => (roles, { accounts }) => ({
    load: async (id, signal) => {
      const found = await roles.load(id, signal);
      const owner = found && (await accounts.load(found.value.account))?.value;
      return found && { ...found, isHidden: (owner?.blocked ?? null) !== null };
    },
  })),
  ofAccounts('list-many', 'a walk ends after a thousand', () => (accounts) => ({
    list: async (after, limit) => {
      const first = new Set((await accounts.list(undefined, 1_000)).map(({ name }) => name));
      return (await accounts.list(after, limit)).filter(({ name }) => first.has(name));
    },
  })),
];

export const accountStoreTable: StoreTable<AccountStores> = table(accountStoreContract, [
  ...derived(shape, ofAccounts),
  ...stories,
]);
