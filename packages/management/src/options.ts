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
import { doorOf, type Given, withoutAdministration } from '@pinfold/http/internal';
import type { Request, Response } from 'express';
import { LRUCache } from 'lru-cache';
import { type Assets, loadAssets } from './assets.ts';
import { type Branding, type BrandingOptions, brandingOf } from './branding.ts';
import { PageTurns } from './response/page-turns.ts';

/** Entries of the manifests that are cached, in all: of 20 MB at most. */
const CACHED_FILES = 20_000;

/** The caller of a request; `undefined` without a sign-in. The caller needs the scope `manage`. */
export type Authenticate = AuthenticateAny<Request, Response>;

/** How well a node is, and what it needs. */
export interface NodeHealth {
  readonly node: string;
  readonly version: string;
  readonly parts: Readonly<
    Record<'database' | 'storage' | 'staging', 'ok' | 'slow' | 'low' | 'full' | 'unavailable'>
  >;
  /** Seconds that the node's clock is ahead of the database's; null while it is not known. */
  readonly clock: number | null;
}

/** What {@link createManagement} needs. */
export interface ManagementOptions extends DoorOptions {
  /** Those of `createUseCases` and `createSharing`. Without `names` there is no page of names. */
  readonly useCases: ReturnType<typeof createUseCases> &
    Pick<UseCases, 'cancel'> &
    Partial<Pick<UseCases, 'names'>>;
  /** The public address, under which sites are shared: `https://pages.example.com`. */
  readonly publicUrl: string;
  /** Signs people in by one-time links and API keys. Give this or `authenticate`. */
  readonly sessions?: Sessions | undefined;
  /** With `sessions`: where people may sign in as well, such as `openIdConnect` of `@pinfold/oidc`. */
  readonly identityProvider?: IdentityProvider | undefined;
  /** Your own sign-in. The screen then has neither a sign-in page nor a sign-out. */
  readonly authenticate?: Authenticate | undefined;
  /** Absent: no page for API keys. */
  readonly keys?: Keys | undefined;
  /** Absent: no program gets a key by asking. */
  readonly pairings?: Pairings | undefined;
  /** Absent: no history is shown. */
  readonly history?: History | undefined;
  /** Pages for the scope `admin`. Absent: none, and what `authenticate` answers loses the scope, logged once. */
  readonly administration?: Administration | undefined;
  /** How well this node is, for those who administer. Absent: it is not shown. */
  readonly health?: (() => NodeHealth) | undefined;
  /** Absent: it is not shown how often publications were viewed. */
  readonly views?: Pick<Views, 'of'> | undefined;
  /** The address of a client that the history is to keep; absent, it keeps none. */
  readonly historyAddress?: ((request: Request) => string) | undefined;
  /** Pass `viewer.createGrant`. Absent: owners enter the password to open a protected site of theirs. */
  readonly createGrant?: CreateGrant | undefined;
  /** Pass `viewer.openArchive`, unless `access` decides who may look. Absent: no ZIP can be downloaded. */
  readonly openArchive?: OpenArchive | undefined;
  /** Your own look and texts of the screen. */
  readonly branding?: BrandingOptions | undefined;
}

/** {@link ManagementOptions}, checked and complete. */
export interface Screen extends Omit<ManagementOptions, keyof DoorOptions>, Given<DoorOptions> {
  readonly names: UseCases['names'] | undefined;
  readonly publicUrl: PublicUrl;
  readonly pageTurns: PageTurns;
  /** A cache by publication. A manifest never changes, and reading one takes long. */
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
    manifests: new LRUCache({ maxSize: CACHED_FILES, sizeCalculation: ({ entries }) => entries.length }),
  };
}
