export {
  type Archive,
  type CallOptions,
  type CheckOptions,
  type ClientOptions,
  type ListOptions,
  type PageQuery,
  PinfoldClient,
  type Published,
  type PublishOptions,
} from './client.ts';
export { type Failure, PinfoldError } from './pinfold-error.ts';
export type { Retry } from './retry-schedule.ts';
export type {
  Change,
  DayOfViews,
  DryRun,
  Grant,
  GrantAnswer,
  Limits,
  LimitsAnswer,
  Pin,
  PinAnswer,
  PinList,
  Publication,
  Quota,
  Rate,
  RuleError,
  ViewedPinAnswer,
  Warning,
} from './wire.ts';
