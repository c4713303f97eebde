export {
  type PublicUrl,
  publicUrl,
  type RequestEntry,
  RequestLimiter,
  type RequestLog,
  type RequestRate,
} from '@pinfold/http';
export { accountOf, type WireAccount } from './administration/account-json.ts';
export {
  type AdministeredPin,
  administeredPinOf,
  takedownOf,
  type WireTakedown,
} from './administration/pin-json.ts';
export { serviceOf, type WireService } from './administration/service.ts';
export {
  type ApiKeyAuthenticationOptions,
  type Authenticate,
  apiKeyAuthentication,
} from './authentication.ts';
export { type ApiOptions, type ApiTimeouts, createApi } from './create-api.ts';
export { eventOf, type WireEvent } from './handlers/events.ts';
export { type Pin, pinOf } from './handlers/pin.ts';
export { type OpenApiOptions, openApiDocument } from './openapi/document.ts';
export type { ProblemBody } from './problems/problem.ts';
export type { WireCode } from './problems/problem-table.ts';
export { archiveError, type WireError, type WireWarning, wireWarnings } from './problems/tell.ts';
export type { ApiUseCases } from './service.ts';
export type { SignIn } from './sign-in.ts';
