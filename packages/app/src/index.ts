export { type Composition, type CompositionOptions, openComposition } from './composition.ts';
export { type App, type AppOptions, createApp, type Listening } from './create-app.ts';
export { DEFAULT_ACCOUNT, type FirstStart, type Untouched } from './first-start.ts';
export type { Log, LogSink, RequestEntry } from './log.ts';
export { runUntilStopped } from './run-until-stopped.ts';
export type { DatabaseSetting } from './settings/database-setting.ts';
export { type Environment, type LogLevel, readSettings, type Settings } from './settings/settings.ts';
export { SettingsError } from './settings/settings-error.ts';
export type { StorageSetting } from './settings/storage-setting.ts';
export type { TrustProxy } from './settings/trust-proxy.ts';
export {
  type ViewerMode,
  type WebAddresses,
  type WebAddressSettings,
  webAddresses,
} from './settings/web-addresses.ts';
export { offerSignInLink } from './sign-in-link.ts';
