export type { Account, AccountLimits, AccountUse, Block, PublicationLimits } from './domain/account.ts';
export { type Actor, type Authority, type Credential, OPERATOR, type SaveAuthority } from './domain/actor.ts';
export type { Inadmissible, Mode, Unchangeable } from './domain/admission.ts';
export {
  type ApiKey,
  type ApiKeyId,
  type Caller,
  type Consent,
  DEFAULT_SCOPES,
  MEMBER_SCOPES,
  type Pairing,
  type Scope,
} from './domain/api-key.ts';
export type {
  Ambiguity,
  ArchiveProblem,
  ArchiveRule,
  ArchiveRules,
  BadEncoding,
  HeaderField,
} from './domain/archive-problems.ts';
export type {
  ArchiveListing,
  GuessedNames,
  Judgement,
  ListedEntry,
  ProofTask,
  SiteFile,
} from './domain/archive-rules.ts';
export type { RoleCursor, RoleFilter, RoleOrder } from './domain/cursor.ts';
export type { EntryPath, UnsafePath } from './domain/entry-path.ts';
export type { Grant, GrantPurpose, KnownViewer, VisibleRole } from './domain/grant.ts';
export type {
  Cause,
  EventActor,
  EventCursor,
  EventDraft,
  EventId,
  EventType,
  FeedId,
  FeedPlace,
  HistoryEvent,
  Origin,
  PublicationEvent,
  RoleEventType,
  UnattributedEvent,
} from './domain/history.ts';
export {
  type Filename,
  type Fingerprint,
  type IdempotencyKey,
  type IdempotencyKeyRules,
  parseFilename,
  parseIdempotencyKey,
} from './domain/idempotency.ts';
export {
  type AccountId,
  type ArchiveId,
  accountId,
  type Branded,
  parseRoleId,
  type RoleId,
  type Sha256,
  type Token,
} from './domain/identity.ts';
export type { IndexHint } from './domain/index-hint.ts';
export {
  after,
  before,
  type Duration,
  days,
  duration,
  hours,
  type Instant,
  instant,
  minutes,
  seconds,
} from './domain/instant.ts';
export { defaultLimits, type Limits, type OwnLimits } from './domain/limits.ts';
export {
  type Name,
  type NameRecord,
  type NamesInUse,
  type NameToken,
  type PinName,
  parseName,
  type ShownName,
} from './domain/name.ts';
export type { NameEncoding } from './domain/name-encoding.ts';
export {
  type Password,
  type PasswordHash,
  type PasswordRules,
  parsePassword,
} from './domain/password.ts';
export type { Rate, RateMark, RateText } from './domain/rate.ts';
export type { Comparison, RemovalClock, Uptime } from './domain/reconciliation.ts';
export {
  type Decision,
  decide,
  type Generation,
  type Publication,
  type Role,
  type RoleCommand,
  type RoleState,
  stateOf,
} from './domain/role.ts';
export type { Session, SessionId, SessionLimits, SessionScope, SignInLink } from './domain/session.ts';
export type { EncodedManifest, Manifest, ManifestEntry } from './domain/site.ts';
export type { Takedown, TakedownCursor } from './domain/takedown.ts';
export { parseTitle, type Title, type TitleRules } from './domain/text.ts';
export type { CountedViews, Day, DayOfViews } from './domain/views.ts';
export type {
  FollowedReference,
  ObservedFile,
  OriginNeed,
  SecretKind,
  SiteTool,
  Warning,
  WarningRules,
} from './domain/warnings.ts';
export { Fault, type FaultCode, isFault } from './fault.ts';
export type { AccountChange, AccountStore } from './ports/account-store.ts';
export type { ApiKeySecrets, MintedKeyText, PresentedKey } from './ports/api-key-secrets.ts';
export type { ApiKeyPlace, ApiKeyQuery, ApiKeyStore } from './ports/api-key-store.ts';
export type { ArchiveInspector, ArchiveProof, EntryProof, ProofRequest } from './ports/archive-inspector.ts';
export type { ArchiveStorage } from './ports/archive-storage.ts';
export type { Attempt, AttemptCounter, AttemptOutcome, AttemptTicket } from './ports/attempt-counter.ts';
export type { Clock, DatabaseClock, Machine } from './ports/clock.ts';
export type {
  Erasure,
  ErasureClaim,
  ErasureRequest,
  ErasureStep,
  ErasureStore,
} from './ports/erasure-store.ts';
export type { GrantSigner } from './ports/grant-signer.ts';
export type {
  EventPage,
  EventQuery,
  EventTrimming,
  ExpiredRole,
  FeedPart,
  FeedQuery,
  HistoryStore,
} from './ports/history-store.ts';
export type {
  BegunSignIn,
  IdentityProvider,
  Person,
  SignInFailure,
  SignInProblem,
  SignInReturn,
} from './ports/identity-provider.ts';
export type { Ids } from './ports/ids.ts';
export type { NameChange, NamedRole, NamePlace, NameStore } from './ports/name-store.ts';
export type { PairingRedemption, PairingStore, Registration } from './ports/pairing-store.ts';
export type { PasswordHasher } from './ports/password-hasher.ts';
export type {
  CleanupCount,
  CleanupCountRequest,
  CleanupOutcome,
  CleanupRequest,
  CleanupTask,
  NextForCleanup,
  StoredCount,
  StoredWindow,
} from './ports/role-cleanup.ts';
export type {
  CommitOutcome,
  Lease,
  LoadedRole,
  Page,
  Reservation,
  ReserveOutcome,
  RoleCommit,
  RoleQuery,
  RoleStore,
  Version,
  Versioned,
} from './ports/role-store.ts';
export type { ServiceMode } from './ports/service-mode.ts';
export type { MintedToken, SessionSecrets } from './ports/session-secrets.ts';
export type { BegunSession, Redemption, SessionQuery, SessionStore } from './ports/session-store.ts';
export type { ReceiveOutcome, StagedArchive, Staging } from './ports/staging.ts';
export type { CopyQuery, PurgeClaim, TakedownQuery, TakedownStore } from './ports/takedown-store.ts';
export type { ViewStore } from './ports/view-store.ts';
export type {
  KeyQuotaExceeded,
  LimitAndActual,
  NameQuotaExceeded,
  NoDetails,
  PublicationQuotaExceeded,
  QuotaRules,
  Refusal,
  RefusalCode,
  Refusals,
  RuleDetails,
} from './refusal.ts';
export type {
  ArchiveRefusal,
  OpenArchiveOutcome,
  OpenedArchive,
} from './use-cases/archive-reading.ts';
export type { Cancelling, CancelOutcome } from './use-cases/cancelling.ts';
export type {
  ChangeOutcome,
  ChangeRequest,
  Conflict,
  GrantOutcome,
  Precondition,
  RoleRequest,
  Update,
  UpdateOutcome,
} from './use-cases/changing.ts';
export type { CleanUpReport, CleanUpRequest } from './use-cases/clean-up-run.ts';
export type { Cleaning } from './use-cases/cleaning.ts';
export {
  createUseCases,
  type Ports,
  type Quotas,
  type Sharing,
  type UseCaseOptions,
  type UseCases,
} from './use-cases/create-use-cases.ts';
export type {
  KeyListRequest,
  KeyOptions,
  KeyPorts,
  Keys,
  MintedKey,
  NewKey,
  RevokeRequest,
} from './use-cases/keys.ts';
export type { Measurement, Observe } from './use-cases/measurement.ts';
export type {
  NameChangeRequest,
  NameDeleteOutcome,
  NameListRequest,
  NameRequest,
  NameSetOutcome,
  Names,
  NameVisit,
  Naming,
} from './use-cases/naming.ts';
export type { PageOutcome, PageRequest } from './use-cases/paging.ts';
export type { NewConsent, PairingOutcome, PairingPorts, Pairings } from './use-cases/pairings.ts';
export type { BeforePublish, Submitted, Submitter } from './use-cases/prove-archive.ts';
export type {
  CheckOutcome,
  CheckRequest,
  GivenArchive,
  Publishing,
  PublishOutcome,
  PublishRequest,
} from './use-cases/publishing.ts';
export type { ListRequest, Reading, ReadOutcome } from './use-cases/reading.ts';
export type {
  SessionOptions,
  SessionPorts,
  Sessions,
  StartedSession,
} from './use-cases/sessions.ts';
export type { Ended, Open } from './use-cases/site-content.ts';
export type { EnterOutcome, EnterRequest, Grants, Visit } from './use-cases/viewer-access.ts';
