import { randomUUID } from 'node:crypto';
import {
  type AccountId,
  type ArchiveId,
  type CommitOutcome,
  type EncodedManifest,
  type IdempotencyKey,
  type Instant,
  instant,
  type Lease,
  type RoleCommit as Publication,
  type PublicationLimits,
  type Rate,
  type RateMark,
  type Reservation,
  type ReserveOutcome,
  type Role,
  type RoleCursor,
  type RoleQuery,
  type RoleStore,
  stateOf,
} from '@pinfold/core';
import { leftOf, pageOf, takenFrom, titleFolded } from '@pinfold/core/adapter';
import type { Spoiling } from '../../saboteurs/memory-saboteurs.ts';

export type Named = Pick<Lease, 'account' | 'key'>;

export const nameOf = ({ account, key }: Named): string => JSON.stringify([account, key]);

/** Under these, whatever is judged by its key or lease is, and nothing is stored. */
export const FULL: PublicationLimits = { publications: null, sites: 0, bytes: null };

export const NONE: PublicationLimits = { publications: null, sites: null, bytes: null };

export const isFull = (outcome: ReserveOutcome | CommitOutcome): boolean =>
  outcome.kind === 'refused' && outcome.code === 'quota_exceeded';

type Wish = Omit<Reservation, 'key'>;
type Refused = Extract<ReserveOutcome, { kind: 'refused' }>;

/** What a key of nobody would be refused for. */
export async function refusalOf(store: RoleStore, wish: Wish): Promise<Refused | undefined> {
  const request = { ...wish, key: randomUUID() as IdempotencyKey };
  const [outcome] = await Promise.all([store.reserve(request), store.release(request)]);
  return outcome.kind === 'refused' ? outcome : undefined;
}

export function wishOf({ role, now, limits }: Publication, { token }: Lease): Wish {
  const { account, archiveBytes, sha256 } = role;
  return { account, archiveBytes, sha256, now, limits, token, until: now, fingerprint: '' as never };
}

/** All roles there are. */
export async function everything(store: RoleStore): Promise<readonly Role[]> {
  const pages = await Promise.all(
    (['published', 'expired', 'deleted'] as const).map((state) =>
      store.list({
        account: undefined,
        now: instant(0),
        state,
        idempotencyKey: undefined,
        search: undefined,
        after: undefined,
        limit: Number.POSITIVE_INFINITY,
      }),
    ),
  );
  return pages.flatMap(({ items }) => items);
}

export const endOf = ({ deletedAt, expiresAt }: Role): Instant =>
  Math.min(deletedAt ?? Number.POSITIVE_INFINITY, expiresAt ?? Number.POSITIVE_INFINITY) as Instant;

/** Files keys under other names. */
export const filed =
  (fileOf: (named: Named) => string): Spoiling<RoleStore> =>
  () => {
    const files = new Map<string, Named>();
    const inFile = <L extends Named>(named: L): L => {
      const { account, key } = files.get(fileOf(named)) ?? named;
      files.set(fileOf(named), { account, key });
      return { ...named, account, key };
    };
    return (store) => ({
      reserve: async (request) => {
        const outcome = await store.reserve(inFile(request));
        const { account, key } = request;
        return outcome.kind === 'reserved'
          ? { ...outcome, lease: { ...outcome.lease, account, key } }
          : outcome;
      },
      renew: (lease, until) => store.renew(inFile(lease), until),
      release: (lease) => store.release(inFile(lease)),
      commit: (publication, lease, events) => store.commit(publication, inFile(lease), events),
    });
  };

interface Rating {
  readonly takes: (outcome: CommitOutcome) => boolean;
  readonly kept: (mark: RateMark) => number;
  readonly fileOf: (account: AccountId) => string;
}

/** Looks at rates by itself. */
export const rated =
  ({
    takes = ({ kind }) => kind === 'committed',
    kept = Number,
    fileOf = String,
  }: Partial<Rating>): Spoiling<RoleStore> =>
  () => {
    const marks = new Map<string, RateMark>();
    let turn: Promise<unknown> = Promise.resolve();
    const markOf = (account: AccountId): RateMark | null => marks.get(fileOf(account)) ?? null;
    const spent = (rate: Rate | null, account: AccountId, now: Instant): Refused | undefined => {
      const { remaining, nextAt } = leftOf(rate ?? { count: 1, window: 1 as never }, markOf(account), now);
      return rate === null || remaining > 0
        ? undefined
        : { kind: 'refused', code: 'rate_limited', retryAt: nextAt };
    };
    return (store) => {
      const commit: RoleStore['commit'] = async (publication, lease, events) => {
        const { role, limits, now } = publication;
        const rate = limits.publications;
        const isKnown = (await store.load(role.id)) !== undefined;
        const refused = spent(rate, role.account, now);
        const within = refused === undefined ? { ...limits, publications: null } : FULL;
        const outcome = await store.commit({ ...publication, limits: within }, lease, events);
        if (refused !== undefined) return isFull(outcome) ? refused : outcome;
        if (rate !== null && !isKnown && takes(outcome)) {
          marks.set(fileOf(role.account), kept(takenFrom(rate, markOf(role.account), now)) as RateMark);
        }
        return outcome;
      };
      return {
        reserve: async (request) => {
          const { limits, account, now } = request;
          const refused = spent(limits.publications, account, now);
          const within = refused === undefined ? { ...limits, publications: null } : FULL;
          const outcome = await store.reserve({ ...request, limits: within });
          return refused !== undefined && isFull(outcome) ? refused : outcome;
        },
        commit: (...inputs) => {
          const outcome = turn.then(() => commit(...inputs));
          turn = outcome.catch(() => undefined);
          return outcome;
        },
      };
    };
  };

interface Listing {
  readonly owns: (role: Role, query: RoleQuery) => boolean;
  readonly hasKey: (role: Role, query: RoleQuery) => boolean;
  readonly isIn: (role: Role, query: RoleQuery) => boolean;
  readonly holds: (role: Role, search: string) => boolean;
  readonly fitsElse: (role: Role, query: RoleQuery) => boolean;
}

/** Lists by itself what the sound one has. */
export function listing(
  store: RoleStore,
  {
    owns = (role, { account }) => account === undefined || role.account === account,
    hasKey = (role, { idempotencyKey }) => role.idempotencyKey === idempotencyKey,
    isIn = (role, { state, now }) =>
      state === undefined ? role.deletedAt === null : stateOf(role, now) === state,
    holds = (role, search) => role.id.includes(search) || titleFolded(role).includes(search),
    fitsElse = () => false,
  }: Partial<Listing>,
): RoleStore['list'] {
  const fits = (role: Role, query: RoleQuery): boolean => {
    if (!owns(role, query)) return false;
    if (query.idempotencyKey !== undefined) return hasKey(role, query);
    return isIn(role, query) && (query.search === undefined || holds(role, query.search));
  };
  return async (query) => {
    const roles = (await everything(store))
      .filter((role) => fits(role, query) || fitsElse(role, query))
      .filter((role) => query.after === undefined || inOrder(query.after, role) < 0)
      .sort(inOrder);
    return pageOf(roles, query.limit);
  };
}

function inOrder(one: RoleCursor, other: RoleCursor): number {
  if (one.publishedAt !== other.publishedAt) return other.publishedAt - one.publishedAt;
  if (one.id === other.id) return 0;
  return one.id > other.id ? -1 : 1;
}

/** Has manifests beside those that were committed. */
export const withManifests =
  (leaves: (outcome: CommitOutcome, wasKnown: boolean, isThere: boolean) => boolean): Spoiling<RoleStore> =>
  () => {
    const left = new Map<ArchiveId, EncodedManifest>();
    return (store) => ({
      commit: async (publication, lease, events) => {
        const { role, manifest } = publication;
        const [known, outcome] = await Promise.all([
          store.load(role.id),
          store.commit(publication, lease, events),
        ]);
        const isThere = (await store.loadManifest(role.archive)) !== undefined;
        if (leaves(outcome, known !== undefined, isThere)) left.set(role.archive, manifest);
        return outcome;
      },
      loadManifest: async (archive, signal) =>
        (await store.loadManifest(archive, signal)) ?? left.get(archive),
    });
  };
