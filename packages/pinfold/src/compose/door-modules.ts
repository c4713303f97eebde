import type { IdentityProvider } from '@pinfold/core';
import { type RequestLimiter, type RequestLog, type Uploads, withoutAdministration } from '@pinfold/http';
import type { Authenticate, SignIn } from '@pinfold/http-express';
import { authenticate as authentication, httpExpressModule } from '@pinfold/inversify/http-express';
import { type ManagementModuleOptions, managementModule } from '@pinfold/inversify/management';
import { type ViewerModuleOptions, viewerModule } from '@pinfold/inversify/viewer';
import type { LookOptions } from '@pinfold/management';
import { openIdConnect } from '@pinfold/oidc';
import { SystemClock } from '@pinfold/platform-node';
import type { ViewerAccess } from '@pinfold/viewer';
import { ContainerModule } from 'inversify';
import { clientAddress } from '../server/client-address.ts';
import type { Log } from '../server/log.ts';
import type { Settings } from '../settings/settings.ts';
import type { WebAddresses } from '../settings/web-addresses.ts';
import { memoryBudget } from './memory-budget.ts';

/** What the doors need beside the settings. */
export interface DoorOptions {
  readonly log: Log;
  /** Takes what each of them tells of its requests. */
  readonly requests: RequestLog;
  /** One for both doors that take uploads: it is the process that has so many places. */
  readonly uploads: Uploads;
  /** One for API and screen: an account has one rate for both. */
  readonly requestLimiter: RequestLimiter;
  /** Is given what there is to count of the viewer. */
  readonly figures: ViewerModuleOptions['figures'];
  /** Asked for when the first door is. */
  readonly addresses: () => WebAddresses;
  /** Whose request it is; absent, API keys say so, and sign-in links for the management screen. */
  readonly authenticate: Authenticate | undefined;
  /** Whether callers and sessions of the scope `admin` administer the service. */
  readonly administration: boolean;
  readonly identityProvider: IdentityProvider | undefined;
  readonly signIn: SignIn | undefined;
  readonly access: ViewerAccess | undefined;
  readonly look: LookOptions | undefined;
}

/** The modules of API, viewer and management screen. */
export function doorModules(
  { rates, clearCookies, trustProxy, historyAddresses, oidc, workers }: Settings,
  {
    log,
    requests,
    uploads,
    requestLimiter,
    figures,
    addresses,
    authenticate: given,
    administration,
    identityProvider,
    signIn,
    access,
    look,
  }: DoorOptions,
): readonly ContainerModule[] {
  const address = clientAddress(trustProxy);
  const authenticate =
    given === undefined || administration ? given : withoutAdministration(given, (text) => log.warn(text));
  const bounds = { requestLimiter, requestRate: rates.requests, clientAddress: address };
  const told = historyAddresses ? { historyAddress: address } : {};
  return [
    httpExpressModule(() => ({
      publicUrl: addresses().publicUrl,
      uploads,
      administration,
      ...bounds,
      ...told,
      log: requests,
      ...(signIn === undefined ? {} : { signIn }),
      onError: (error) => log.error('the use of a key could not be noted', error),
    })),
    viewerModule(() => {
      const { viewerMode: mode, ...urls } = addresses();
      return {
        ...urls,
        ...memoryBudget(workers).viewer,
        mode,
        clearCookies,
        clientAddress: address,
        log: requests,
        ...(figures === undefined ? {} : { figures }),
        ...(access === undefined ? {} : { access }),
      };
    }),
    managementModule(() => ({
      publicUrl: addresses().publicUrl,
      uploads,
      administration,
      ...bounds,
      ...told,
      log: requests,
      ...signedInBy(authenticate, identityProvider ?? providerOf(oidc)),
      ...(look === undefined ? {} : { look }),
    })),
    ...(authenticate === undefined ? [] : [authenticatedBy(authenticate)]),
  ];
}

/** A sign-in of the team's own is the only one. */
function signedInBy(
  authenticate: Authenticate | undefined,
  identityProvider: IdentityProvider | undefined,
): Pick<ManagementModuleOptions, 'authenticate' | 'identityProvider'> {
  if (authenticate !== undefined) return { authenticate };
  return identityProvider === undefined ? {} : { identityProvider };
}

function providerOf(oidc: Settings['oidc']): IdentityProvider | undefined {
  return oidc === undefined ? undefined : openIdConnect({ ...oidc, clock: new SystemClock() });
}

function authenticatedBy(authenticate: Authenticate): ContainerModule {
  return new ContainerModule(({ rebind }) => {
    rebind(authentication).toConstantValue(authenticate);
  });
}
