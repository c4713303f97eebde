import type {
  AccountId,
  ApiKey,
  ApiKeyId,
  ArchiveId,
  AttemptTicket,
  Comparison,
  EncodedManifest,
  Fingerprint,
  IdempotencyKey,
  Instant,
  KeptWarning,
  Role,
  RoleId,
  Session,
  Sha256,
  SignInLink,
  Token,
  Version,
  Versioned,
} from '@pinfold/core';

/** What is kept under one Idempotency-Key of one account. */
export interface KeyRow {
  readonly account: AccountId;
  readonly key: IdempotencyKey;
  readonly fingerprint: Fingerprint;
  /** Kept after the commit, which may be repeated with it. */
  readonly token: Token;
  readonly begunAt: Instant;
  readonly until: Instant;
  readonly published: { readonly role: RoleId; readonly warnings: readonly KeptWarning[] } | undefined;
}

export interface RoleRow {
  readonly role: Role;
  readonly version: Version;
  readonly archiveRemoved: boolean;
  readonly claim: Token | undefined;
  /** From when it may be claimed again; absent while it never was. */
  readonly claimableAt: Instant | undefined;
  readonly failures: number;
}

/** A fixed window of counted tries. */
export interface AttemptWindow {
  readonly until: Instant;
  /** When each try began that is under way, or that it was wrong. */
  readonly counted: Map<AttemptTicket, Instant | 'wrong'>;
}

/** All that peers share. */
export interface MemoryData {
  readonly keys: Map<string, KeyRow>;
  readonly roles: Map<RoleId, RoleRow>;
  readonly manifests: Map<ArchiveId, EncodedManifest>;
  readonly apiKeys: Map<ApiKeyId, ApiKey>;
  readonly windows: Map<string, AttemptWindow>;
  readonly sessions: Map<Sha256, Session>;
  readonly signInLinks: Map<Sha256, SignInLink>;
  readonly archives: Map<ArchiveId, Uint8Array<ArrayBuffer>>;
  tickets: number;
  comparison: Versioned<Comparison> | undefined;
}

export function emptyData(): MemoryData {
  return {
    keys: new Map(),
    roles: new Map(),
    manifests: new Map(),
    apiKeys: new Map(),
    windows: new Map(),
    sessions: new Map(),
    signInLinks: new Map(),
    archives: new Map(),
    tickets: 0,
    comparison: undefined,
  };
}
