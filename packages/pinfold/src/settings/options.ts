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

/** Options in code, beside the settings. */
export interface ServiceOptions {
  /** Loaded into the container: a module that calls `rebind` replaces an adapter of ours by yours. */
  readonly modules?: readonly ContainerModule[] | undefined;
  /** Your own database in place of the settings'. It is migrated, but not closed. */
  readonly persistence?: Persistence | undefined;
  /** Your own storage of archives in place of the settings'. */
  readonly archives?: ArchiveStorage | undefined;
  /** Your own storage of uploads in place of a folder in the data folder. */
  readonly staging?: Staging | undefined;
  readonly clock?: Clock | undefined;
  /** Measures the time between sweeps. Default: the machine that the process runs on. */
  readonly machine?: Machine | undefined;
  readonly ids?: Ids | undefined;
  /** Limits that differ from the core's defaults. */
  readonly limits?: Partial<Limits> | undefined;
  /** Limits that differ for an account; called for each publication and each renewal. */
  readonly limitsOf?: UseCaseOptions['limitsOf'] | undefined;
  /** The most API keys of an account that are not revoked; null: any number. Default: the setting's. */
  readonly keyLimit?: number | null | undefined;
  readonly beforePublish?: BeforePublish | undefined;
  /** Called with each event of a publication after it is stored, at most once. It must neither throw nor wait. */
  readonly onEvent?: OnEvent | undefined;
  /** Called for each request of the doors when it is over. It must neither throw nor wait. */
  readonly onRequest?: RequestLog | undefined;
  /** Receives measurements of the use cases, for metrics. */
  readonly observe?: Observe | undefined;
  /** Wrap every call of stores, archives, staging and inspector, such as `observer` of a telemetry. */
  readonly observers?: readonly Observer[] | undefined;
  /** Adds headers to each request to an object store, such as `traceparent`. */
  readonly addHeaders?: ((headers: Record<string, string>) => void) | undefined;
  /** Receives the log's lines. Default: standard output. */
  readonly log?: LogSink | undefined;
  /** Identifies the caller of a request. Default: API keys, and sign-in links for the management screen. */
  readonly authenticate?: Authenticate | undefined;
  /**
   * Whether callers and sessions of the scope `admin` administer the service, at `/admin/v1` and on the screen. Without
   * it both answer 404 there, and the scope is removed from what `authenticate` answers, which is logged once.
   */
  readonly administration?: boolean | undefined;
  /** An additional sign-in to the management screen, beside links and keys. Default: that of the settings. */
  readonly identityProvider?: IdentityProvider | undefined;
  /** How 401, 403 and the API document describe your sign-in. Default: as API keys. */
  readonly signIn?: SignIn | undefined;
  /** Decides who may view sites. Default: everyone with the link, and with the password if there is one. */
  readonly access?: ViewerAccess | undefined;
  /** Your own branding and texts of the management screen. */
  readonly branding?: BrandingOptions | undefined;
}

/** Options of the reference server in code, beside the settings. */
export interface AppOptions extends ServiceOptions {
  /** Whether a person reads the output, so that each start offers a sign-in link. Default: `process.stdout.isTTY`. */
  readonly terminal?: boolean | undefined;
}

/** Options of `openPinfold`. */
export interface PinfoldOptions extends ServiceOptions {
  /** The folder of everything that is stored on this machine; created if missing. */
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
   * The secret that signs viewing grants. If several are separated by commas, the first signs and all are accepted.
   * Default: one is created and stored in the data folder. Required with PostgreSQL.
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

type Fits = (value: unknown) => boolean;
type Kind = readonly [expectation: string, fits: Fits, ...names: string[]];

const isFunction: Fits = (value) => typeof value === 'function';
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isModule: Fits = (value) => isObject(value) && isFunction(value.load);
const isText: Fits = (value) => typeof value === 'string' && value !== '';
const isLimit: Fits = (value) => value === null || (Number.isSafeInteger(value) && Number(value) >= 0);

function arrayOf(fits: Fits): Fits {
  return (value) => Array.isArray(value) && value.every(fits);
}

/** A part of your own: one without a member would fail only when it is used. */
function part<Name extends keyof ServiceOptions>(
  name: Name,
  ...members: readonly (keyof NonNullable<ServiceOptions[Name]> & string)[]
): Kind {
  const fits: Fits = (value) => isObject(value) && members.every((member) => value[member] !== undefined);
  return [`an object with ${new Intl.ListFormat('en').format(members)}`, fits, name];
}

const KINDS: readonly Kind[] = [
  ['a string that is not empty', isText, ...TEXT_OPTIONS],
  ['true or false', (value) => typeof value === 'boolean', 'administration', 'terminal'],
  ['a whole number from 0, or null', isLimit, 'keyLimit'],
  ['an object', isObject, 'limits', 'access', 'branding'],
  ['a function', isFunction, 'limitsOf', 'beforePublish', 'onEvent', 'onRequest', 'observe', 'addHeaders'],
  ['a function', isFunction, 'authenticate', 'log'],
  ['an array of functions', arrayOf(isFunction), 'observers'],
  ['an array of modules of InversifyJS 8: older ones do not fit', arrayOf(isModule), 'modules'],
  part('persistence', 'migrate', 'check', 'close'),
  part('archives', 'put', 'read', 'size', 'delete', 'list', 'check'),
  part('staging', 'receive', 'sweep', 'countAbandoned', 'check'),
  part('clock', 'now', 'sleep'),
  part('machine', 'uptime'),
  part('ids', 'role', 'archive', 'token', 'event', 'nameToken', 'digest'),
  part('identityProvider', 'begin', 'finish'),
  part('signIn', 'detail', 'challenge', 'securityScheme'),
];

/** Rejects options that are unknown or of a wrong kind: an ignored `acces` would show every site to everyone. */
export function checkOptions(caller: 'openPinfold' | 'createApp', options: object): void {
  if (!isObject(options)) throw new TypeError(`${caller} takes an object of options`);
  const foreign: readonly string[] = caller === 'openPinfold' ? ['terminal'] : TEXT_OPTIONS;
  const known = KINDS.flatMap(([, , ...names]) => names).filter((name) => !foreign.includes(name));
  const needed = caller === 'openPinfold' ? ['dataDir', 'publicUrl'] : [];
  for (const name of [...needed, ...Object.keys(options)]) {
    const kind = known.includes(name) ? KINDS.find(([, , ...names]) => names.includes(name)) : undefined;
    if (kind === undefined) {
      throw new SettingsError(name, `is not an option of ${caller}${didYouMean(name, known)}`);
    }
    const [expectation, fits] = kind;
    const isAbsent = options[name] === undefined && !needed.includes(name);
    if (!isAbsent && !fits(options[name])) throw new SettingsError(name, `must be ${expectation}`);
  }
  if (options.authenticate !== undefined && options.identityProvider !== undefined) {
    throw new SettingsError('identityProvider', 'must be absent where authenticate is given');
  }
}
