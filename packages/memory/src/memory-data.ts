import type {
  Account,
  AccountId,
  ApiKey,
  ApiKeyId,
  ArchiveId,
  AttemptTicket,
  Comparison,
  CountedViews,
  EncodedManifest,
  EventId,
  HistoryEvent,
  Instant,
  Mode,
  NameRecord,
  NameToken,
  Pairing,
  Role,
  RoleId,
  Session,
  Sha256,
  SignInLink,
  Takedown,
  Token,
  Version,
  Versioned,
} from '@pinfold/core';
import { type KeyRow, NORMAL } from '@pinfold/core/adapter';
import { Feeds } from './feeds.ts';

/** An Idempotency-Key's row. It stays after the commit, so that the request can be repeated. */
export interface HeldKey extends KeyRow {
  readonly begunAt: Instant;
}

/** Whether a key is reserved since before an instant; a complete one is no reservation. */
export function isReservedBefore(instant: Instant): (row: HeldKey) => boolean {
  return ({ role, begunAt }) => role === null && begunAt < instant;
}

export interface RoleRow {
  readonly role: Role;
  readonly version: Version;
  readonly archiveRemoved: boolean;
  readonly claim: Token | undefined;
  /** When it may be claimed again; absent before the first claim. */
  readonly claimableAt: Instant | undefined;
  readonly failures: number;
  /** Whether to remove its archive without a grace period. */
  readonly isPurged: boolean;
  /** The instant of its last event. */
  readonly lastEventAt: Instant;
  readonly isExpiryTold: boolean;
}

export const FIRST_VERSION: Version = 1 as Version;

export function newRow(role: Role, lastEventAt: Instant): RoleRow {
  return {
    role: { ...role },
    version: FIRST_VERSION,
    archiveRemoved: false,
    claim: undefined,
    claimableAt: undefined,
    failures: 0,
    isPurged: false,
    lastEventAt,
    isExpiryTold: false,
  };
}

export interface AccountRow {
  readonly account: Account;
  readonly version: Version;
}

/** A fixed window of counted tries. */
export interface AttemptWindow {
  readonly until: Instant;
  /** When each try began that is not settled yet, or that it was wrong. */
  readonly counted: Map<AttemptTicket, Instant | 'wrong'>;
}

/** The data that peers share. */
export class MemoryData {
  readonly keys: Map<string, HeldKey> = new Map();
  readonly roles: Map<RoleId, RoleRow> = new Map();
  readonly manifests: Map<ArchiveId, EncodedManifest> = new Map();
  readonly accounts: Map<AccountId, AccountRow> = new Map();
  readonly apiKeys: Map<ApiKeyId, ApiKey> = new Map();
  readonly windows: Map<string, AttemptWindow> = new Map();
  readonly sessions: Map<Sha256, Session> = new Map();
  readonly signInLinks: Map<Sha256, SignInLink> = new Map();
  readonly archives: Map<ArchiveId, Uint8Array<ArrayBuffer>> = new Map();
  readonly events: Map<EventId, HistoryEvent> = new Map();
  /** An import replaces them. */
  feeds: Feeds = new Feeds();
  /** When an event last recorded a refused sign-in of each account. */
  readonly refusals: Map<AccountId, Instant> = new Map();
  /** By publication and archive. */
  readonly takedowns: Map<string, Takedown> = new Map();
  readonly views: Map<string, CountedViews> = new Map();
  readonly pairings: Map<Sha256, Pairing> = new Map();
  readonly names: Map<NameToken, NameRecord> = new Map();
  tickets: number = 0;
  importing: Token | undefined;
  comparison: Versioned<Comparison> | undefined;
  mode: Mode = NORMAL;
}
