import type {
  ArchiveStorage,
  BeforePublish,
  Clock,
  IdentityProvider,
  Ids,
  Limits,
  Machine,
  Observe,
  Staging,
  UseCaseOptions,
} from '@pinfold/core';
import type { Observer, OnEvent, Persistence } from '@pinfold/core/adapter';
import type { RequestLog } from '@pinfold/http';
import type { Authenticate, SignIn } from '@pinfold/http-express';
import type { BrandingOptions } from '@pinfold/management';
import type { ViewerAccess } from '@pinfold/viewer';
import type { ContainerModule } from 'inversify';
import { didYouMean } from '../command-line/did-you-mean.ts';
import type { LogSink } from '../server/log.ts';
import type { LogLevel } from './settings.ts';
import { SettingsError } from './settings-error.ts';
import type { OptionName } from './variables.ts';

/** Options that only code can set, in addition to the settings. */
export interface ServiceOptions {
  /** Modules to load into the container. A module that calls `rebind` replaces an adapter of Pinfold with your own. */
  readonly modules?: readonly ContainerModule[] | undefined;
  /** Your own database instead of the settings'. It is migrated, but not closed. */
  readonly persistence?: Persistence | undefined;
  /** Your own storage of archives instead of the settings'. */
  readonly archives?: ArchiveStorage | undefined;
  /** Your own storage of uploads instead of a folder in the data folder. */
  readonly staging?: Staging | undefined;
  readonly clock?: Clock | undefined;
  /** Measures the time between sweeps. Default: the machine that the process runs on. */
  readonly machine?: Machine | undefined;
  readonly ids?: Ids | undefined;
  /** Limits that differ from the core's defaults. */
  readonly limits?: Partial<Limits> | undefined;
  /** Limits that differ for an account; called for each publication and each renewal. */
  readonly limitsOf?: UseCaseOptions['limitsOf'] | undefined;
  /** The maximum number of unrevoked API keys of an account; null: unlimited. Default: the setting's. */
  readonly keyLimit?: number | null | undefined;
  readonly beforePublish?: BeforePublish | undefined;
  /** Called with each event of a publication after it is stored, at most once. It must neither throw nor wait. */
  readonly onEvent?: OnEvent | undefined;
  /** Called after each answered request. It must neither throw nor wait. */
  readonly onRequest?: RequestLog | undefined;
  /** Receives measurements of the use cases, for metrics. */
  readonly observe?: Observe | undefined;
  /** Wrap every call of stores, archives, staging and inspector, as the `observer` of a telemetry does. */
  readonly observers?: readonly Observer[] | undefined;
  /** Adds headers to each request to an object store, such as `traceparent`. */
  readonly addHeaders?: ((headers: Record<string, string>) => void) | undefined;
  /** Receives the log's lines. Default: standard output. */
  readonly log?: LogSink | undefined;
  /** Identifies the caller of a request. Default: API keys, and sign-in links for the management screen. */
  readonly authenticate?: Authenticate | undefined;
  /**
   * Whether callers and sessions of the scope `admin` administer the service, at `/admin/v1` and on the screen. Without
   * it both answer 404 there, and the scope is removed from the callers that `authenticate` returns; a log line says so once.
   */
  readonly administration?: boolean | undefined;
  /** A sign-in to the management screen in addition to links and keys. Default: that of the settings. */
  readonly identityProvider?: IdentityProvider | undefined;
  /** Describes your sign-in in 401, 403 and the API document. Default: API keys. */
  readonly signIn?: SignIn | undefined;
  /** Decides who may view sites. Default: everyone with the link, and with the password if there is one. */
  readonly access?: ViewerAccess | undefined;
  /** Your own branding and texts of the management screen. */
  readonly branding?: BrandingOptions | undefined;
}

/** Options of the reference server that only code can set, in addition to the settings. */
export interface AppOptions extends ServiceOptions {
  /** Whether a person reads the output; each start then offers a sign-in link. Default: `process.stdout.isTTY`. */
  readonly terminal?: boolean | undefined;
}

/** Options of `openPinfold`. */
export interface PinfoldOptions extends ServiceOptions {
  /** The folder for all data on this machine; created if missing. */
  readonly dataDir: string;
  /** The URL of your server: `https://share.example`. */
  readonly publicUrl: string;
  /** An origin for sites: `https://sites.example`. Default: each site has a host below that of `publicUrl`. */
  readonly sitesUrl?: string | undefined;
  /** Default: `origin` if the sites' host can have subdomains, else `path`. */
  readonly viewerMode?: 'origin' | 'path' | undefined;
  /** `postgres://…`. Default: SQLite in the data folder. */
  readonly database?: string | undefined;
  /** `s3://bucket/prefix?endpoint=…&region=…`. Default: files in the data folder. */
  readonly storage?: string | undefined;
  /**
   * The secret that signs viewing grants. Of several, separated by commas, the first signs and all are accepted. Default: a
   * new one, stored in the data folder. Required with PostgreSQL.
   */
  readonly secret?: string | undefined;
  /** The proxies whose `X-Forwarded-For` is trusted, as in `PINFOLD_TRUST_PROXY`. Default: none. */
  readonly trustProxy?: string | undefined;
  /** The lowest level that is logged. Default: `warn`. */
  readonly logLevel?: LogLevel | undefined;
}

/** The options of `openPinfold` that are settings of the reference server, in the same format. */
export const TEXT_OPTIONS: readonly (OptionName & keyof PinfoldOptions)[] = [
  'dataDir',
  'publicUrl',
  'sitesUrl',
  'viewerMode',
  'database',
  'storage',
  'secret',
  'trustProxy',
  'logLevel',
];

type Check = (value: unknown) => boolean;
type Kind = readonly [expectation: string, isValid: Check, ...names: string[]];

const isFunction: Check = (value) => typeof value === 'function';
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isModule: Check = (value) => isObject(value) && isFunction(value.load);
const isText: Check = (value) => typeof value === 'string' && value !== '';
const isLimit: Check = (value) => value === null || (Number.isSafeInteger(value) && Number(value) >= 0);

function arrayOf(isValid: Check): Check {
  return (value) => Array.isArray(value) && value.every(isValid);
}

/** An object with these members. Checked at the start, because a missing member would fail only at its first use. */
function objectWith<Name extends keyof ServiceOptions>(
  name: Name,
  ...members: readonly (keyof NonNullable<ServiceOptions[Name]> & string)[]
): Kind {
  const isValid: Check = (value) => isObject(value) && members.every((member) => value[member] !== undefined);
  return [`an object with ${new Intl.ListFormat('en').format(members)}`, isValid, name];
}

const KINDS: readonly Kind[] = [
  ['a string that is not empty', isText, ...TEXT_OPTIONS],
  ['true or false', (value) => typeof value === 'boolean', 'administration', 'terminal'],
  ['a whole number from 0, or null', isLimit, 'keyLimit'],
  ['an object', isObject, 'limits', 'access', 'branding'],
  ['a function', isFunction, 'limitsOf', 'beforePublish', 'onEvent', 'onRequest', 'observe', 'addHeaders'],
  ['a function', isFunction, 'authenticate', 'log'],
  ['an array of functions', arrayOf(isFunction), 'observers'],
  ['an array of modules of InversifyJS 8', arrayOf(isModule), 'modules'],
  objectWith('persistence', 'migrate', 'check', 'close'),
  objectWith('archives', 'put', 'read', 'size', 'delete', 'list', 'check'),
  objectWith('staging', 'receive', 'sweep', 'countAbandoned', 'check'),
  objectWith('clock', 'now', 'sleep'),
  objectWith('machine', 'uptime'),
  objectWith('ids', 'role', 'archive', 'token', 'event', 'nameToken', 'digest'),
  objectWith('identityProvider', 'begin', 'finish'),
  objectWith('signIn', 'detail', 'challenge', 'securityScheme'),
];

/**
 * Refuses unknown options and wrong kinds: ignoring a misspelt `acces` would show every site to everyone.
 *
 * @throws SettingsError that names the option; TypeError unless `options` is an object.
 */
export function checkOptions(caller: 'openPinfold' | 'createApp', options: object): void {
  if (!isObject(options)) throw new TypeError(`${caller} takes an object of options`);
  const otherOptions: readonly string[] = caller === 'openPinfold' ? ['terminal'] : TEXT_OPTIONS;
  const known = KINDS.flatMap(([, , ...names]) => names).filter((name) => !otherOptions.includes(name));
  const needed = caller === 'openPinfold' ? ['dataDir', 'publicUrl'] : [];
  for (const name of [...needed, ...Object.keys(options)]) {
    const kind = known.includes(name) ? KINDS.find(([, , ...names]) => names.includes(name)) : undefined;
    if (kind === undefined) {
      throw new SettingsError(name, `is not an option of ${caller}${didYouMean(name, known)}`);
    }
    const [expectation, isValid] = kind;
    const isAbsent = options[name] === undefined && !needed.includes(name);
    if (!isAbsent && !isValid(options[name])) throw new SettingsError(name, `must be ${expectation}`);
  }
  if (options.authenticate !== undefined && options.identityProvider !== undefined) {
    throw new SettingsError('identityProvider', 'must be absent if authenticate is given');
  }
}
