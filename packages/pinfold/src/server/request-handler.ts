import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestLog } from '@pinfold/http';
import { hasSeveralHosts, hasTooManyCookies, pathOf } from '@pinfold/http/internal';
import express from 'express';
import type { ComposedService } from '../compose/compose.ts';
import type { Doors } from '../compose/doors.ts';
import type { Health } from '../health/health.ts';
import type { Settings } from '../settings/settings.ts';
import type { WebAddresses } from '../settings/web-addresses.ts';
import { MANAGEMENT_PATH } from '../start/sign-in-link.ts';
import { clientAddress } from './client-address.ts';
import { mirror } from './echo-endpoint.ts';
import type { RequestHandler } from './http-server.ts';
import { ownRoutes } from './own-routes.ts';
import { insiders } from './trusted-client.ts';

/** What the server says of itself. */
export interface ServerState {
  readonly log: RequestLog;
  readonly health: Health;
  readonly isStopping: () => boolean;
}

/**
 * Answers every request: shared URLs and sites first, without a framework before them, then the API, the server's
 * own routes and the management screen; what is left is the viewer's page for unknown addresses.
 */
export function requestHandler(
  { api, viewer, management }: Doors,
  { grants, clock }: Pick<ComposedService['ports'], 'grants' | 'clock'>,
  { readyNeeds: needs, trustProxy, reportUrl }: Pick<Settings, 'readyNeeds' | 'trustProxy' | 'reportUrl'>,
  { publicUrl }: WebAddresses,
  { log, health, isStopping }: ServerState,
): RequestHandler {
  const publicPath = pathOf(publicUrl);
  const isInsider = insiders(trustProxy);
  const service = { name: 'Pinfold', reportUrl };
  const own = ownRoutes({ health, needs, isInsider, log, publicPath, isStopping, service });
  const showNothing = (request: IncomingMessage, response: ServerResponse): void => viewer(request, response);
  const app = express()
    .disable('x-powered-by')
    // A proxy that guards a path goes by its letters.
    .enable('case sensitive routing')
    .set('etag', false)
    .use(publicPath === '' ? '/' : publicPath, api)
    .use((request, response, next) =>
      // What neither viewer nor API takes with more than one Host header or too many cookies, the viewer refuses.
      hasSeveralHosts(request) || hasTooManyCookies(request)
        ? showNothing(request, response)
        : own(request, response) || next(),
    )
    .use(`${publicPath}${MANAGEMENT_PATH}`, management)
    .use(showNothing);
  const reflected = mirror({ grants, clock, addressOf: clientAddress(trustProxy), log });
  return (request, response) =>
    reflected(request, response) || viewer(request, response, () => app(request, response));
}
