import {
  type HistoryEvent,
  type HistoryStore,
  type Page,
  type Role,
  type RoleQuery,
  type RoleStore,
  stateOf,
  type Version,
} from '@pinfold/core';
import { FIRST_GENERATION, filenameFolded, roleCursorOf, startOf, titleFolded } from '@pinfold/core/adapter';
import {
  claimForCleanup,
  countForCleanup,
  namedArchives,
  nextForCleanup,
  purge,
  settleCleanup,
} from './model-cleanup.ts';
import { greatestFirst, ModelData } from './model-data.ts';
import { commit, release, renew, reserve } from './model-reservations.ts';

/** A role store of a few maps, and the events that it stores. */
export interface RoleStoreModel {
  readonly roles: RoleStore;
  readonly history: HistoryStore;
}

/**
 * Opens a model of the role store: a second opinion on its rules, which shares only what judges a single key and a single
 * publication with the store of the core. Each method runs in one turn of the event loop, which is its transaction.
 */
export function openRoleStoreModel(): RoleStoreModel {
  const data = new ModelData();
  return { roles: rolesIn(data) as RoleStore, history: historyOf(data) as HistoryStore };
}

/** What the sequences ask of the roles. */
function rolesIn(data: ModelData): Omit<RoleStore, 'countStored' | 'dropTitles'> {
  return {
    reserve: async (request) => reserve(data, request),
    renew: async (lease, until) => renew(data, lease, until),
    release: async (lease) => release(data, lease),
    commit: async (publication, lease, events) => commit(data, publication, lease, events),
    load: async (id, signal) => {
      signal?.throwIfAborted();
      const row = data.roles.get(id);
      if (row === undefined) return undefined;
      const { role, version } = row;
      return { value: { ...role }, version, isHidden: false, accountGeneration: FIRST_GENERATION };
    },
    save: async (role, loadedAt, events) => {
      const row = data.roles.get(role.id);
      if (row?.version !== loadedAt) return { kind: 'conflict' };
      const lastEventAt = data.tell(events, row.lastEventAt);
      const version = (row.version + 1) as Version;
      data.roles.set(role.id, { ...row, role: { ...role }, version, lastEventAt });
      return { kind: 'saved' };
    },
    list: async (query) => listRoles(data, query),
    loadManifest: async (archive, signal) => {
      signal?.throwIfAborted();
      return data.manifests.get(archive);
    },
    claimForCleanup: async (request) => claimForCleanup(data, request),
    settleCleanup: async (task, outcome, events) => settleCleanup(data, task, outcome, events),
    countForCleanup: async (request) => countForCleanup(data, request),
    nextForCleanup: async (request) => nextForCleanup(data, request),
    whichAreNamed: async (ids) => {
      const named = new Set(namedArchives(data));
      return new Set(ids.filter((id) => named.has(id)));
    },
    listArchives: async (after, limit) =>
      namedArchives(data)
        .filter((id) => after === undefined || id > after)
        .slice(0, limit),
    purge: async (begunBefore, limit) => purge(data, begunBefore, limit),
    loadComparison: async () => structuredClone(data.comparison),
    saveComparison: async (comparison, loadedAt) => {
      if (data.comparison?.version !== loadedAt) return { kind: 'conflict' };
      const version = ((loadedAt ?? 0) + 1) as Version;
      data.comparison = { value: structuredClone(comparison), version };
      return { kind: 'saved', version };
    },
  };
}

const byPlace = greatestFirst<ReturnType<typeof startOf>>('rank', 'id');

function listRoles({ roles }: ModelData, query: RoleQuery): Page<Role> {
  const start = startOf(query);
  const found = [...roles.values()]
    .map(({ role }) => ({ role, place: roleCursorOf(role, query.order) }))
    .filter(({ role }) => query.account === undefined || role.account === query.account)
    .filter(({ role, place }) => byPlace(start, place) < 0 && matches(role, query))
    .sort((one, other) => byPlace(one.place, other.place));
  const items = found.slice(0, query.limit).map(({ role }) => ({ ...role }));
  const next = found.length > items.length ? found[items.length - 1]?.place : undefined;
  return { items, next };
}

function matches(role: Role, { now, state, idempotencyKey, search }: RoleQuery): boolean {
  if (idempotencyKey !== undefined) return role.idempotencyKey === idempotencyKey;
  const present = stateOf(role, now);
  if (state === undefined ? present === 'deleted' : present !== state) return false;
  const texts = [role.id, titleFolded(role), filenameFolded(role)];
  return search === undefined || texts.some((text) => text.includes(search));
}

const newestFirst = greatestFirst<Pick<HistoryEvent, 'at' | 'id'>>('at', 'id');

/** What the sequences ask of the history. */
function historyOf({ events }: ModelData): Pick<HistoryStore, 'list'> {
  return {
    list: async ({ after, limit }) => {
      const following = events.filter((event) => after === undefined || newestFirst(after, event) < 0);
      const items = structuredClone(following.sort(newestFirst).slice(0, limit));
      const last = following.length > limit ? items.at(-1) : undefined;
      return { items, next: last && { at: last.at, id: last.id } };
    },
  };
}
