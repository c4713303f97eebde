import type {
  Account,
  ApiKey,
  CleanupCountRequest,
  CleanupRequest,
  CleanupTask,
  Comparison,
  Consent,
  CountedViews,
  Credential,
  HistoryEvent,
  Lease,
  Mode,
  NameRecord,
  Pairing,
  Reservation,
  Role,
  RoleCommit,
  RoleQuery,
  Session,
  SignInLink,
  Takedown,
} from '@pinfold/core';
import type { Fields, Shape } from './distortions.ts';

export const ACTOR: Shape = { kind: 'choice', id: 'word' };

export const API_KEY: Fields<ApiKey> = {
  id: 'id',
  account: 'text',
  scopes: ['choice'],
  label: 'text',
  secretHash: 'hash',
  createdAt: 'instant',
  lastUsedAt: 'instant',
  revokedAt: 'instant',
  isEnsured: 'flag',
};

export const SESSION: Fields<Session> = {
  tokenHash: 'hash',
  account: 'text',
  apiKey: 'id',
  actor: ACTOR,
  scope: 'choice',
  displayName: 'text',
  startedAt: 'instant',
  endsAt: 'instant',
};

export const LINK: Fields<SignInLink> = {
  tokenHash: 'hash',
  account: 'text',
  actor: ACTOR,
  scope: 'choice',
  endsAt: 'instant',
};

export const CONSENT: Fields<Consent> = {
  account: 'text',
  scopes: ['choice'],
  label: 'text',
  actor: ACTOR,
  session: 'hash',
  apiKey: 'id',
};

export const PAIRING: Fields<Pairing> = { secretHash: 'hash', endsAt: 'instant', consent: CONSENT };

export const EVENT: Fields<HistoryEvent> = {
  id: 'uuid',
  type: 'choice',
  at: 'instant',
  recordedAt: 'instant',
  account: 'text',
  pin: 'uuid',
  name: 'word',
  actor: ACTOR,
  request: 'word',
  address: 'word',
  asOperator: 'flag',
};

/** The events that a change keeps: the history's own clauses look at what is in them. */
export const EVENTS: Shape = ['opaque'];

export const ROLE: Fields<Role> = {
  id: 'uuid',
  account: 'word',
  archive: 'uuid',
  idempotencyKey: 'word',
  title: 'text',
  originalFilename: 'word',
  fileCount: 'count',
  size: 'size',
  archiveBytes: 'size',
  sha256: 'hash',
  publishedAt: 'instant',
  expiresAt: 'instant',
  pinned: 'flag',
  deletedAt: 'instant',
  passwordHash: 'hash',
  generation: 'count',
};

export const ACCOUNT: Fields<Account> = {
  name: 'text',
  limits: { requests: 'word', publications: 'word', sites: 'count', bytes: 'size' },
  blocked: { reason: 'word', sites: 'choice', at: 'instant' },
  generation: 'count',
  lastPublishedAt: 'instant',
  publicationsMark: 'count',
};

export const NAME: Fields<NameRecord> = {
  account: 'word',
  name: 'word',
  token: 'id',
  role: 'uuid',
  updatedAt: 'instant',
};

export const TAKEDOWN: Fields<Takedown> = {
  id: 'uuid',
  account: 'text',
  sha256: 'hash',
  reason: 'text',
  at: 'instant',
  liftedAt: 'instant',
};

export const VIEWS: Fields<CountedViews> = {
  role: 'uuid',
  day: 'count',
  views: 'count',
  refusedPasswords: 'count',
};

export const LEASE: Fields<Lease> = { account: 'word', key: 'word', token: 'id' };

export const TASK: Fields<CleanupTask> = {
  role: 'uuid',
  account: 'word',
  archive: 'uuid',
  token: 'id',
  failures: 'count',
};

export const COMPARISON: Fields<Comparison> = {
  keptAt: 'instant',
  isUnderWay: 'flag',
  isRefused: 'flag',
  upTo: 'uuid',
  compared: 'count',
  unnamed: 'count',
  orphans: ['uuid'],
  missing: ['uuid'],
  removal: { reached: 'instant', boot: 'word', uptime: 'count', steppedAt: 'instant' },
};

export const MODE: Fields<Mode> = { kind: 'choice', message: 'text' };

const LIMITS: Shape = { publications: { count: 'count', window: 'count' }, sites: 'count', bytes: 'size' };
export const RESERVATION: Fields<Reservation> = {
  account: 'text',
  key: 'text',
  fingerprint: 'hash',
  token: 'id',
  now: 'instant',
  until: 'instant',
  archiveBytes: 'size',
  sha256: 'hash',
  limits: LIMITS,
  name: 'opaque',
};
/** What a caller signed in with. */
export const CREDENTIAL: Fields<Credential> = { key: 'id', session: 'hash' };
export const COMMIT: Fields<RoleCommit> = {
  role: ROLE,
  now: 'instant',
  limits: LIMITS,
  manifest: 'word',
  warnings: ['opaque'],
  credential: CREDENTIAL,
  name: 'opaque',
};
export const ROLE_QUERY: Fields<RoleQuery> = {
  account: 'text',
  now: 'instant',
  state: 'choice',
  idempotencyKey: 'text',
  search: 'text',
  order: 'choice',
  after: { rank: 'size', id: 'uuid' },
  limit: 'count',
};
export const CLEANUP: Fields<CleanupRequest> = {
  now: 'instant',
  endedBefore: 'instant',
  token: 'id',
  until: 'instant',
  limit: 'count',
};
export const CLEANUP_COUNT: Fields<CleanupCountRequest> = {
  now: 'instant',
  endedBefore: 'instant',
  begunBefore: 'instant',
};

/** A record that moves from one database to another: an account, a key, a publication and so on. */
export const RECORD: Shape = {
  kind: 'choice',
  value: Object.fromEntries(
    [ACCOUNT, API_KEY, ROLE, NAME, TAKEDOWN, VIEWS, EVENT, { manifest: 'word', fingerprint: 'hash' }]
      .flatMap(Object.keys)
      .map((member) => [member, 'present']),
  ),
};
