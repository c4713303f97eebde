export type { Authenticate, AuthenticateOptions, DoorOptions } from './door-options.ts';
export type { RequestEntry, RequestLog } from './follow-request.ts';
export {
  type CreateGrant,
  type GrantUrlOutcome,
  nameUrl,
  type OpenArchive,
  type PublicUrl,
  publicUrl,
  sharedUrl,
} from './public-url.ts';
export {
  type ClientAddress,
  RequestLimiter,
  type RequestRate,
  type TakenRequest,
} from './request-limiter.ts';
export { type IncomingBody, Uploads, type UploadsOptions } from './uploads.ts';
