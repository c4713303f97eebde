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
export interface MemoryData {
  readonly keys: Map<string, HeldKey>;
  readonly roles: Map<RoleId, RoleRow>;
  readonly manifests: Map<ArchiveId, EncodedManifest>;
  readonly accounts: Map<AccountId, AccountRow>;
  readonly apiKeys: Map<ApiKeyId, ApiKey>;
  readonly windows: Map<string, AttemptWindow>;
  readonly sessions: Map<Sha256, Session>;
  readonly signInLinks: Map<Sha256, SignInLink>;
  readonly archives: Map<ArchiveId, Uint8Array<ArrayBuffer>>;
  readonly events: Map<EventId, HistoryEvent>;
  /** An import replaces them. */
  feeds: Feeds;
  /** When an event last recorded a refused sign-in of each account. */
  readonly refusals: Map<AccountId, Instant>;
  /** By publication and archive. */
  readonly takedowns: Map<string, Takedown>;
  readonly views: Map<string, CountedViews>;
  readonly pairings: Map<Sha256, Pairing>;
  readonly names: Map<NameToken, NameRecord>;
  tickets: number;
  /** The token of an unfinished import. */
  importing: Token | undefined;
  comparison: Versioned<Comparison> | undefined;
  mode: Mode;
}

export function emptyData(): MemoryData {
  return {
    keys: new Map(),
    roles: new Map(),
    manifests: new Map(),
    accounts: new Map(),
    apiKeys: new Map(),
    windows: new Map(),
    sessions: new Map(),
    signInLinks: new Map(),
    archives: new Map(),
    events: new Map(),
    feeds: new Feeds(),
    refusals: new Map(),
    takedowns: new Map(),
    views: new Map(),
    pairings: new Map(),
    names: new Map(),
    tickets: 0,
    importing: undefined,
    comparison: undefined,
    mode: NORMAL,
  };
}
