export type { Authenticate, AuthenticateOptions } from './authenticate.ts';
export type { DoorOptions } from './door-options.ts';
export {
  type CreateGrant,
  type GrantUrlOutcome,
  nameUrl,
  type OpenArchive,
  type PublicUrl,
  publicUrl,
  sharedUrl,
} from './public-url.ts';
export type { TakenRequest } from './rates/rate-limiter.ts';
export { type ClientAddress, RequestLimiter, type RequestRate } from './rates/request-limiter.ts';
export type { RequestEntry, RequestLog } from './request-entry.ts';
export type { IncomingBody } from './upload-pace.ts';
export { Uploads, type UploadsOptions } from './uploads.ts';
