// For packages of the same release; semver does not cover it.

export { sleepUnlessAborted } from './adapter/abortable.ts';
export { type DatabaseRefusal, markRefusal, refusalOf } from './adapter/database-refusal.ts';
export {
  causesOf,
  codeOf,
  isBytes,
  isError,
  isPromise,
  nameOf,
  percentDecoded,
  systemCodeOf,
} from './adapter/foreign-values.ts';
export { needsNewerRelease } from './adapter/migrations.ts';
export { isAccountLimit, isErasedAccount, parseAccountLimit } from './domain/account.ts';
export { actorOf, credentialOf } from './domain/actor.ts';
export { rateInForce } from './domain/admission.ts';
export { DEFAULT_KEY_LIMIT, KNOWN_SCOPES, mayManage, pairingCode, parseApiKeyId } from './domain/api-key.ts';
export {
  APPLE_DOUBLE_BYTES,
  entryPath,
  forbiddenSegment,
  isAppleDouble,
  isSystemEntry,
  isToolFile,
  mayBeAppleDouble,
} from './domain/entry-path.ts';
export { firstGrant, grantEndsAt, withPurpose } from './domain/grant.ts';
export { EVENT_TYPES } from './domain/history.ts';
export { parseAccountId } from './domain/identity.ts';
export { indexHint, OUTPUT_FOLDERS } from './domain/index-hint.ts';
export { toRfc3339 } from './domain/instant.ts';
export { DEFAULT_NAME_LIMIT, parseNameSegment } from './domain/name.ts';
export { DROPPED_HASH, parseGuess } from './domain/password.ts';
export { CHANGE_COST, parseRate, rateLeft, takenFrom } from './domain/rate.ts';
export { earlier, MAX_CLOCK_DIFFERENCE, MAX_REMOVAL_DELAY } from './domain/reconciliation.ts';
export { readRecordLine, recordLine } from './domain/record-lines.ts';
export { checkCommand, parseRoleState, ROLE_STATES, sharedUrlBelow } from './domain/role.ts';
export { isSecretPath, mayBeKeyFile, secretOfFile } from './domain/secret-files.ts';
export { parseSessionId, sessionIdOf } from './domain/session.ts';
export { decodeManifest, isCompressibleType, resolve } from './domain/site.ts';
export { parseSha256 } from './domain/takedown.ts';
export { codePoints, foldForSearch, isOperatorText, OPERATOR_TEXT } from './domain/text.ts';
export { dayOf, dayText } from './domain/views.ts';
export { STORES } from './ports/all-ports.ts';
export { discardQuietly } from './ports/staging.ts';
