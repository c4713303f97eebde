// For packages of the same release; semver does not cover it.
export { accountBacklogs } from './account-backlogs.ts';
export { type Answer, admitAnswer, type EncodedAnswer, encodeAnswer, send } from './answer.ts';
export { archiveAnswer } from './archive-answer.ts';
export { callerOf, withoutAdministration } from './authenticate.ts';
export { announcesBody, type DrainLimits, drainAndClose, isBodyComplete } from './body/drain.ts';
export { BodyError, type BodyFailure, type BodyLimits, readWhole } from './body/watched-body.ts';
export { type CookieScope, cookieValues, hasTooManyCookies, setCookie } from './cookies.ts';
export { doorOf, type Filled } from './door-options.ts';
export { type Arrival, type Door, followRequest, type Settled } from './follow-request.ts';
export { type FormFields, type ReadFields, readFields } from './forms/read-fields.ts';
export { hashOnly, type ReceiveFile, receiveInto } from './forms/receive-file.ts';
export {
  type FormFailure,
  type FormField,
  type FormFile,
  type FormReader,
  type ReceivedForm,
  type ReceiveFormOptions,
  receiveForm,
} from './forms/receive-form.ts';
export { hasSeveralHosts, headerValues, requireNodeRequest } from './header-values.ts';
export { type Html, html, raw } from './html.ts';
export { ALL_LANGUAGES, LANGUAGES, type Language, parseLanguage } from './language.ts';
export {
  type ByteRange,
  checkPreconditions,
  matchesWeakly,
  preferredLanguage,
  prefersGzip,
  requestedRange,
} from './negotiation.ts';
export { type OutgoingAnswer, outgoingBytes, SMALL_ANSWER, systemMemory } from './outgoing-bytes.ts';
export { ownText } from './own-memory.ts';
export { palette, paletteOf } from './palette.ts';
export { EndedMeanwhile, JoinedPieces, readPieces, sendPieces } from './pieces.ts';
export { takeRequest } from './pipelining.ts';
export { checkReportUrl, PUBLIC_POLICY, type PublicPage, publicPage } from './public-page.ts';
export { pathOf } from './public-url.ts';
export { addRateHeaders, clientOf, requestRateOf, socketAddress } from './rates/request-limiter.ts';
export { consoleLog } from './request-entry.ts';
export { hostOf, readTarget, rewriteToOriginForm } from './request-target.ts';
export { isSameOriginForm } from './same-origin.ts';
export { stripCors, stripInherited } from './strip-inherited.ts';
export { loopTurns } from './turns.ts';
export { UnavailableError } from './unavailable-error.ts';
export { hasLeft, untilGone, untilHalfClosed } from './until-gone.ts';
