// For packages of the same release; semver does not cover it.
export { LIBRARY } from './database/commands.ts';
export { databaseContract } from './database/contract.ts';
export { checkRandomPrograms } from './database/random.ts';
export { BLOCK } from './fixtures/accounts.ts';
export { useEveryStore } from './fixtures/every-store.ts';
export { problemOfEachRule, warningOfEachRule } from './fixtures/findings.ts';
export { listedKeys } from './fixtures/keys.ts';
export {
  archivePart,
  type FormPart,
  type MultipartForm,
  multipart,
  titlePart,
} from './fixtures/multipart.ts';
export { openRawConnection, type RawAnswer, RawConnection } from './fixtures/raw-connection.ts';
export { UNBOUNDED, uuidOf } from './fixtures/roles.ts';
export {
  type CostlyReferences,
  costlyPages,
  costlyReferences,
  repeatedEntries,
} from './fixtures/zips/costly-zips.ts';
export { type PlannedEntry, writeZip } from './fixtures/zips/zip-writer.ts';
export { describeMigrations } from './migrations.ts';
export { ofEachTest } from './of-each-test.ts';
export { faultOf } from './rejection.ts';
