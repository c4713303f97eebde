export {
  type AccountId,
  accountId,
  type BeforePublish,
  type Caller,
  DEFAULT_SCOPES,
  type Duration,
  days,
  type EventType,
  Fault,
  type HistoryEvent,
  hours,
  type Instant,
  isFault,
  type Keys,
  type Limits,
  MEMBER_SCOPES,
  minutes,
  OPERATOR,
  type Publication,
  type PublishOutcome,
  type PublishRequest,
  type Refusal,
  type Scope,
  type UseCaseOptions,
  type UseCases,
} from '@pinfold/core';
export { FeedError, type FeedItem } from '@pinfold/core/history';
export type { RequestEntry } from '@pinfold/http';
export { type Authenticate, apiKeyAuthentication, type SignIn } from '@pinfold/http-express';
export { openIdConnect, parseClaimRule } from '@pinfold/oidc';
export { SystemClock } from '@pinfold/platform-node';
export type { MayView, Viewer, ViewerAccess, ViewerId } from '@pinfold/viewer';
export { type App, createApp, type Listening } from './compose/create-app.ts';
export { openPinfold, type Pinfold } from './compose/open-pinfold.ts';
export type { TrustProxy } from './server/client-address.ts';
export type { Log, LogSink } from './server/log.ts';
export type { AppOptions, PinfoldOptions, ServiceOptions } from './settings/options.ts';
export {
  type Environment,
  type LogFormat,
  type LogLevel,
  readSettings,
  type Settings,
} from './settings/settings.ts';
export { SettingsError } from './settings/settings-error.ts';
export type { DatabaseSetting, StorageSetting } from './settings/store-settings.ts';
export type { ViewerMode, WebAddresses, WebAddressSettings } from './settings/web-addresses.ts';
export type { FirstStart } from './start/first-start.ts';
export { runUntilStopped } from './start/run-until-stopped.ts';
