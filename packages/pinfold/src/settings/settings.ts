import { availableParallelism, hostname } from 'node:os';
import { type Duration, seconds } from '@pinfold/core';
import { checkReportUrl } from '@pinfold/http/internal';
import { NodeApiKeySecrets } from '@pinfold/platform-node';
import { findNearestWord } from '../command-line/did-you-mean.ts';
import { type Need, parseNeeds } from '../health/health.ts';
import { parseTrustProxy, type TrustProxy } from '../server/client-address.ts';
import { type Allowances, parseDays, readAllowances } from './allowances.ts';
import { type OidcSetting, oidcNotes, readOidc } from './oidc-setting.ts';
import {
  createReadOption,
  DECIMAL,
  numberFrom,
  oneOf,
  parseOnOff,
  parseText,
  type Texts,
} from './read-option.ts';
import { SettingsError } from './settings-error.ts';
import { type DatabaseSetting, parseDatabase, parseStorage, type StorageSetting } from './store-settings.ts';
import { formatOption, PREFIX, VARIABLES } from './variables.ts';
import { addressNotes, readWebAddresses, type WebAddressSettings } from './web-addresses.ts';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const FORMATS = ['json', 'text'] as const;

/** How much is logged; `silent` is nothing. */
export type LogLevel = (typeof LEVELS)[number];

/** `json`: one object a line; `text`: short lines for a person at a terminal. */
export type LogFormat = (typeof FORMATS)[number];

/** Every setting of the server: see `docs/operators/settings.md`. `readSettings({})` has the defaults. */
export interface Settings extends WebAddressSettings, Allowances {
  /** The port to listen on; 0 takes a free one. */
  readonly port: number;
  /** The address or name to listen on. */
  readonly host: string;
  /** How many processes answer on the port; `auto` in the environment is read as the number of cores. */
  readonly workers: number;
  /** The folder for all data on this machine; created if missing. */
  readonly dataDir: string;
  readonly database: DatabaseSetting;
  readonly storage: StorageSetting;
  /** The secret that signs grants, then others that are still accepted; absent: a new one is stored. Never printed. */
  readonly secrets: readonly [current: string, ...others: readonly string[]] | undefined;
  /** The maximum number of uploads that each process receives at the same time; others wait. */
  readonly uploads: number;
  readonly trustProxy: TrustProxy;
  readonly logLevel: LogLevel;
  /** Absent: text if standard output is a terminal, else JSON. */
  readonly logFormat: LogFormat | undefined;
  /** Whether the log has the addresses of clients. */
  readonly logAddresses: boolean;
  /** The share of successful views that is logged, from 0 to 1. */
  readonly logViews: number;
  /** The name of this machine in the log and in metrics. */
  readonly node: string;
  /** The port that serves metrics; absent: metrics are off. */
  readonly metricsPort: number | undefined;
  /** The address or name that serves metrics. */
  readonly metricsHost: string;
  /** Signs people in to the management screen by OpenID Connect; absent: off. */
  readonly oidc: OidcSetting | undefined;
  /** An API key to create for the account `default`. Never printed. */
  readonly apiKey: string | undefined;
  /** The dependencies that `/readyz` checks. */
  readonly readyNeeds: readonly Need[];
  /** How long a stopping server still accepts new connections. */
  readonly drain: Duration;
  /** How long events are stored; absent: the default of the core. */
  readonly historyRetention: Duration | undefined;
  /** Whether the history stores the addresses of clients. */
  readonly historyAddresses: boolean;
  /** Whether the very first start publishes the welcome site. */
  readonly welcome: boolean;
  /** Whether the answer to a browser with too many cookies clears all cookies of the domain. */
  readonly clearCookies: boolean;
  /** The URL for reporting a page. Default: no link. */
  readonly reportUrl: string | undefined;
  /** Advice for the operator, printed at the start; a line each. */
  readonly notes: readonly string[];
}

/** Environment variables, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

const MAX_WORKERS = 64;
const MIN_SECRET_LENGTH = 16;
const DEFAULT_UPLOADS = 64;
const MAX_UPLOADS = 10_000;
const MAX_DRAIN = 3_600;

/** The `pinfold` command reads these to reach another server, so they are not unknown. */
const OTHER_VARIABLES = ['URL', 'KEY'];

/**
 * Reads the settings from environment variables. An empty variable counts as absent.
 *
 * @throws SettingsError for the first wrong value. It names the variable, and never shows the value.
 */
export function readSettings(env: Environment): Settings {
  const texts: Texts = {
    ...Object.fromEntries(
      Object.entries(VARIABLES).map(([option, name]) => [option, env[PREFIX + name] || undefined]),
    ),
    // An empty prefix is a valid value: accounts then have no prefix.
    'oidc.accountPrefix': env[PREFIX + VARIABLES['oidc.accountPrefix']],
  };
  const settings = settingsOf(texts, env);
  return { ...settings, notes: [...noteUnknownVariables(env), ...settings.notes] };
}

/**
 * Reads the settings from texts by option; `env` has the variables of the platform, such as `AWS_REGION`.
 *
 * @throws SettingsError for the first text that is wrong.
 */
export function settingsOf(texts: Texts, env: Environment = {}): Settings {
  const read = createReadOption(texts);
  const addresses = readWebAddresses(read);
  const database = read('database', parseDatabase, { kind: 'sqlite' } as const);
  const secrets = read('secret', parseSecrets);
  // Several nodes may share the database, and each must accept the grants of the others.
  if (database.kind === 'postgres' && secrets === undefined) {
    const expectation = `must be set, the same on every node, when ${formatOption('database')} is`;
    throw new SettingsError('secret', `${expectation}: nodes would not know each other's grants`);
  }
  const awsRegion = env.AWS_REGION || env.AWS_DEFAULT_REGION || undefined;
  const defaultPort = () => (env.PORT ? parseText('port', env.PORT, parsePort, 'PORT') : 8080);
  const oidc = readOidc(read);
  return {
    ...addresses,
    port: read('port', parsePort) ?? defaultPort(),
    host: read('host', String, '127.0.0.1'),
    workers: read('workers', parseWorkers, 1),
    dataDir: read('dataDir', String, './data'),
    database,
    storage: read('storage', (text) => parseStorage(text, awsRegion), { kind: 'files' } as const),
    secrets,
    uploads: read('uploads', numberFrom(1, MAX_UPLOADS), DEFAULT_UPLOADS),
    ...readAllowances(read),
    trustProxy: read('trustProxy', parseTrustProxy, { kind: 'none' } as const),
    logLevel: read('logLevel', oneOf(LEVELS), 'info'),
    logFormat: read('logFormat', oneOf(FORMATS)),
    logAddresses: read('logAddresses', parseOnOff, false),
    logViews: read('logViews', numberFrom(0, 1, 'must be a number from 0 to 1, such as 0.01', DECIMAL), 1),
    node: read('node', parseNodeName) ?? hostname(),
    metricsPort: read('metricsPort', parsePort),
    metricsHost: read('metricsHost', String, '127.0.0.1'),
    oidc,
    apiKey: read('apiKey', parseApiKey),
    welcome: read('welcome', parseOnOff, true),
    clearCookies: read('clearCookies', parseOnOff, false),
    reportUrl: read('reportUrl', parseReportUrl),
    readyNeeds: read('readyNeeds', parseReadyNeeds, ['database'] as const),
    historyRetention: read('historyRetention', parseDays),
    historyAddresses: read('historyAddresses', parseOnOff, false),
    drain: read('drain', parseDrain, seconds(0)),
    notes: [...addressNotes(addresses), ...oidcNotes(oidc)],
  };
}

function parseReportUrl(text: string): string | undefined {
  try {
    return checkReportUrl(text);
  } catch {
    throw new TypeError('must be an address that begins with https:, http: or mailto:');
  }
}

const parsePort = numberFrom(0, 65_535, 'must be a port: a whole number from 0 to 65535');

function parseWorkers(text: string): number {
  if (text === 'auto') return Math.min(availableParallelism(), MAX_WORKERS);
  return numberFrom(1, MAX_WORKERS, `must be auto, or a number of processes from 1 to ${MAX_WORKERS}`)(text);
}

/** Parses secrets separated by commas: a new one can sign while the grants of the old one stay valid. */
function parseSecrets(text: string): Settings['secrets'] {
  const [current = '', ...others] = text.split(',').map((secret) => secret.trim());
  if ([current, ...others].some((secret) => Buffer.byteLength(secret) < MIN_SECRET_LENGTH)) {
    throw new TypeError(
      `must have at least ${MIN_SECRET_LENGTH} bytes, better 32 random ones; if there are several, separated by commas, each of them`,
    );
  }
  return [current, ...others];
}

function parseNodeName(text: string): string {
  if (!/^[^\p{Cc}]{1,255}$/u.test(text)) throw new TypeError('must be a name of 1 to 255 characters');
  return text;
}

function parseApiKey(text: string): string {
  // A secret written by `echo` ends with a newline.
  const key = text.trim();
  if (new NodeApiKeySecrets().read(key) !== undefined) return key;
  throw new TypeError('must be an API key of the form pf_<key id>_<secret of 43 characters>');
}

function parseReadyNeeds(text: string): readonly Need[] {
  const needs = parseNeeds(text);
  if (needs !== undefined) return needs;
  throw new TypeError('must be none, or any of database, storage, staging, clock, separated by commas');
}

function parseDrain(text: string): Duration {
  return seconds(
    numberFrom(0, MAX_DRAIN, `must be a number of seconds from 0 to ${MAX_DRAIN}`, DECIMAL)(text),
  );
}

/** Warns of unknown variables: otherwise nothing would show that a name is misspelt. */
function noteUnknownVariables(env: Environment): readonly string[] {
  const known = [...Object.values(VARIABLES), ...OTHER_VARIABLES].map((name) => PREFIX + name);
  const unknown = Object.keys(env).filter((name) => name.startsWith(PREFIX) && !known.includes(name));
  if (unknown.length === 0) return [];
  const listed = unknown.sort().map((name) => {
    const nearest = findNearestWord(name, known);
    return nearest === undefined ? name : `${name} (did you mean ${nearest}?)`;
  });
  return [`unknown variables have no effect: ${listed.join(', ')}`];
}
