export type { DatabaseSetting } from './settings/database-setting.ts';
export { type Environment, type LogLevel, readSettings, type Settings } from './settings/settings.ts';
export { SettingsError } from './settings/settings-error.ts';
export type { StorageSetting } from './settings/storage-setting.ts';
export type { TrustProxy } from './settings/trust-proxy.ts';
export type { ViewerMode, WebAddressSettings } from './settings/web-addresses.ts';
