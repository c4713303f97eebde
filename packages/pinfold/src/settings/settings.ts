import { availableParallelism, hostname } from 'node:os';
import { type Duration, seconds } from '@pinfold/core';
import { checkReportUrl } from '@pinfold/http/internal';
import { NodeApiKeySecrets } from '@pinfold/platform-node';
import { nearestWord } from '../command-line/did-you-mean.ts';
import { type Need, parseNeeds } from '../health/health.ts';
import { type Allowances, numberOfDays, readAllowances } from './allowances.ts';
import { type DatabaseSetting, parseDatabase } from './databases.ts';
import { type OidcSetting, oidcNotes, readOidc } from './oidc-setting.ts';
import {
  asItIs,
  DECIMAL,
  numberFrom,
  oneOf,
  onOrOff,
  optionsIn,
  parseText,
  type Texts,
} from './read-option.ts';
import { SettingsError } from './settings-error.ts';
import { parseStorage, type StorageSetting } from './storage-setting.ts';
import { parseTrustProxy, type TrustProxy } from './trust-proxy.ts';
import { named, PREFIX, VARIABLES } from './variables.ts';
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
  /** How many processes answer on the port; `auto` has become the number of cores. */
  readonly workers: number;
  /** The folder of everything that is stored on this machine; created if missing. */
  readonly dataDir: string;
  readonly database: DatabaseSetting;
  readonly storage: StorageSetting;
  /** The secret that signs viewing grants, then others that still verify; absent: one is created. Never printed. */
  readonly secrets: readonly [current: string, ...others: readonly string[]] | undefined;
  /** Uploads received at the same time by each process; the others wait. */
  readonly uploads: number;
  readonly trustProxy: TrustProxy;
  readonly logLevel: LogLevel;
  /** Absent: text where standard output is a terminal, else JSON. */
  readonly logFormat: LogFormat | undefined;
  /** Whether the log has the addresses of clients. */
  readonly logAddresses: boolean;
  /** The share of successful views that is logged, from 0 to 1. */
  readonly logViews: number;
  /** The name of this machine in the log and in metrics. */
  readonly node: string;
  /** The port that serves metrics; absent: none. */
  readonly metricsPort: number | undefined;
  /** The address or name that serves metrics. */
  readonly metricsHost: string;
  /** How people sign in to the management screen by OpenID Connect; absent, they do not. */
  readonly oidc: OidcSetting | undefined;
  /** An API key that the account `default` is to have. Never printed. */
  readonly apiKey: string | undefined;
  /** What `/readyz` depends on. */
  readonly readyNeeds: readonly Need[];
  /** How long a stopping server still accepts new connections. */
  readonly drain: Duration;
  /** How long events are stored; absent: the core's default of 400 days. */
  readonly historyRetention: Duration | undefined;
  /** Whether the history stores the addresses of clients. */
  readonly historyAddresses: boolean;
  /** Whether the very first start publishes the welcome site. */
  readonly welcome: boolean;
  /** Whether the answer to a browser with too many cookies clears those of the whole domain. */
  readonly clearCookies: boolean;
  /** The URL for reporting a page. Default: no link. */
  readonly reportUrl: string | undefined;
  /** Advice for the operator at the start, a line each. */
  readonly notes: readonly string[];
}

/** Environment variables, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

const MAX_WORKERS = 64;
const MIN_SECRET_LENGTH = 16;
const DEFAULT_UPLOADS = 64;
const MAX_UPLOADS = 10_000;
const MAX_DRAIN = 3_600;

/** Read by the `pinfold` command to reach another server, so they are no unknown settings. */
const OTHER_VARIABLES = ['URL', 'KEY'];

/** Reads the settings from variables, of which empty ones are absent. A SettingsError names the first wrong one. */
export function readSettings(env: Environment): Settings {
  const texts: Texts = {
    ...Object.fromEntries(
      Object.entries(VARIABLES).map(([option, name]) => [option, env[PREFIX + name] || undefined]),
    ),
    // An empty one is not the same as an absent one.
    'oidc.accountPrefix': env[PREFIX + VARIABLES['oidc.accountPrefix']],
  };
  const settings = settingsOf(texts, env);
  return { ...settings, notes: [...unknownVariables(env), ...settings.notes] };
}

/** Reads the settings from texts by option; `env` has the variables of the platform, such as `AWS_REGION`. */
export function settingsOf(texts: Texts, env: Environment = {}): Settings {
  const read = optionsIn(texts);
  const addresses = readWebAddresses(read);
  const database = read('database', parseDatabase, { kind: 'sqlite' } as const);
  const secrets = read('secret', secretsIn);
  // Several machines may use it.
  if (database.kind === 'postgres' && secrets === undefined) {
    const expectation = `must be set, the same on every node, when ${named('database')} is`;
    throw new SettingsError('secret', `${expectation}: nodes would not know each other's grants`);
  }
  const awsRegion = env.AWS_REGION || env.AWS_DEFAULT_REGION || undefined;
  const usualPort = env.PORT ? () => parseText('port', env.PORT ?? '', port, 'PORT') : () => 8080;
  const oidc = readOidc(read);
  return {
    ...addresses,
    port: read('port', port) ?? usualPort(),
    host: read('host', asItIs, '127.0.0.1'),
    workers: read('workers', workers, 1),
    dataDir: read('dataDir', asItIs, './data'),
    database,
    storage: read('storage', (text) => parseStorage(text, awsRegion), { kind: 'files' } as const),
    secrets,
    uploads: read('uploads', numberFrom(1, MAX_UPLOADS), DEFAULT_UPLOADS),
    ...readAllowances(read),
    trustProxy: read('trustProxy', parseTrustProxy, { kind: 'none' } as const),
    logLevel: read('logLevel', oneOf(LEVELS), 'info'),
    logFormat: read('logFormat', oneOf(FORMATS)),
    logAddresses: read('logAddresses', onOrOff, false),
    logViews: read('logViews', numberFrom(0, 1, 'must be a number from 0 to 1, such as 0.01', DECIMAL), 1),
    node: read('node', nodeName) ?? hostname(),
    metricsPort: read('metricsPort', port),
    metricsHost: read('metricsHost', asItIs, '127.0.0.1'),
    oidc,
    apiKey: read('apiKey', apiKey),
    welcome: read('welcome', onOrOff, true),
    clearCookies: read('clearCookies', onOrOff, false),
    reportUrl: read('reportUrl', reportUrl),
    readyNeeds: read('readyNeeds', readyNeeds, ['database'] as const),
    historyRetention: read('historyRetention', numberOfDays),
    historyAddresses: read('historyAddresses', onOrOff, false),
    drain: read('drain', drain, seconds(0)),
    notes: [...addressNotes(addresses), ...oidcNotes(oidc)],
  };
}

function reportUrl(text: string): string | undefined {
  try {
    return checkReportUrl(text);
  } catch {
    throw new TypeError('must be an address that begins with https:, http: or mailto:');
  }
}

function port(text: string): number {
  return numberFrom(0, 65_535, 'must be a port: a whole number from 0 to 65535')(text);
}

function workers(text: string): number {
  if (text === 'auto') return Math.min(availableParallelism(), MAX_WORKERS);
  return numberFrom(1, MAX_WORKERS, `must be auto, or a number of processes from 1 to ${MAX_WORKERS}`)(text);
}

/** With commas between them, so that a secret can be replaced while viewers hold grants of the one before. */
function secretsIn(text: string): Settings['secrets'] {
  const [current = '', ...others] = text.split(',').map((secret) => secret.trim());
  if ([current, ...others].some((secret) => Buffer.byteLength(secret) < MIN_SECRET_LENGTH)) {
    throw new TypeError(
      `must have at least ${MIN_SECRET_LENGTH} bytes, better 32 random ones; so must each of several separated by commas`,
    );
  }
  return [current, ...others];
}

function nodeName(text: string): string {
  if (!/^[^\p{Cc}]{1,255}$/u.test(text)) throw new TypeError('must be a name of 1 to 255 characters');
  return text;
}

function apiKey(text: string): string {
  // A secret that was made by `echo` ends with a line end.
  const key = text.trim();
  if (new NodeApiKeySecrets().read(key) !== undefined) return key;
  throw new TypeError('must be an API key of the form pf_<key id>_<secret of 43 characters>');
}

function readyNeeds(text: string): readonly Need[] {
  const needs = parseNeeds(text);
  if (needs !== undefined) return needs;
  throw new TypeError('must be none, or one or more of database, storage, staging, separated by commas');
}

function drain(text: string): Duration {
  return seconds(
    numberFrom(0, MAX_DRAIN, `must be a number of seconds from 0 to ${MAX_DRAIN}`, DECIMAL)(text),
  );
}

/** Without this note a misspelt variable would have no visible effect. */
function unknownVariables(env: Environment): readonly string[] {
  const known = [...Object.values(VARIABLES), ...OTHER_VARIABLES].map((name) => PREFIX + name);
  const unknown = Object.keys(env).filter((name) => name.startsWith(PREFIX) && !known.includes(name));
  if (unknown.length === 0) return [];
  const listed = unknown.sort().map((name) => {
    const nearest = nearestWord(name, known);
    return nearest === undefined ? name : `${name} (did you mean ${nearest}?)`;
  });
  return [`unknown variables have no effect: ${listed.join(', ')}`];
}
