export { type Answer, type EncodedAnswer, encodeAnswer } from './answer.ts';
export { type Authenticate, callerOf } from './authenticate.ts';
export { type DrainLimits, drain, drainAndClose, isUnderWay } from './body/drain.ts';
export { BodyError, type BodyLimits, type BodyTrouble, readWhole } from './body/watched-body.ts';
export { clientOf } from './client-address.ts';
export { consoleLog } from './console-log.ts';
export { type CookieScope, cookieValues, hasTooManyCookies, setCookie } from './cookies.ts';
export { hashOnly } from './forms/hash-only.ts';
export { type FormFields, type ReadFields, readFields } from './forms/read-fields.ts';
export { type ReceivedArchive, receiveArchive } from './forms/receive-archive.ts';
export {
  type FormField,
  type FormFile,
  type FormReader,
  type FormTrouble,
  type ReceivedForm,
  type ReceiveFormOptions,
  receiveForm,
} from './forms/receive-form.ts';
export { expectNodeRequest, headerValues } from './header-values.ts';
export { type Html, type HtmlValue, html, raw } from './html.ts';
export {
  matchesStrongly,
  matchesWeakly,
  parseWeighted,
  preferredLanguage,
  prefersGzip,
  type Weighted,
} from './negotiation.ts';
export { isOwnForm } from './own-form.ts';
export { type PaletteName, palette, paletteOf } from './palette.ts';
export { type PublicUrl, pathOf, publicUrl, sharedUrl } from './public-url.ts';
export { type RequestEntry, type RequestLog, thrown } from './request-entry.ts';
export { type Sentences, sentenceOf } from './sentences.ts';
export { hasSeveralHosts } from './several-hosts.ts';
export { stripInherited } from './strip-inherited.ts';
export { takeRequest } from './take-request.ts';
export { untilGone } from './until-gone.ts';
export { Uploads, type UploadsOptions } from './uploads.ts';
