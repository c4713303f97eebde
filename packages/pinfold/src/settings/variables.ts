/**
 * The environment variable of each option, without its prefix. Options of `openPinfold` are named as there, others as in
 * `Settings`.
 */
export const VARIABLES = {
  dataDir: 'DATA_DIR',
  publicUrl: 'PUBLIC_URL',
  sitesUrl: 'SITES_URL',
  viewerMode: 'VIEWER_MODE',
  database: 'DATABASE_URL',
  storage: 'STORAGE_URL',
  secret: 'SECRET',
  trustProxy: 'TRUST_PROXY',
  logLevel: 'LOG_LEVEL',
  logFormat: 'LOG_FORMAT',
  logAddresses: 'LOG_ADDRESSES',
  logViews: 'LOG_VIEWS',
  node: 'NODE',
  port: 'PORT',
  host: 'HOST',
  workers: 'WORKERS',
  uploads: 'UPLOADS',
  keyLimit: 'KEYS',
  'rates.requests': 'RATE_REQUESTS',
  'rates.publications': 'RATE_PUBLICATIONS',
  'quotas.sites': 'QUOTA_SITES',
  'quotas.bytes': 'QUOTA_BYTES',
  'quotas.names': 'NAMES',
  'limits.expandedBytes': 'EXPANDED_BYTES',
  'limits.archiveBytes': 'ARCHIVE_BYTES',
  'limits.files': 'FILES',
  'limits.fileBytes': 'FILE_BYTES',
  'limits.lifetime': 'DEFAULT_LIFETIME_DAYS',
  metricsPort: 'METRICS_PORT',
  metricsHost: 'METRICS_HOST',
  'oidc.issuer': 'OIDC_ISSUER',
  'oidc.clientId': 'OIDC_CLIENT_ID',
  'oidc.clientSecret': 'OIDC_CLIENT_SECRET',
  'oidc.scopes': 'OIDC_SCOPES',
  'oidc.name': 'OIDC_NAME',
  'oidc.accountPrefix': 'OIDC_ACCOUNT_PREFIX',
  'oidc.accountClaim': 'OIDC_ACCOUNT_CLAIM',
  'oidc.require': 'OIDC_REQUIRE',
  'oidc.admins': 'OIDC_ADMINS',
  apiKey: 'API_KEY',
  welcome: 'WELCOME',
  clearCookies: 'CLEAR_COOKIES',
  reportUrl: 'REPORT_URL',
  readyNeeds: 'READY_NEEDS',
  historyRetention: 'HISTORY_DAYS',
  historyAddresses: 'HISTORY_ADDRESSES',
  drain: 'DRAIN_SECONDS',
} as const;

/** An option that an environment variable can set. */
export type OptionName = keyof typeof VARIABLES;

export const PREFIX = 'PINFOLD_';

/** Returns `PINFOLD_PUBLIC_URL` for `publicUrl`; `undefined` for an option that only code can set. */
export function findVariable(option: string): string | undefined {
  const name = Object.entries(VARIABLES).find(([known]) => known === option)?.[1];
  return name === undefined ? undefined : PREFIX + name;
}

/** Names an option in a message: `PINFOLD_PUBLIC_URL (publicUrl)`, or the option alone if only code can set it. */
export function formatOption(option: string, variable: string | undefined = findVariable(option)): string {
  return variable === undefined ? option : `${variable} (${option})`;
}
