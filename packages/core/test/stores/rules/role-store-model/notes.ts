import type {
  ArchiveId,
  CleanupTask,
  Instant,
  LoadedRole,
  Reservation,
  Role,
  RoleCommit,
  RoleId,
  Version,
} from '@pinfold/core';
import { anArchiveIdAt } from '@pinfold/test-contracts/internal';

/** The members of a role that differ between the publications of a model. */
export type Made = Pick<
  Role,
  | 'title'
  | 'originalFilename'
  | 'sha256'
  | 'fileCount'
  | 'size'
  | 'archiveBytes'
  | 'publishedAt'
  | 'expiresAt'
  | 'deletedAt'
  | 'passwordHash'
> &
  Pick<RoleCommit, 'manifest' | 'warnings'>;

/** The answers of all handles of a store, in order: steps refer to them by how long ago they were. */
export class Notes {
  readonly leases: Reservation[] = [];
  readonly publications: RoleCommit[] = [];
  readonly committed: Map<string, RoleCommit> = new Map();
  readonly looks: Map<string, LoadedRole> = new Map();
  readonly tasks: CleanupTask[] = [];
  readonly claimed: Set<RoleId> = new Set();
  readonly comparisons: (Version | undefined)[] = [undefined];
  claims = 0;
  events = 0;
  readonly #owners: Map<Instant, string> = new Map();

  /** An instant that only this role or claim has, so that none of them wait equally long: a claim may take any of those. */
  own(at: Instant | null, of: 'role' | 'claim' | 'retry', n: number): Instant | null {
    if (at === null) return null;
    const owner = `${of} ${n}`;
    let mine = (at + n * SECOND + BESIDE[of]) as Instant;
    while ((this.#owners.get(mine) ?? owner) !== owner) mine = (mine + 1) as Instant;
    this.#owners.set(mine, owner);
    return mine;
  }
}

const SECOND = 1_000;
const BESIDE = { role: 0, retry: 200, claim: 300 };

/** The `n`th archive that is published: few instants, and many of each. */
export function anArchive(n: number): ArchiveId {
  return anArchiveIdAt(n % 2, n);
}

/** An id that is not there, though nearly, in one of several ways. */
export function nearly<Id extends string>(id: Id, way: number): Id {
  const near = [
    `${id.slice(0, -1)}${id.endsWith('f') ? 'e' : 'f'}`,
    id.slice(0, -1),
    `${id}0`,
    id.toUpperCase(),
    `${id[0] === 'f' ? 'e' : 'f'}${id.slice(1)}`,
    `${id.slice(0, 12)}${id[12] === '9' ? '8' : '9'}${id.slice(13)}`,
  ];
  return near[way % near.length] as Id;
}

export function numberOf(id: RoleId): number {
  return Number.parseInt(id.slice(24), 16);
}
