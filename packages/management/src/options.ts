import type {
  createUseCases,
  IdentityProvider,
  Keys,
  Manifest,
  Pairings,
  RoleId,
  Sessions,
  UseCases,
} from '@pinfold/core';
import type { Administration } from '@pinfold/core/administration';
import type { History } from '@pinfold/core/history';
import type { Views } from '@pinfold/core/views';
import {
  type Authenticate as AuthenticateAny,
  type CreateGrant,
  type DoorOptions,
  type OpenArchive,
  type PublicUrl,
  publicUrl,
} from '@pinfold/http';
import { doorOf, type Filled, withoutAdministration } from '@pinfold/http/internal';
import type { Request, Response } from 'express';
import { LRUCache } from 'lru-cache';
import { type Assets, loadAssets } from './assets.ts';
import { type Branding, type BrandingOptions, brandingOf } from './branding.ts';
import { PageTurns } from './response/page-turns.ts';

/** Entries in all cached manifests: at most 20 MB. */
const MAX_CACHED_FILES = 20_000;

/** Returns the caller of a request; `undefined` if not signed in. The caller needs the scope `manage`. */
export type Authenticate = AuthenticateAny<Request, Response>;

/** The health of a node. */
export interface NodeHealth {
  readonly node: string;
  readonly version: string;
  readonly parts: Readonly<
    Record<
      'database' | 'storage' | 'staging',
      'ok' | 'slow' | 'low' | 'full' | 'read_only' | 'refusing' | 'unavailable'
    >
  >;
  /** Seconds that the node's clock is ahead of the database's; null while it is not known. */
  readonly clock: number | null;
}

/** The options of {@link createManagement}. */
export interface ManagementOptions extends DoorOptions {
  /** From `createUseCases` and `createSharing`. Without `names` there is no page of names. */
  readonly useCases: ReturnType<typeof createUseCases> &
    Pick<UseCases, 'cancel'> &
    Partial<Pick<UseCases, 'names'>>;
  /** The public address, under which sites are shared: `https://pages.example.com`. */
  readonly publicUrl: string;
  /** Signs people in by one-time links and API keys. Give this or `authenticate`. */
  readonly sessions?: Sessions | undefined;
  /** With `sessions`: another way to sign in, such as `openIdConnect` of `@pinfold/oidc`. */
  readonly identityProvider?: IdentityProvider | undefined;
  /** Your own sign-in. The screen then has neither a sign-in page nor a sign-out. */
  readonly authenticate?: Authenticate | undefined;
  /** Absent: no page for API keys. */
  readonly keys?: Keys | undefined;
  /** Absent: programs cannot request a key. */
  readonly pairings?: Pairings | undefined;
  /** Absent: no history is shown. */
  readonly history?: History | undefined;
  /** Pages for the scope `admin`. Absent: none, and the scope is removed from callers, with one warning in the log. */
  readonly administration?: Administration | undefined;
  /** The health of this node, for administrators. Absent: not shown. */
  readonly health?: (() => NodeHealth) | undefined;
  /** Absent: the screen shows no view counts. */
  readonly views?: Pick<Views, 'of'> | undefined;
  /** Returns the client address that the history stores. Absent: it stores none. */
  readonly historyAddress?: ((request: Request) => string) | undefined;
  /** Pass `viewer.createGrant`. Absent: owners need the password to open their protected sites. */
  readonly createGrant?: CreateGrant | undefined;
  /** Pass `viewer.openArchive`, unless `access` decides who may look. Absent: no ZIP can be downloaded. */
  readonly openArchive?: OpenArchive | undefined;
  /** Your design and texts. */
  readonly branding?: BrandingOptions | undefined;
}

/** {@link ManagementOptions}, checked and complete. */
export interface Screen extends Omit<ManagementOptions, keyof DoorOptions>, Filled<DoorOptions> {
  readonly names: UseCases['names'] | undefined;
  readonly publicUrl: PublicUrl;
  readonly pageTurns: PageTurns;
  /** A cache by publication: a manifest never changes, and reading one is slow. */
  readonly manifests: LRUCache<RoleId, Manifest>;
  readonly branding: Branding;
  readonly assets: Assets;
}

export type With<Part extends keyof Screen> = Screen & {
  readonly [Name in Part]-?: NonNullable<Screen[Name]>;
};

export function has<Part extends keyof Screen>(
  screen: Screen,
  ...parts: readonly Part[]
): screen is With<Part> {
  return parts.every((part) => screen[part] !== undefined);
}

export function screenOf(options: ManagementOptions): Screen {
  if ((options.sessions === undefined) === (options.authenticate === undefined)) {
    throw new TypeError('give either sessions or authenticate');
  }
  if (options.identityProvider !== undefined && options.sessions === undefined) {
    throw new TypeError('identityProvider needs sessions');
  }
  const { authenticate, administration } = options;
  const isFiltered = authenticate !== undefined && administration === undefined;
  return {
    ...options,
    ...doorOf(options, options.useCases.clock),
    ...(isFiltered ? { authenticate: withoutAdministration(authenticate) } : {}),
    names: options.useCases.names,
    publicUrl: publicUrl(options.publicUrl),
    branding: brandingOf(options.branding ?? {}),
    assets: loadAssets(),
    pageTurns: new PageTurns(),
    manifests: new LRUCache({ maxSize: MAX_CACHED_FILES, sizeCalculation: ({ entries }) => entries.length }),
  };
}
