// For packages of the same release; semver does not cover it.
export { codeOf, isBytes, isError, isPromise, nameOf, systemCodeOf } from './adapter/foreign-values.ts';
export { isOutdated } from './adapter/migrations.ts';
export { STORES } from './adapter/persistence.ts';
export { sleepUnlessAborted } from './adapter/sleep-unless-aborted.ts';
export { isAccountLimit, parseAccountLimit } from './domain/account.ts';
export { rateInForce } from './domain/admission.ts';
export { DEFAULT_KEY_LIMIT, KNOWN_SCOPES, mayManage, parseApiKeyId } from './domain/api-key.ts';
export { actorOf } from './domain/cause-of.ts';
export { isCodedType } from './domain/coded-types.ts';
export { credentialOf } from './domain/credential.ts';
export { entryPath, forbiddenSegment } from './domain/entry-path.ts';
export { isErasedAccount } from './domain/erasure.ts';
export { firstGrant, grantEndsAt, passOn } from './domain/grant.ts';
export { EVENT_TYPES } from './domain/history.ts';
export { fingerprintOf } from './domain/idempotency.ts';
export { parseAccountId } from './domain/identity.ts';
export { indexHint, OUTPUT_FOLDERS } from './domain/index-hint.ts';
export { toRfc3339 } from './domain/instant.ts';
export { mayBeKeyFile, secretOfFile } from './domain/key-files.ts';
export { decodeManifest } from './domain/manifest.ts';
export { DEFAULT_NAME_LIMIT, parseNameSegment } from './domain/name.ts';
export { isOperatorText, OPERATOR_TEXT } from './domain/operator-text.ts';
export { pairingCode } from './domain/pairing.ts';
export { DROPPED_HASH, parseGuess } from './domain/password.ts';
export { sharedUrlBelow } from './domain/publication.ts';
export { CHANGE_COST, leftOf, parseRate, takenFrom } from './domain/rate.ts';
export { readRecordLine, recordLine } from './domain/record-lines.ts';
export { earlier, MAX_CLOCK_DIFFERENCE, MAX_REMOVAL_DELAY } from './domain/removal-clock.ts';
export { parseRoleState, ROLE_STATES, refuseCommand } from './domain/role.ts';
export { isSecretPath } from './domain/secret-files.ts';
export { parseSessionId, sessionIdOf } from './domain/session.ts';
export { resolve } from './domain/site.ts';
export {
  APPLE_DOUBLE_BYTES,
  isAppleDouble,
  isSystemEntry,
  isToolMark,
  mayBeAppleDouble,
} from './domain/system-files.ts';
export { parseSha256 } from './domain/takedown.ts';
export { codePoints, foldForSearch } from './domain/text.ts';
export { dayOf, dayText } from './domain/views.ts';
export { discardQuietly } from './ports/staging.ts';
