import type { Instant, Lease, Reservation, Role, RoleStore, Token } from '@pinfold/core';
import type { Spoiling } from '../../saboteurs/memory-saboteurs.ts';
import { type Sabotages, waysOf } from '../ways.ts';

const { does, answers, asks } = waysOf<RoleStore>();
const LOST = { kind: 'lease_lost' } as const;
const RESERVED = 'reserved' as const;
const YEAR = 365 * 24 * 3_600_000;

type Name = Pick<Lease, 'account' | 'key'>;

/** Takes a name for one that was reserved before. */
export const confuses =
  (isSame: (known: Name, asked: Name) => boolean): Spoiling<RoleStore> =>
  () => {
    const known: Name[] = [];
    const of = <Asked extends Name>(asked: Asked): Asked => {
      const { account, key } = known.find((each) => isSame(each, asked)) ?? asked;
      return { ...asked, account, key };
    };
    return (store) => ({
      reserve: async (request) => {
        const outcome = await store.reserve(of(request));
        if (outcome.kind !== 'reserved') return outcome;
        if (of(request).key === request.key) known.push(request);
        const { account, key, token } = request;
        return { kind: 'reserved', lease: { account, key, token } };
      },
      renew: (lease, until) => store.renew(of(lease), until),
      release: (lease) => store.release(of(lease)),
      commit: (publication, lease, events) => store.commit(publication, of(lease), events),
    });
  };

interface Held extends Reservation {
  /** When the first reservation of the key began that nobody released. */
  readonly since: Instant;
}

const nameOf = ({ account, key }: Name) => JSON.stringify([account, key]);

/** With its own notes of who holds a key, and of all reservations. */
const noting =
  (
    change: (store: RoleStore, held: Map<string, Held>, begun: Map<Token, Reservation>) => Partial<RoleStore>,
  ): Spoiling<RoleStore> =>
  () => {
    const held = new Map<string, Held>();
    const begun = new Map<Token, Reservation>();
    return (store) => {
      const noted: RoleStore = {
        ...store,
        reserve: async (request) => {
          const outcome = await store.reserve(request);
          if (outcome.kind === 'reserved') {
            const since = held.get(nameOf(request))?.since ?? request.now;
            held.set(nameOf(request), { ...request, since });
            begun.set(request.token, request);
          }
          return outcome;
        },
        renew: async (lease, until) => {
          const outcome = await store.renew(lease, until);
          const known = held.get(nameOf(lease));
          if (outcome.kind === 'held' && known) held.set(nameOf(lease), { ...known, until });
          return outcome;
        },
        release: async (lease) => {
          await store.release(lease);
          if (held.get(nameOf(lease))?.token === lease.token) held.delete(nameOf(lease));
        },
      };
      return { ...noted, ...change(noted, held, begun) };
    };
  };

/** Drops those of its notes that are old in its own way. */
export const purges = (isOld: (held: Held, before: Instant, published: Set<string>) => boolean) => {
  const published = new Set<string>();
  // Of two purges at once one drops it.
  const going = new Set<Token>();
  return noting((store, held) => ({
    commit: async (publication, lease, events) => {
      published.add(lease.account);
      return store.commit(publication, lease, events);
    },
    purge: async (before, limit) => {
      let count = await store.purge(before, 0);
      for (const each of held.values()) {
        if (count === limit || going.has(each.token) || !isOld(each, before, published)) continue;
        going.add(each.token);
        count += 1;
        if ((await store.renew(each, each.until)).kind === 'held') await store.release(each);
        else count -= 1;
        going.delete(each.token);
      }
      return count;
    },
  }));
};

/** Counts what is in service in its own way, for quotas. */
export const counting =
  (of: (role: Role) => { readonly sites: number; readonly bytes: number }): Spoiling<RoleStore> =>
  () =>
  (store) => {
    const judged = async <Outcome extends { readonly kind: string }>(
      { account, now, limits }: Pick<Reservation, 'account' | 'now' | 'limits'>,
      judge: (limits: Reservation['limits']) => Promise<Outcome>,
    ): Promise<Outcome> => {
      const query = { account, now, state: 'published', limit: Number.MAX_SAFE_INTEGER } as const;
      const none = { idempotencyKey: undefined, search: undefined, after: undefined };
      const left = { sites: limits.sites, bytes: limits.bytes };
      for (const role of (await store.list({ ...query, ...none })).items) {
        const { sites, bytes } = of(role);
        if (left.sites !== null) left.sites += 1 - sites;
        if (left.bytes !== null) left.bytes += role.archiveBytes - bytes;
      }
      const outcome = await judge({ ...limits, ...left });
      if (!('rule' in outcome)) return outcome;
      const { rule, actual } = outcome as never as { rule: 'sites' | 'bytes'; actual: number };
      const limit = limits[rule] ?? 0;
      return { ...outcome, limit, actual: actual + limit - (left[rule] ?? 0) };
    };
    return {
      reserve: (request) => judged(request, (limits) => store.reserve({ ...request, limits })),
      commit: (publication, lease, events) =>
        judged({ ...publication, account: publication.role.account }, (limits) =>
          store.commit({ ...publication, limits }, lease, events),
        ),
    };
  };

const like = (pattern: string) =>
  new RegExp(`^${pattern.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('_', '.')}$`);

export const fourthRoleKeys: Sabotages<RoleStore> = {
  'keys that are the same number are one': confuses(
    (one, other) =>
      one.account === other.account && (one.key === other.key || Number(one.key) === Number(other.key)),
  ),
  'an underscore of a key stands for any character': confuses(
    (one, other) => one.account === other.account && like(other.key).test(one.key),
  ),
  'account and key are joined by a colon': confuses(
    (one, other) => `${one.account}:${one.key}` === `${other.account}:${other.key}`,
  ),
  'a fingerprint is cut at 255 characters': asks('reserve', (request) => [
    { ...request, fingerprint: request.fingerprint.slice(0, 255) },
  ]),
  'a mismatch prolongs who holds the key': noting((store, held) => ({
    reserve: async (request) => {
      const outcome = await store.reserve(request);
      const holder = held.get(nameOf(request));
      if (outcome.kind === 'mismatch' && holder) await store.renew(holder, request.until);
      return outcome;
    },
  })),
  'a complete key is forgotten after a year': does('reserve', async (store, request) => {
    const outcome = await store.reserve(request);
    if (outcome.kind !== 'complete') return outcome;
    const publishedAt = (await store.load(outcome.role))?.value.publishedAt ?? 0;
    if (request.now - publishedAt < YEAR) return outcome;
    return { kind: RESERVED, lease: request };
  }),
  'the warnings of a key go with the archive': does('reserve', async (store, request) => {
    const outcome = await store.reserve(request);
    if (outcome.kind !== 'complete') return outcome;
    const archive = (await store.load(outcome.role))?.value.archive;
    const isThere = archive !== undefined && (await store.loadManifest(archive)) !== undefined;
    return isThere ? outcome : { ...outcome, warnings: [] };
  }),
  'one warning is kept of each rule and path': asks('commit', (publication, ...rest) => {
    const named = publication.warnings.map(
      (each) => [`${each.rule} ${'path' in each && each.path}`, each] as const,
    );
    return [{ ...publication, warnings: [...new Map(named).values()] }, ...rest];
  }),
  'a rate is told to pass at a whole second': answers('reserve', (outcome) =>
    outcome.kind === 'refused' && outcome.code === 'rate_limited'
      ? { ...outcome, retryAt: (Math.ceil(outcome.retryAt / 1_000) * 1_000) as Instant }
      : outcome,
  ),
  'rate and quotas are asked before a mismatch is seen': does('reserve', async (store, request) => {
    const outcome = await store.reserve(request);
    if (outcome.kind !== 'mismatch') return outcome;
    const other = await store.reserve({ ...request, key: `${request.token}` as never });
    if (other.kind === 'reserved') await store.release(other.lease);
    return other.kind === 'refused' ? other : outcome;
  }),
  'a lapsed reservation goes although its successor is refused': noting((store, held) => ({
    reserve: async (request) => {
      const before = held.get(nameOf(request));
      const outcome = await store.reserve(request);
      if (outcome.kind === 'refused' && before) await store.release(before);
      return outcome;
    },
  })),
  'a lease is only ever prolonged': noting((store, held) => ({
    renew: async (lease, until) => {
      const known = held.get(nameOf(lease));
      return store.renew(lease, known && known.until > until ? known.until : until);
    },
  })),
  'who lost a lease prolongs the one after': noting((store, held) => ({
    renew: async (lease, until) => {
      const outcome = await store.renew(lease, until);
      const holder = held.get(nameOf(lease));
      if (outcome.kind === 'lost' && holder) await store.renew(holder, until);
      return outcome;
    },
  })),
  'a released reservation is one that lapsed': does('release', async (store, lease) => {
    await store.renew(lease, 0 as Instant);
  }),
  'a lease is lost to whoever asked otherwise, not to the same request': noting((store, held, begun) => ({
    commit: async (publication, lease, events) => {
      const outcome = await store.commit(publication, lease, events);
      const holder = held.get(nameOf(lease));
      const isSame = holder?.fingerprint === begun.get(lease.token)?.fingerprint;
      return outcome.kind === 'lease_lost' && holder && isSame
        ? store.commit(publication, holder, events)
        : outcome;
    },
  })),
  'rate and quotas are looked at as of the reservation': noting((store, _, begun) => ({
    commit: (publication, lease, events) =>
      store.commit({ ...publication, now: begun.get(lease.token)?.now ?? publication.now }, lease, events),
  })),
  'reservations are dropped that lapsed before the instant': purges(({ until }, before) => until < before),
  'a reservation that was taken over began with the first': purges(({ since }, before) => since < before),
  'only accounts that published have reservations dropped': purges(
    ({ account, now }, before, published) => now < before && published.has(account),
  ),
  'a quota counts the bytes of the files': counting(({ size }) => ({ sites: 1, bytes: size })),
  'a quota counts what has an expiration': counting(({ pinned, archiveBytes }) =>
    pinned ? { sites: 0, bytes: 0 } : { sites: 1, bytes: archiveBytes },
  ),
  'a publication committed again is as it was at first': does('commit', async (store, ...inputs) => {
    const known = await store.load(inputs[0].role.id);
    const outcome = await store.commit(...inputs);
    if (outcome.kind === 'committed' && known) await store.save(inputs[0].role, known.version, []);
    return outcome;
  }),
  'the lease of a publication is lost with its archive': does('commit', async (store, ...inputs) => {
    const { id, archive } = inputs[0].role;
    const isThere = (await store.load(id)) === undefined || (await store.loadManifest(archive)) !== undefined;
    return isThere ? store.commit(...inputs) : LOST;
  }),
  'a manifest is kept in NFC': asks('commit', (publication, ...rest) => [
    { ...publication, manifest: publication.manifest.normalize('NFC') },
    ...rest,
  ]),
  'a filename is kept in three bytes a character': asks('commit', (publication, ...rest) => {
    const originalFilename = publication.role.originalFilename.replace(/[\u{10000}-\u{10ffff}]/gu, '?');
    return [{ ...publication, role: { ...publication.role, originalFilename } }, ...rest];
  }),
};
