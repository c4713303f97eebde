import { nameOf } from '@pinfold/core/internal';
import { loopTurns, rewriteToOriginForm, runInRequestOrder } from '@pinfold/http/internal';
import { type ErrorRequestHandler, type RequestHandler, Router } from 'express';
import { type ManagementOptions, screenOf } from './options.ts';
import { serve } from './response/serve.ts';
import { routesOf, unknownPath } from './routes.ts';

/**
 * The management screen as an Express router, to be mounted at a path of the public URL's host, before any parser of
 * bodies: `app.use('/manage', createManagement({ … }))`. It passes on requests for unknown paths. No site may be served
 * from the same origin without a sandbox.
 *
 * @throws TypeError unless exactly one of `sessions` and `authenticate` is given, and `publicUrl` is http or https; when
 * `identityProvider` is given without `sessions`; or when a part of `branding` is wrong.
 *
 * @example
 * import { accountId, type UseCases } from '@pinfold/core';
 * import { createManagement } from '@pinfold/management';
 * import express from 'express';
 *
 * declare const useCases: UseCases;
 *
 * const publicUrl = 'https://pages.example';
 * const authenticate = async () => ({ account: accountId('me'), scopes: ['manage' as const] });
 * const app = express().use('/manage', createManagement({ useCases, publicUrl, authenticate }));
 */
export function createManagement(options: ManagementOptions): Router {
  const screen = screenOf(options);
  const router = Router({ caseSensitive: true, strict: false });
  router.use((request, response, next) => {
    if (!rewriteToOriginForm(request)) {
      response
        .status(400)
        .type('text')
        .send('The target of the request is neither a path nor an http URL.\n');
      return;
    }
    runInRequestOrder(request, response, () => {
      // A page takes many times as long as a view; turns keep hundreds of pages from delaying other requests.
      if (loopTurns.takeNow()) next();
      else void loopTurns.wait().then(() => next());
    });
  });
  router.get('/assets/:name', (request, response, next) => {
    const { assets, clientAddress } = screen;
    const isServed = assets.serve(request.params.name, request, response, () => clientAddress(request));
    if (!isServed) next();
  });
  for (const route of routesOf(screen)) router[route.method](route.path, serve(screen, route));
  const handleUnknownPath: RequestHandler =
    screen.unknownPaths === 'refuse' ? serve(screen, unknownPath) : (_request, _response, next) => next();
  router.use(handleUnknownPath);
  router.use(((error, request, response, next) =>
    nameOf(error) === 'URIError'
      ? handleUnknownPath(request, response, next)
      : next(error)) satisfies ErrorRequestHandler);
  return router;
}
