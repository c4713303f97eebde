import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestLog } from '@pinfold/http';
import { hasSeveralHosts, hasTooManyCookies, pathOf, takeOriginForm } from '@pinfold/http/internal';
import express from 'express';
import type { ComposedService } from '../compose/compose.ts';
import type { Doors } from '../compose/service.ts';
import type { Health } from '../health/health.ts';
import type { Settings } from '../settings/settings.ts';
import type { WebAddresses } from '../settings/web-addresses.ts';
import { MANAGEMENT_PATH } from '../start/sign-in-link.ts';
import { clientAddress, trustedClients } from './client-address.ts';
import { echoEndpoint } from './echo-endpoint.ts';
import type { RequestHandler } from './http-server.ts';
import { proofEndpoint } from './machine-proof.ts';
import { ownRoutes } from './own-routes.ts';

export interface ServerState {
  readonly log: RequestLog;
  readonly health: Health;
  readonly isStopping: () => boolean;
}

/**
 * Passes every request to the first handler that answers it: the echo endpoint, the viewer (before Express, which would
 * slow down views), the API, the proof for this machine, the server's own routes, the management screen, and the viewer's 404 page.
 */
export function requestHandler(
  { api, viewer, management }: Doors,
  { grants, clock }: Pick<ComposedService['ports'], 'grants' | 'clock'>,
  settings: Pick<Settings, 'dataDir' | 'readyNeeds' | 'trustProxy' | 'reportUrl'>,
  { publicUrl }: WebAddresses,
  { log, health, isStopping }: ServerState,
): RequestHandler {
  const { dataDir, readyNeeds: needs, trustProxy, reportUrl } = settings;
  const publicPath = pathOf(publicUrl);
  const isTrustedClient = trustedClients(trustProxy);
  const service = { name: 'Pinfold', reportUrl };
  const own = ownRoutes({ health, needs, isTrustedClient, log, publicPath, isStopping, service });
  const proof = proofEndpoint(dataDir, log);
  const sendNotFound = (request: IncomingMessage, response: ServerResponse): void =>
    viewer(request, response);
  const app = express()
    .disable('x-powered-by')
    // A proxy that guards a path distinguishes upper and lower case.
    .enable('case sensitive routing')
    .set('etag', false)
    .use(publicPath === '' ? '/' : publicPath, api)
    .use((request, response, next) =>
      // For these routes and the screen, the viewer refuses several Host headers or too many cookies.
      hasSeveralHosts(request) || hasTooManyCookies(request)
        ? sendNotFound(request, response)
        : proof(request, response) || own(request, response) || next(),
    )
    .use(`${publicPath}${MANAGEMENT_PATH}`, management)
    .use(sendNotFound);
  const echoed = echoEndpoint({ grants, clock, addressOf: clientAddress(trustProxy), log });
  return (request, response) => {
    // The viewer, which comes first, refuses what is unreadable.
    takeOriginForm(request);
    echoed(request, response, () => viewer(request, response, () => app(request, response)));
  };
}
