import {
  type ArchiveId,
  type Comparison,
  type EncodedManifest,
  type Instant,
  type Lease,
  type RoleCommit as Publication,
  type PublicationLimits,
  type RateMark,
  type Role,
  type RoleId,
  type RoleQuery,
  type RoleStore,
  stateOf,
  type Token,
  type Version,
  type Versioned,
} from '@pinfold/core';
import { type KeyRow, titleFolded } from '@pinfold/core/adapter';
import type { Spoiling } from '../../saboteurs/memory-saboteurs.ts';
import { copying } from '../ways.ts';
import { rolesOf } from './roles-sixth-store.ts';

export interface HeldKey extends KeyRow, Lease {
  readonly begunAt: Instant;
  readonly limits: PublicationLimits;
}

export interface RoleRow {
  readonly role: Role;
  readonly committed: Role;
  readonly version: Version;
  readonly isRemoved: boolean;
  readonly claim: Token | undefined;
  readonly claimableAt: Instant | undefined;
  readonly failures: number;
}

/** What the handles of one store share. */
export interface Rows {
  readonly keys: Map<string, HeldKey>;
  readonly roles: Map<RoleId, RoleRow>;
  readonly manifests: Map<ArchiveId, EncodedManifest>;
  readonly marks: Map<string, RateMark | null>;
  /** Folded titles. */
  readonly titles: Map<RoleId, string>;
  comparison: Versioned<Comparison> | undefined;
}

/** What a store of rows goes by. */
export interface Rules {
  nameOf(lease: Pick<Lease, 'account' | 'key'>): string;
  usedBy(rows: Rows, account: string, now: Instant): { readonly sites: number; readonly bytes: number };
  /** What is judged when a publication is committed, and by which limits. */
  judged(publication: Publication, key: HeldKey): Pick<Publication, 'now' | 'limits'>;
  endOf(role: Role): number;
  waitingSince(row: RoleRow): number;
  isIn(role: Role, state: RoleQuery['state'], now: Instant): boolean;
  isOf(role: Role, account: string): boolean;
  isFound(role: Role, search: string, folded: string): boolean;
  foldedAfter(folded: string, role: Role): string;
  asKept(role: Role): Role;
}

export const SOUND: Rules = {
  nameOf: ({ account, key }) => JSON.stringify([account, key]),
  usedBy: (rows, account, now) => {
    const own = inService(rows, now).filter((role) => role.account === account);
    return { sites: own.length, bytes: sum(own.map(({ archiveBytes }) => archiveBytes)) };
  },
  judged: ({ now, limits }) => ({ now, limits }),
  endOf: ({ deletedAt, expiresAt }) => Math.min(deletedAt ?? Infinity, expiresAt ?? Infinity),
  waitingSince: ({ claimableAt, role }) => claimableAt ?? SOUND.endOf(role),
  isIn: (role, state, now) => (state === undefined ? role.deletedAt === null : stateOf(role, now) === state),
  isOf: (role, account) => role.account === account,
  isFound: ({ id }, search, folded) => id.includes(search) || folded.includes(search),
  foldedAfter: (_, role) => titleFolded(role),
  asKept: (role) => role,
};

export function inService({ roles }: Rows, now: Instant): readonly Role[] {
  return [...roles.values()].map(({ role }) => role).filter((role) => stateOf(role, now) === 'published');
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => one + other, 0);
}

/** A store of rows that goes by other rules. */
export const ruled = (rules: Partial<Rules>): Spoiling<RoleStore> =>
  opened({ ...SOUND, ...rules }, () => ({}));

/** A store of rows some of whose methods do something else; each handle has its own. */
export const rowed = (methods: (rows: Rows, sound: RoleStore) => Partial<RoleStore>): Spoiling<RoleStore> =>
  opened(SOUND, methods);

function opened(
  rules: Rules,
  methods: (rows: Rows, sound: RoleStore) => Partial<RoleStore>,
): Spoiling<RoleStore> {
  return () => {
    const rows: Rows = {
      keys: new Map(),
      roles: new Map(),
      manifests: new Map(),
      marks: new Map(),
      titles: new Map(),
      comparison: undefined,
    };
    return (store) => {
      const sound = rolesOf(rows, rules);
      return copying(whileReached(store, { ...sound, ...methods(rows, sound) }));
    };
  };
}

/** Rejects where the store that the rows stand beside is out of reach. */
function whileReached(store: RoleStore, port: RoleStore): RoleStore {
  const calls = Object.entries(port).map(([name, call]) => [
    name,
    async (...inputs: unknown[]) => {
      await store.whichAreNamed([]);
      return Reflect.apply(call, port, inputs);
    },
  ]);
  return Object.fromEntries(calls);
}
