import type {
  ArchiveId,
  CommitOutcome,
  EncodedManifest,
  IdempotencyKey,
  Instant,
  LoadedRole,
  RoleCommit as Publication,
  Role,
  RoleId,
  RoleStore,
  Title,
} from '@pinfold/core';
import { type Sabotages, waysOf } from '../ways.ts';

const { answers, asks, does } = waysOf<RoleStore>();

/** How rate and quotas refuse a publication, if they do. */
async function refusedNow(store: RoleStore, { role, now, limits }: Publication) {
  const outcome = await store.reserve({
    account: role.account,
    key: 'a key nobody has asked for yet' as IdempotencyKey,
    fingerprint: 'any' as never,
    token: `probe ${role.id}` as never,
    until: now,
    archiveBytes: role.archiveBytes,
    sha256: role.sha256,
    now,
    limits,
  });
  if (outcome.kind === 'reserved') await store.release(outcome.lease);
  return outcome.kind === 'refused' ? outcome : undefined;
}

/** Looks at what was committed. */
async function isCommitted(store: RoleStore, { role }: Publication): Promise<boolean> {
  return (await store.load(role.id)) !== undefined;
}

/** Answers a role otherwise than it was stored, wherever it is answered. */
function reading(change: (role: Role) => Role) {
  return () =>
    (store: RoleStore): Partial<RoleStore> => ({
      load: async (id, signal) => {
        const loaded = await store.load(id, signal);
        return loaded && { ...loaded, value: change(loaded.value) };
      },
      list: async (query) => {
        const page = await store.list(query);
        return { ...page, items: page.items.map(change) };
      },
    });
}

export const blindCommitSabotages: Sabotages<RoleStore> = {
  'the rate is looked at when the role says it was published': asks(
    'commit',
    (publication, lease, events) => [{ ...publication, now: publication.role.publishedAt }, lease, events],
  ),
  'a site keeps its place through the instant it ends at': does(
    'commit',
    async (store, publication, lease, events) => {
      if (await isCommitted(store, publication)) return await store.commit(publication, lease, events);
      const before = (publication.now - 1) as Instant;
      const limits = { ...publication.limits, publications: null };
      const refused = await refusedNow(store, { ...publication, now: before, limits });
      return refused ?? (await store.commit(publication, lease, events));
    },
  ),
  'a stopped site keeps its place until its archive is removed': () => {
    const stopped = new Map<RoleId, Role>();
    return (store) => ({
      save: async (role, loadedAt, events, authority) => {
        const outcome = await store.save(role, loadedAt, events, authority);
        if (outcome.kind === 'saved' && role.deletedAt !== null) stopped.set(role.id, role);
        return outcome;
      },
      settleCleanup: async (task, outcome, events) => {
        await store.settleCleanup(task, outcome, events);
        if (outcome.kind === 'removed') stopped.delete(task.role);
      },
      commit: (publication, lease, events) => {
        const { account } = publication.role;
        const there = [...stopped.values()].filter((role) => role.account === account).length;
        const { sites } = publication.limits;
        const limits = { ...publication.limits, sites: sites === null ? null : sites - there };
        return store.commit({ ...publication, limits }, lease, events);
      },
    });
  },
  'a commit that is repeated writes its role again': does(
    'commit',
    async (store, publication, lease, events) => {
      const loaded = await store.load(publication.role.id);
      const outcome = await store.commit(publication, lease, events);
      if (loaded !== undefined && outcome.kind === 'committed') {
        await store.save(publication.role, loaded.version, []);
      }
      return outcome;
    },
  ),
  'a role that is there was committed, whatever the lease': does(
    'commit',
    async (store, publication, lease, events): Promise<CommitOutcome> => {
      if (await isCommitted(store, publication)) return { kind: 'committed' };
      return await store.commit(publication, lease, events);
    },
  ),
  'a commit that is repeated is asked for rate and quotas': does(
    'commit',
    async (store, publication, lease, events) => {
      const wasThere = await isCommitted(store, publication);
      const outcome = await store.commit(publication, lease, events);
      if (!wasThere || outcome.kind !== 'committed') return outcome;
      return (await refusedNow(store, publication)) ?? outcome;
    },
  ),
  'the manifest is written before the lease is looked at': () => {
    const written = new Map<ArchiveId, EncodedManifest>();
    return (store) => ({
      commit: async (publication, lease, events) => {
        const outcome = await store.commit(publication, lease, events);
        if (outcome.kind === 'lease_lost') written.set(publication.role.archive, publication.manifest);
        return outcome;
      },
      loadManifest: async (archive, signal) =>
        (await store.loadManifest(archive, signal)) ?? written.get(archive),
    });
  },
  'a manifest is kept as parsed JSON': answers('loadManifest', (manifest) => {
    try {
      return manifest && (JSON.stringify(JSON.parse(manifest)) as EncodedManifest);
    } catch {
      return manifest;
    }
  }),
  'warnings come back in order of their rule': answers('reserve', (outcome) => {
    if (outcome.kind !== 'complete') return outcome;
    const sorted = [...outcome.warnings].sort((one, other) => (one.rule < other.rule ? -1 : 1));
    return { ...outcome, warnings: sorted };
  }),
  'of a title, characters beyond the first plane become question marks': reading((role) => ({
    ...role,
    title: (role.title?.replace(/[\u{10000}-\u{10ffff}]/gu, '?') ?? null) as Title | null,
  })),
  'an expiration is kept in whole seconds': reading((role) => ({
    ...role,
    expiresAt: role.expiresAt === null ? null : ((Math.floor(role.expiresAt / 1_000) * 1_000) as Instant),
  })),
  'a password that is removed stays': does('save', async (store, role, loadedAt, events, authority) => {
    const before = (await store.load(role.id))?.value;
    const passwordHash = role.passwordHash ?? before?.passwordHash ?? null;
    return await store.save({ ...role, passwordHash }, loadedAt, events, authority);
  }),
  'saving what is there already makes no version': does(
    'save',
    async (store, role, loadedAt, events, authority): ReturnType<RoleStore['save']> => {
      const present = await store.load(role.id);
      if (present?.version === loadedAt && JSON.stringify(present.value) === JSON.stringify(role)) {
        return { kind: 'saved' };
      }
      return await store.save(role, loadedAt, events, authority);
    },
  ),
  'a role without its archive cannot be saved': () => {
    const removed = new Set<RoleId>();
    return (store) => ({
      settleCleanup: async (task, outcome, events) => {
        await store.settleCleanup(task, outcome, events);
        if (outcome.kind === 'removed') removed.add(task.role);
      },
      save: async (role, loadedAt, events, authority) =>
        removed.has(role.id) ? { kind: 'conflict' } : await store.save(role, loadedAt, events, authority),
    });
  },
  'a role that was not there is remembered as absent': () => (store) => {
    const absent = new Set<RoleId>();
    return {
      load: async (id, signal) => {
        const loaded = absent.has(id) ? undefined : await store.load(id, signal);
        if (loaded === undefined) absent.add(id);
        return loaded;
      },
    };
  },
  'a loaded role is brought up to date by the next load': () => (store) => {
    const known = new Map<RoleId, LoadedRole>();
    return {
      load: async (id, signal) => {
        const loaded = await store.load(id, signal);
        if (loaded === undefined) return undefined;
        const first = known.get(id) ?? { ...loaded };
        known.set(id, Object.assign(first, loaded));
        return first;
      },
    };
  },
  'a load that was aborted answers that there is none': does('load', async (store, id, signal) =>
    signal?.aborted ? undefined : await store.load(id, signal),
  ),
};
