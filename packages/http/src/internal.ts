// For packages of the same release; semver does not cover it.
export { type Answer, admitAnswer, type EncodedAnswer, encodeAnswer, send } from './answer.ts';
export { archiveAnswer } from './archive-answer.ts';
export { announcesBody, type DrainLimits, drainAndClose, isBodyComplete } from './body/drain.ts';
export {
  BodyError,
  type BodyFailure,
  type BodyLimits,
  type FormFields,
  type ReadFields,
  readFields,
  readWhole,
} from './body/watched-body.ts';
export { type CookieScope, cookieValues, hasTooManyCookies, setCookie } from './cookies.ts';
export { callerOf, doorOf, type Filled, withoutAdministration } from './door-options.ts';
export { type Arrival, consoleLog, type Door, followRequest, type Settled } from './follow-request.ts';
export {
  type FormFailure,
  type FormField,
  type FormFile,
  type FormReader,
  hashOnly,
  type ReceivedForm,
  type ReceiveFile,
  type ReceiveFormOptions,
  receiveForm,
  receiveInto,
} from './forms/receive-form.ts';
export { hasLeft, untilGone, untilHalfClosed } from './gone-clients.ts';
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
export {
  accountBacklogs,
  type OutgoingAnswer,
  outgoingBytes,
  SMALL_ANSWER,
  systemMemory,
} from './outgoing-bytes.ts';
export { palette, paletteOf } from './palette.ts';
export { EndedMeanwhile, readPieces, sendPieces } from './pieces.ts';
export { runInRequestOrder } from './pipelining.ts';
export { checkReportUrl, PUBLIC_POLICY, type PublicPage, publicPage } from './public-page.ts';
export { pathOf } from './public-url.ts';
export {
  hasSeveralHosts,
  headerValues,
  hostOf,
  isSameOriginForm,
  readTarget,
  requireNodeRequest,
  rewriteToOriginForm,
} from './request-head.ts';
export { addRateHeaders, clientOf, requestRateOf, socketAddress } from './request-limiter.ts';
export { stripCors, stripInherited } from './strip-inherited.ts';
export { loopTurns } from './turns.ts';
export { UnavailableError } from './unavailable-error.ts';
