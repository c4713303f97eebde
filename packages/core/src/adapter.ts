export { Gate, type GateOptions, type Leave } from './adapter/gate.ts';
export { type Call, instrument, type Observer, type OnEvent, onRoleEvents } from './adapter/instrument.ts';
export { jsonList, jsonOf, parseJson, parseJsonList } from './adapter/json.ts';
export { committedAs, judgeCommit, judgeHolder, type KeyRow } from './adapter/key-holder.ts';
export {
  isOutdated,
  type Migration,
  type MigrationPlan,
  type MigrationScope,
  neededRelease,
  planMigrations,
  refuseOutdated,
  type SchemaState,
} from './adapter/migrations.ts';
export {
  eventPageOf,
  MOST_RANK,
  MOST_SEARCHED,
  pageOf,
  placeOf,
  startOf,
  titleFolded,
} from './adapter/pages.ts';
export { type Persistence, STORES, type StoreName } from './adapter/persistence.ts';
export { raceSignal } from './adapter/race-signal.ts';
export { checkReadRange } from './adapter/read-range.ts';
export { sleepUnlessAborted } from './adapter/sleep-unless-aborted.ts';
export {
  type Column,
  type Columns,
  changingMembers,
  type StoredRow,
  type Table,
  tableOf,
} from './adapter/table.ts';
export { NO_LIMITS } from './domain/account.ts';
export {
  type AdmissionLooks,
  type AdmissionRequest,
  boundsOf,
  FORBIDDEN_CONTENT,
  hasQuota,
  published,
  rateInForce,
  refuseAdmission,
  refuseChange,
  refuseKey,
} from './domain/admission.ts';
export { KNOWN_SCOPES } from './domain/api-key.ts';
export { judgeListing } from './domain/archive-rules.ts';
export {
  type AttemptRefusal,
  type AttemptTally,
  refuseAttempt,
  UNSETTLED_AT_MOST,
} from './domain/attempts.ts';
export { credentialOf, UNAUTHORIZED } from './domain/credential.ts';
export { readNames } from './domain/entry-names.ts';
export { forbiddenSegment, isSystemEntry, unsafePath } from './domain/entry-path.ts';
export { foldPath } from './domain/fold-path.ts';
export { admits, firstGrant, grantEndsAt, passOn } from './domain/grant.ts';
export { fingerprintOf } from './domain/idempotency.ts';
export { archiveCreatedAt, archiveIdOf, parseArchiveId } from './domain/identity.ts';
export { toRfc3339 } from './domain/instant.ts';
export { NORMAL } from './domain/mode.ts';
export { decideName, withNameWarnings } from './domain/name.ts';
export { parseGuess } from './domain/password.ts';
export { ProblemList } from './domain/problem-list.ts';
export { publicationOf, sharedUrlBelow } from './domain/publication.ts';
export { CHANGE_COST, leftOf, parseRate, type RateLeft, takenFrom } from './domain/rate.ts';
export { FIRST_GENERATION, parseRoleState, ROLE_STATES } from './domain/role.ts';
export { answerOf, type FilesByPath, fallback, type Resolution, resolve } from './domain/site.ts';
export { codePoints, foldForSearch, hasManyMarks } from './domain/text.ts';
export { MOST_WARNINGS } from './domain/warnings.ts';
export type { AllPorts, Stores } from './ports/all-ports.ts';
export { MAX_READ } from './ports/archive-storage.ts';
export { discardQuietly } from './ports/staging.ts';
