export { raceSignal } from './adapter/abortable.ts';
export {
  instrument,
  type Observer,
  type OnEvent,
  onRoleEvents,
  type PortMethod,
} from './adapter/instrument.ts';
export {
  examineSchema,
  type Migration,
  type MigrationPlan,
  planMigrations,
  refuseOutdated,
  SCHEMA_VERSIONS,
  type SchemaState,
  type SchemaVersion,
} from './adapter/migrations.ts';
export {
  filenameFolded,
  MAX_SEARCHED,
  pageOf,
  roleCursorOf,
  startOf,
  titleFolded,
} from './adapter/pages.ts';
export { type Release, Semaphore, type SemaphoreOptions } from './adapter/semaphore.ts';
export { NO_ACCOUNT_LIMITS } from './domain/account.ts';
export { UNAUTHORIZED } from './domain/actor.ts';
export {
  type AdmissionFacts,
  type AdmissionRequest,
  accountAfterPublishing,
  checkAdmission,
  checkAuthority,
  checkKeyLimit,
  FORBIDDEN_CONTENT,
  hasQuota,
  NORMAL_MODE,
  publicationLimitsOf,
} from './domain/admission.ts';
export { ProblemList } from './domain/archive-problems.ts';
export { judgeListing } from './domain/archive-rules.ts';
export { isAppleDouble, isSystemEntry, mayBeAppleDouble, normalizeNames } from './domain/entry-path.ts';
export { archiveCreatedAt, archiveIdOf, parseArchiveId } from './domain/identity.ts';
export { siteRoot } from './domain/index-hint.ts';
export { decideName, withNameWarnings } from './domain/name.ts';
export {
  chooseNameEncoding,
  encodingOfCharset,
  isPlausibleName,
  NAME_ENCODINGS,
  type NameReading,
  type PageLabels,
} from './domain/name-encoding.ts';
export {
  type AttemptRefusal,
  type AttemptWindow,
  checkAttempt,
  MAX_UNSETTLED,
} from './domain/password.ts';
export { foldPath } from './domain/path-conflicts.ts';
export type { RateLeft } from './domain/rate.ts';
export { FIRST_GENERATION } from './domain/role.ts';
export { secretOfFile } from './domain/secret-files.ts';
export { findAnswer, findFallback, pageForFolder, type Resolution } from './domain/site.ts';
export { hasManyMarks } from './domain/text.ts';
export { MAX_WARNINGS } from './domain/warnings.ts';
export type { AllPorts, Persistence, StoreName, Stores } from './ports/all-ports.ts';
export { checkReadRange, MAX_READ } from './ports/archive-storage.ts';
export { parseJson } from './sql/sql-table.ts';
