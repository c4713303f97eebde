import { availableParallelism, hostname } from 'node:os';
import { type Duration, days, seconds } from '@pinfold/core';
import { checkReportUrl } from '@pinfold/http/internal';
import { NodeApiKeySecrets } from '@pinfold/platform-node';
import { type Need, parseNeeds } from '../health/health.ts';
import { type Allowances, readAllowances } from './allowances.ts';
import { type DatabaseSetting, databaseOf, readDatabase } from './databases.ts';
import { type OidcSetting, oidcNotes, readOidc } from './oidc-setting.ts';
import {
  DECIMAL,
  type Parse,
  type ReadVariable,
  readNumber,
  readOneOf,
  readSwitch,
  readText,
} from './read-variable.ts';
import { SettingsError } from './settings-error.ts';
import { readStorage, type StorageSetting } from './storage-setting.ts';
import { readTrustProxy, type TrustProxy } from './trust-proxy.ts';
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
  /**
   * The secret that signs viewing grants, then others whose grants are valid as well; absent: one is created and stored
   * in the data folder. Never printed.
   */
  readonly secrets: readonly [current: string, ...others: readonly string[]] | undefined;
  /** Uploads received at the same time by each process; the others wait. */
  readonly uploads: number;
  /** How long a new publication lives; absent, the core's default of 7 days. */
  readonly lifetime: Duration | undefined;
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

const PREFIX = 'PINFOLD_';
const MAX_WORKERS = 64;
const MIN_SECRET_LENGTH = 16;
const DEFAULT_UPLOADS = 64;
const MAX_UPLOADS = 10_000;
const MAX_DAYS = 36_500;
/** A millisecond. */
const MIN_DAYS = 1 / 86_400_000;
const MAX_DRAIN = 3_600;

/** Read by the `pinfold` command to reach another server, so they are no unknown settings. */
const OTHER_VARIABLES = ['URL', 'KEY'];

/**
 * Reads the settings from environment variables. An empty variable is an absent one. It touches nothing else.
 *
 * @throws SettingsError for the first value that is wrong, naming its variable and never showing the value.
 */
export function readSettings(env: Environment): Settings {
  const known = new Set(OTHER_VARIABLES.map((name) => PREFIX + name));
  const read: ReadVariable = (name, parse) => {
    known.add(PREFIX + name);
    return parse(PREFIX + name, env[PREFIX + name] || undefined);
  };

  const addresses = readWebAddresses({
    publicUrl: read('PUBLIC_URL', asItIs),
    sitesUrl: read('SITES_URL', asItIs),
    viewerMode: read('VIEWER_MODE', asItIs),
  });
  const database = read('DATABASE_URL', readDatabase);
  const secrets = read('SECRET', readText(secretsIn));
  if (databaseOf(database).isShared && secrets === undefined) {
    throw new SettingsError(
      `${PREFIX}SECRET`,
      `must be set, the same on every node, when ${PREFIX}DATABASE_URL is: nodes would not know each other's grants`,
    );
  }
  const oidc = readOidc(read, env[`${PREFIX}OIDC_ACCOUNT_PREFIX`]);
  const settings = {
    ...addresses,
    port: read('PORT', (variable, value) =>
      value === undefined ? readPort(8080)('PORT', env.PORT || undefined) : readPort(8080)(variable, value),
    ),
    host: read('HOST', asItIs) ?? '127.0.0.1',
    workers: read('WORKERS', readWorkers),
    dataDir: read('DATA_DIR', asItIs) ?? './data',
    database,
    storage: read('STORAGE_URL', (variable, value) =>
      readStorage(variable, value, env.AWS_REGION || env.AWS_DEFAULT_REGION || undefined),
    ),
    secrets,
    uploads: read('UPLOADS', readNumber(DEFAULT_UPLOADS, 1, MAX_UPLOADS)),
    ...readAllowances(read),
    lifetime: read('DEFAULT_LIFETIME_DAYS', readDays),
    trustProxy: read('TRUST_PROXY', readTrustProxy),
    logLevel: read('LOG_LEVEL', readOneOf(LEVELS, 'info')),
    logFormat: read('LOG_FORMAT', readOneOf(FORMATS, undefined)),
    logAddresses: read('LOG_ADDRESSES', readSwitch(false)),
    logViews: read('LOG_VIEWS', readNumber(1, 0, 1, 'must be a number from 0 to 1, such as 0.01', DECIMAL)),
    node: read('NODE', readText(nodeName)) ?? hostname(),
    metricsPort: read('METRICS_PORT', readPort(undefined)),
    metricsHost: read('METRICS_HOST', asItIs) ?? '127.0.0.1',
    oidc,
    apiKey: read('API_KEY', readText(apiKey)),
    welcome: read('WELCOME', readSwitch(true)),
    clearCookies: read('CLEAR_COOKIES', readSwitch(false)),
    reportUrl: read('REPORT_URL', readText(reportUrl)),
    readyNeeds: read('READY_NEEDS', readText(readyNeeds)) ?? ['database'],
    historyRetention: read('HISTORY_DAYS', readDays),
    historyAddresses: read('HISTORY_ADDRESSES', readSwitch(false)),
    drain: read('DRAIN_SECONDS', readDrain),
  };
  const notes = [unknownVariables(env, known), idleVariables(env), addressNotes(addresses), oidcNotes(oidc)];
  return { ...settings, notes: notes.flat() };
}

function asItIs(_variable: string, value: string | undefined): string | undefined {
  return value;
}

function reportUrl(text: string): string | undefined {
  try {
    return checkReportUrl(text);
  } catch {
    throw new TypeError('must be an address that begins with https:, http: or mailto:');
  }
}

function readPort<Usual>(usual: Usual): Parse<number | Usual> {
  return readNumber(usual, 0, 65_535, 'must be a port: a whole number from 0 to 65535');
}

function readWorkers(variable: string, value: string | undefined): number {
  if (value === 'auto') return Math.min(availableParallelism(), MAX_WORKERS);
  const expectation = `must be auto, or a number of processes from 1 to ${MAX_WORKERS}`;
  return readNumber(1, 1, MAX_WORKERS, expectation)(variable, value);
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

function readDays(variable: string, value: string | undefined): Duration | undefined {
  const expectation = `must be a number of days above 0 and up to ${MAX_DAYS}, such as 7 or 0.5`;
  const count = readNumber(undefined, MIN_DAYS, MAX_DAYS, expectation, DECIMAL)(variable, value);
  return count === undefined ? undefined : days(count);
}

function nodeName(text: string): string {
  if (!/^[^\p{Cc}]{1,255}$/u.test(text)) throw new TypeError('must be a name of 1 to 255 characters');
  return text;
}

function apiKey(text: string): string {
  if (new NodeApiKeySecrets().read(text) !== undefined) return text;
  throw new TypeError('must be an API key of the form pf_<key id>_<secret of 43 characters>');
}

function readyNeeds(text: string): readonly Need[] {
  const needs = parseNeeds(text);
  if (needs !== undefined) return needs;
  throw new TypeError('must be none, or one or more of database, storage, staging, separated by commas');
}

function readDrain(variable: string, value: string | undefined): Duration {
  const expectation = `must be a number of seconds from 0 to ${MAX_DRAIN}`;
  return seconds(readNumber(0, 0, MAX_DRAIN, expectation, DECIMAL)(variable, value));
}

/** Variables that have no effect without another one. */
const IDLE_WITHOUT = { METRICS_HOST: 'METRICS_PORT', OIDC_CLIENT_ID: 'OIDC_ISSUER' } as const;

function idleVariables(env: Environment): readonly string[] {
  return Object.entries(IDLE_WITHOUT)
    .filter(([name, needed]) => env[PREFIX + name] && !env[PREFIX + needed])
    .map(([name, needed]) => `${PREFIX}${name} does nothing without ${PREFIX}${needed}`);
}

/** Without this note a misspelt variable would have no visible effect. */
function unknownVariables(env: Environment, known: ReadonlySet<string>): readonly string[] {
  const unknown = Object.keys(env).filter((name) => name.startsWith(PREFIX) && !known.has(name));
  return unknown.length === 0 ? [] : [`unknown variables have no effect: ${unknown.sort().join(', ')}`];
}
