export {
  type CreateGrant,
  type PublicUrl,
  publicUrl,
  type RequestEntry,
  RequestLimiter,
  type RequestLog,
  type RequestRate,
} from '@pinfold/http';
export {
  type ApiKeyAuthenticationOptions,
  type Authenticate,
  apiKeyAuthentication,
} from './authentication.ts';
export { createApi } from './create-api.ts';
export { administrationDocument, type OpenApiOptions, openApiDocument } from './openapi/document.ts';
export type { ApiOptions, ApiTimeouts, ApiUseCases } from './service.ts';
export type { SignIn } from './sign-in.ts';
export { eventOf, type WireEvent } from './wire/event.ts';
export { type Pin, pinOf } from './wire/pin.ts';
