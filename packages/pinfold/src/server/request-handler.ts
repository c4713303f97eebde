import type { IncomingMessage, ServerResponse } from 'node:http';
import { hasSeveralHosts, hasTooManyCookies, pathOf, Uploads } from '@pinfold/http';
import { api, httpExpressModule } from '@pinfold/inversify/http-express';
import { management, managementModule } from '@pinfold/inversify/management';
import { viewer, viewerModule } from '@pinfold/inversify/viewer';
import type { ManagementLogEntry } from '@pinfold/management';
import { SystemClock } from '@pinfold/platform-node';
import express from 'express';
import type { Container, ContainerModule } from 'inversify';
import type { Health } from '../health/health.ts';
import type { Settings } from '../settings/settings.ts';
import type { WebAddresses } from '../settings/web-addresses.ts';
import { MANAGEMENT_PATH } from '../start/sign-in-link.ts';
import { clientAddress } from './client-address.ts';
import type { RequestHandler } from './http-server.ts';
import { insiders } from './insider.ts';
import type { Log } from './log.ts';
import { ownRoutes } from './own-routes.ts';

/** The modules of API, viewer and management screen. The addresses are asked for when the first of them is. */
export function httpModules(
  settings: Settings,
  log: Log,
  admitUpload: () => void,
  addresses: () => WebAddresses,
): readonly ContainerModule[] {
  // One for both doors that take uploads: it is the process that has so many places.
  const uploads = new Uploads({ clock: new SystemClock(), places: settings.uploads, admit: admitUpload });
  return [
    httpExpressModule(() => ({
      publicUrl: addresses().publicUrl,
      uploads,
      log: (entry) => log.request(entry),
      onError: (error) => log.error('the use of a key could not be noted', error),
    })),
    viewerModule(() => {
      const { publicUrl, sitesUrl, viewerMode } = addresses();
      return {
        publicUrl,
        sitesUrl,
        mode: viewerMode,
        clearCookies: settings.clearCookies,
        clientAddress: clientAddress(settings.trustProxy),
        log: (entry) => log.request(entry),
      };
    }),
    managementModule(() => ({
      publicUrl: addresses().publicUrl,
      uploads,
      log: (entry) => log.request(screenEntry(entry)),
    })),
  ];
}

/** What the server says of itself. */
export interface ServerState {
  readonly log: Log;
  readonly health: Health;
  readonly isStopping: () => boolean;
}

/**
 * Answers every request: shared URLs and sites first, without a framework before them, then the API, the server's
 * own routes and the management screen; what is left is the viewer's page for unknown addresses.
 */
export async function requestHandler(
  container: Container,
  { readyNeeds: needs, trustProxy }: Pick<Settings, 'readyNeeds' | 'trustProxy'>,
  { publicUrl }: WebAddresses,
  { log, health, isStopping }: ServerState,
): Promise<RequestHandler> {
  const view = await container.getAsync(viewer);
  const publicPath = pathOf(publicUrl);
  const isInsider = insiders(trustProxy);
  const own = ownRoutes({ health, needs, isInsider, log, publicPath, isStopping });
  const showNothing = (request: IncomingMessage, response: ServerResponse): void => view(request, response);
  const app = express()
    .disable('x-powered-by')
    .set('etag', false)
    .use(publicPath === '' ? '/' : publicPath, await container.getAsync(api))
    .use((request, response, next) =>
      // What neither viewer nor API takes with more than one Host header or too many cookies, the viewer refuses.
      hasSeveralHosts(request) || hasTooManyCookies(request)
        ? showNothing(request, response)
        : own(request, response) || next(),
    )
    .use(`${publicPath}${MANAGEMENT_PATH}`, await container.getAsync(management))
    .use(showNothing);
  return (request, response) => view(request, response, () => app(request, response));
}

function screenEntry({ time, role, ...entry }: ManagementLogEntry): Parameters<Log['request']>[0] {
  return { ...entry, role: role ?? null, milliseconds: time };
}
