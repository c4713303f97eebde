import type { IncomingMessage, ServerResponse } from 'node:http';
import { hasSeveralHosts, hasTooManyCookies, pathOf, rewriteToOriginForm } from '@pinfold/http/internal';
import express from 'express';
import type { Doors } from '../compose/compose.ts';
import type { Service } from '../compose/service.ts';
import { MANAGEMENT_PATH } from '../start/sign-in-link.ts';
import { createEchoEndpoint } from './echo-endpoint.ts';
import type { RequestHandler } from './http-server.ts';
import { createProofEndpoint } from './machine-proof.ts';
import { createOwnRoutes } from './own-routes.ts';
import type { FindServerFile } from './server-file.ts';

/**
 * Passes each request to the first handler that answers it: the echo endpoint, the viewer (before Express, which
 * would slow down views), the API, the proof for this machine, the server's own routes, the management screen, and
 * the viewer's 404 page.
 */
export function createRequestHandler(
  { api, viewer, management }: Doors,
  { settings, addresses, composition, clients, health, requests: log }: Service,
  serverFile: FindServerFile,
  isStopping: () => boolean,
): RequestHandler {
  const publicPath = pathOf(addresses().publicUrl);
  const { readyNeeds: needs, reportUrl } = settings;
  const service = { name: 'Pinfold', reportUrl };
  const isTrustedClient = clients.isTrusted;
  const answerOwn = createOwnRoutes({ health, needs, isTrustedClient, log, publicPath, isStopping, service });
  const answerProof = createProofEndpoint(serverFile, log);
  const sendNotFound = (request: IncomingMessage, response: ServerResponse): void =>
    viewer(request, response);
  const app = express()
    .disable('x-powered-by')
    // A proxy that protects a path compares it with case.
    .enable('case sensitive routing')
    .set('etag', false)
    .use(publicPath === '' ? '/' : publicPath, api)
    .use((request, response, next) =>
      // The viewer answers requests with several Host headers or too many cookies for these routes, too.
      hasSeveralHosts(request) || hasTooManyCookies(request)
        ? sendNotFound(request, response)
        : answerProof(request, response) || answerOwn(request, response) || next(),
    )
    .use(`${publicPath}${MANAGEMENT_PATH}`, management)
    .use(sendNotFound);
  const { grants, clock } = composition.ports;
  const answerEcho = createEchoEndpoint({ grants, clock, addressOf: clients.addressOf, log });
  return (request, response) => {
    // If this fails, the viewer, which comes first, refuses the request.
    rewriteToOriginForm(request);
    answerEcho(request, response, () => viewer(request, response, () => app(request, response)));
  };
}
