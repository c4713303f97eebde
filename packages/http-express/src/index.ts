export {
  type ApiKeyAuthenticationOptions,
  type Authenticate,
  apiKeyAuthentication,
} from './authentication.ts';
export { type ApiOptions, type ApiTimeouts, createApi } from './create-api.ts';
export type { ApiLog, ApiLogEntry } from './exchange.ts';
export { type OpenApiOptions, openApiDocument } from './openapi/document.ts';
export { type Pin, pinOf } from './pin.ts';
export type { ProblemBody } from './problem.ts';
export type { WireCode } from './problem-table.ts';
export type { RateLimit } from './rate-limit.ts';
export { archiveError, type WireError, type WireWarning, wireWarnings } from './tell.ts';
