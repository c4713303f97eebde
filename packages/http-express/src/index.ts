export {
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
export { type ApiOptions, type ApiTimeouts, createApi } from './create-api.ts';
export { serviceOf, type WireService } from './endpoints/service.ts';
export { administrationDocument, type OpenApiOptions, openApiDocument } from './openapi/document.ts';
export type { ProblemBody } from './problems/problem.ts';
export type { WireCode } from './problems/problem-table.ts';
export { archiveError, type WireError, type WireWarning, wireWarnings } from './problems/tell.ts';
export type { ApiUseCases } from './service.ts';
export type { SignIn } from './sign-in.ts';
export { accountOf, type WireAccount } from './wire/account.ts';
export { eventOf, type WireEvent } from './wire/event.ts';
export { nameOf, type WireName } from './wire/name.ts';
export {
  type AdministeredPin,
  administeredPinOf,
  type Pin,
  pinOf,
  takedownOf,
  type WireTakedown,
} from './wire/pin.ts';
