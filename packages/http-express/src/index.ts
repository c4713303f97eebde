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
export { type ApiOptions, type ApiTimeouts, createApi } from './create-api.ts';
export { type LimitsAnswer, limitsAnswerOf } from './endpoints/read-limits.ts';
export { administrationDocument, type OpenApiOptions, openApiDocument } from './openapi/document.ts';
export { type ProblemBody, problemOf, refuseRequest } from './problems/problem.ts';
export { isWireCode, type WireCode } from './problems/problem-table.ts';
export type { ApiUseCases } from './service.ts';
export type { SignIn } from './sign-in.ts';
export {
  type AdministeredPin,
  accountOf,
  administeredPinOf,
  archiveError,
  eventOf,
  nameOf,
  type Pin,
  pinOf,
  serviceOf,
  takedownOf,
  type WireAccount,
  type WireError,
  type WireEvent,
  type WireName,
  type WireService,
  type WireTakedown,
  type WireWarning,
  wireWarnings,
} from './wire.ts';
