// For packages of the same release; not covered by semver.

export { admit, aTry } from './attempt-counter/tries.ts';
export { meanwhile, together } from './concurrently.ts';
export { type ClauseTable, inEachEra, type StoreClauses, toClauses, withPeer } from './contract.ts';
export { LIBRARY, RUN } from './database/commands.ts';
export { databaseContract } from './database/contract.ts';
export { checkRandomPrograms } from './database/random.ts';
export { expectAbortedAlone } from './expect-aborts.ts';
export { expectApart } from './expect-apart.ts';
export { ALL_LIMITS, anAccountName, BLOCK, changeAccount, NEARLY_ONE_ACCOUNT } from './fixtures/accounts.ts';
export { collectGarbage } from './fixtures/collect-garbage.ts';
export { aPairing, listedKeys } from './fixtures/credentials.ts';
export { useEveryStore } from './fixtures/every-store.ts';
export { problemOfEachRule, warningOfEachRule } from './fixtures/findings.ts';
export {
  archivePart,
  type FormPart,
  type MultipartForm,
  multipart,
  titlePart,
} from './fixtures/multipart.ts';
export { everyText, SIGNS } from './fixtures/near-texts.ts';
export { textsNormalizedBy } from './fixtures/normal-forms.ts';
export { openRawConnection, type RawAnswer, RawConnection } from './fixtures/raw-connection.ts';
export {
  ALL,
  eventFor,
  eventIds,
  loaded,
  publish,
  recordedEvents,
  recordedIds,
  walkEvents,
} from './fixtures/recorded-events.ts';
export {
  aRoleQuery,
  END,
  everything,
  idsOf,
  newestFirst,
  walkArchives,
  walkList,
} from './fixtures/role-queries.ts';
export {
  aClaim,
  aFingerprint,
  anArchiveIdAt,
  aTask,
  changeRole,
  loadedRole,
  overQuota,
  removeEnded,
  UNBOUNDED,
  uuidOf,
} from './fixtures/roles.ts';
export {
  type CostlyReferences,
  costlyPages,
  costlyReferences,
  repeatedEntries,
} from './fixtures/zips/costly-zips.ts';
export { type PlannedEntry, writeZip } from './fixtures/zips/zip-writer.ts';
export { restOf } from './http/send-request.ts';
export {
  eraseMarked,
  MARKED_SCHEMA,
  type MarkedAccount,
  markAccount,
  shownOf,
} from './marked-account.ts';
export { describeMigrations } from './migrations.ts';
export { ofEachTest } from './of-each-test.ts';
export { expectFaults, expectUnreachable, faultOf } from './rejection.ts';
export { walk } from './walk.ts';
