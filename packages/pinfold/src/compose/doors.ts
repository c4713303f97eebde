import type { IdentityProvider } from '@pinfold/core';
import type { RequestLimiter, RequestLog, Uploads } from '@pinfold/http';
import { outgoingBytes, systemMemory, withoutAdministration } from '@pinfold/http/internal';
import { type Authenticate, apiKeyAuthentication, createApi } from '@pinfold/http-express';
import type { Parts } from '@pinfold/inversify';
import { createManagement, type ManagementOptions } from '@pinfold/management';
import { openIdConnect } from '@pinfold/oidc';
import { SystemClock } from '@pinfold/platform-node';
import { createViewer, type ViewerOptions } from '@pinfold/viewer';
import { clientAddress } from '../server/client-address.ts';
import type { Log } from '../server/log.ts';
import { orByMachineKey } from '../server/machine-key.ts';
import { given } from '../settings/read-option.ts';
import type { Settings } from '../settings/settings.ts';
import type { WebAddresses } from '../settings/web-addresses.ts';
import type { ComposedService } from './compose.ts';
import { memoryBudget } from './memory-budget.ts';
import type { ServiceOptions } from './service.ts';

export interface DoorOptions
  extends Pick<
    ServiceOptions,
    'authenticate' | 'administration' | 'identityProvider' | 'signIn' | 'access' | 'branding'
  > {
  readonly log: Log;
  readonly requests: RequestLog;
  /** Shared by both doors that take uploads: the places are those of the process. */
  readonly uploads: Uploads;
  /** One for API and screen: an account has one rate for both. */
  readonly requestLimiter: RequestLimiter;
  readonly statistics: ViewerOptions['statistics'];
  readonly addresses: WebAddresses;
  /** What API and screen do with paths that are none of theirs. */
  readonly unknownPaths: 'pass' | 'refuse';
  /** Whether the API lets in whoever has the key that a server left in the data folder. */
  readonly byMachineKey: boolean;
  readonly health: NonNullable<ManagementOptions['health']>;
}

export type Doors = Pick<Parts, 'authenticate' | 'api' | 'viewer' | 'management'>;

export async function makeDoors(
  { useCases, history, views, provide, ...service }: ComposedService,
  settings: Settings,
  { log, requests, addresses, signIn, access, branding, health, statistics, ...options }: DoorOptions,
): Promise<Doors> {
  const { viewerMode: mode, ...urls } = addresses;
  const address = clientAddress(settings.trustProxy);
  const own =
    options.authenticate === undefined || options.administration
      ? options.authenticate
      : withoutAdministration(options.authenticate, (text) => log.warn(text));
  const shared = {
    useCases,
    history,
    views,
    publicUrl: urls.publicUrl,
    uploads: options.uploads,
    requestLimiter: options.requestLimiter,
    requestRate: settings.rates.requests,
    clientAddress: address,
    unknownPaths: options.unknownPaths,
    log: requests,
    ...(options.administration ? { administration: service.administration } : {}),
    ...(settings.historyAddresses ? { historyAddress: address } : {}),
  };
  const authenticate = await provide(
    'authenticate',
    () =>
      own ??
      apiKeyAuthentication(service.manageKeys, {
        onError: (error) => log.error('the use of a key could not be noted', error),
      }),
  );
  outgoingBytes.memory = systemMemory() / settings.workers;
  const viewer = await provide('viewer', () =>
    createViewer({
      ...memoryBudget(settings.workers).viewer,
      ...urls,
      mode,
      useCases,
      counter: views,
      clearCookies: settings.clearCookies,
      clientAddress: address,
      log: requests,
      ...given({ reportUrl: settings.reportUrl, statistics, access }),
    }),
  );
  const { createGrant, openArchive } = viewer;
  return {
    authenticate,
    viewer,
    api: await provide('api', () =>
      createApi({
        ...shared,
        createGrant,
        openArchive,
        authenticate: options.byMachineKey ? orByMachineKey(authenticate, settings.dataDir) : authenticate,
        ...given({ signIn }),
      }),
    ),
    management: await provide('management', () =>
      createManagement({
        ...shared,
        createGrant,
        // Where the team decides who may look, the button would only be refused.
        ...(access === undefined ? { openArchive } : {}),
        health,
        keys: service.manageKeys,
        pairings: service.managePairings,
        ...signedInBy(own, options.identityProvider ?? providerOf(settings.oidc), service.manageSessions),
        ...given({ branding }),
      }),
    ),
  };
}

/** A sign-in of the team's own is the only one. */
function signedInBy(
  authenticate: Authenticate | undefined,
  identityProvider: IdentityProvider | undefined,
  sessions: ComposedService['manageSessions'],
): Pick<ManagementOptions, 'authenticate' | 'identityProvider' | 'sessions'> {
  if (authenticate !== undefined) return { authenticate };
  return identityProvider === undefined ? { sessions } : { sessions, identityProvider };
}

function providerOf(oidc: Settings['oidc']): IdentityProvider | undefined {
  return oidc === undefined ? undefined : openIdConnect({ ...oidc, clock: new SystemClock() });
}
