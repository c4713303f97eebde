import type { IncomingMessage, ServerResponse } from 'node:http';
import { hasSeveralHosts, hasTooManyCookies, pathOf, rewriteToOriginForm } from '@pinfold/http/internal';
import express from 'express';
import type { Doors } from '../compose/compose.ts';
import type { Service } from '../compose/service.ts';
import { createEchoEndpoint } from '../doctor/echo.ts';
import { MANAGEMENT_PATH } from '../start/sign-in-link.ts';
import type { RequestHandler } from './http-server.ts';
import { createProofEndpoint, type FindServerFile } from './machine-access.ts';
import { createOwnRoutes } from './own-routes.ts';

/**
 * Passes each request to the first handler that answers it: the echo endpoint, the viewer (before Express, which
 * would slow down views), the API, the challenge by which a command on this machine checks the server, the server's own
 * routes, the management screen, and the viewer's 404 page.
 */
export function createRequestHandler(
  { api, viewer, management }: Doors,
  { settings, addresses, composition, clients, health, requests: log }: Service,
  serverFile: FindServerFile,
  isStopping: () => boolean,
): RequestHandler {
  const { publicUrl } = addresses();
  // In a path of Express, characters such as : and * have a meaning unless a backslash precedes them.
  const mountPath = pathOf(publicUrl).replaceAll(/[^\w/%-]/g, '\\$&');
  const { readyNeeds: needs, reportUrl } = settings;
  const service = { name: 'Pinfold', reportUrl };
  const isTrustedClient = clients.isTrusted;
  const answerOwn = createOwnRoutes({ health, needs, isTrustedClient, log, publicUrl, isStopping, service });
  const answerProof = createProofEndpoint(serverFile, log);
  const sendNotFound = (request: IncomingMessage, response: ServerResponse): void =>
    viewer(request, response);
  const app = express()
    .disable('x-powered-by')
    // A proxy that protects a path distinguishes letter case in it.
    .enable('case sensitive routing')
    .set('etag', false)
    .use(mountPath || '/', api)
    .use((request, response, next) =>
      // On these routes, too, the viewer answers requests with several Host headers or too many cookies.
      hasSeveralHosts(request) || hasTooManyCookies(request)
        ? sendNotFound(request, response)
        : answerProof(request, response) || answerOwn(request, response) || next(),
    )
    .use(`${mountPath}${MANAGEMENT_PATH}`, management)
    .use(sendNotFound);
  const { grants, clock } = composition.ports;
  const answerEcho = createEchoEndpoint({ grants, clock, addressOf: clients.addressOf, log });
  return (request, response) => {
    // If this fails, the viewer refuses the request before the app sees it.
    rewriteToOriginForm(request);
    answerEcho(request, response, () => viewer(request, response, () => app(request, response)));
  };
}
