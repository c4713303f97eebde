import {
  type Account,
  type AccountId,
  type ArchiveId,
  after,
  type Comparison,
  duration,
  type EncodedManifest,
  type HistoryEvent,
  type Instant,
  type Role,
  type RoleId,
  type Token,
  type Version,
  type Versioned,
} from '@pinfold/core';
import { FIRST_GENERATION, NO_ACCOUNT_LIMITS } from '@pinfold/core/adapter';
import type { IdempotencyKeyRow } from '../../../../../src/records/tables/role-tables.ts';

/** An Idempotency-Key. It stays after the commit, so that the request can be repeated. */
export type HeldKey = Omit<IdempotencyKeyRow, 'account' | 'key'>;

export interface ModelRole {
  readonly role: Role;
  readonly version: Version;
  readonly archiveRemoved: boolean;
  readonly claim: Token | undefined;
  /** When it may be claimed again; absent before the first claim. */
  readonly claimableAt: Instant | undefined;
  readonly failures: number;
  readonly lastEventAt: Instant;
}

/** All that the model of a role store remembers. */
export class ModelData {
  readonly keys: Map<string, HeldKey> = new Map();
  readonly roles: Map<RoleId, ModelRole> = new Map();
  readonly manifests: Map<ArchiveId, EncodedManifest> = new Map();
  readonly accounts: Map<AccountId, Account> = new Map();
  readonly events: HistoryEvent[] = [];
  comparison: Versioned<Comparison> | undefined;

  /** Stores the events of one change of a role, each later than the one before. Returns the instant of the last. */
  tell(events: readonly HistoryEvent[], lastEventAt: Instant): Instant {
    let last = lastEventAt;
    for (const event of events) {
      last = Math.max(event.at, after(last, duration(1))) as Instant;
      this.events.push({ ...structuredClone(event), at: last });
    }
    return last;
  }
}

export function newAccount(name: AccountId): Account {
  return {
    name,
    limits: NO_ACCOUNT_LIMITS,
    blocked: null,
    generation: FIRST_GENERATION,
    lastPublishedAt: null,
    publicationsMark: null,
  };
}

export function isReservedBefore(instant: Instant): (key: HeldKey) => boolean {
  return ({ role, begunAt }) => role === null && begunAt < instant;
}

/** Compares by some members, the first that differs: numbers by value, texts by code unit. The greatest comes first. */
export function greatestFirst<Item>(...members: (keyof Item)[]): (one: Item, other: Item) => number {
  return (one, other) => {
    const member = members.find((each) => one[each] !== other[each]);
    if (member === undefined) return 0;
    return one[member] < other[member] ? 1 : -1;
  };
}
