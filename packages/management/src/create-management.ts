import { takeRequest } from '@pinfold/http';
import { Router } from 'express';
import { loadAssets } from './assets.ts';
import { type ManagementOptions, type Screen, screenOf } from './options.ts';
import { KeyRoutes } from './routes/keys.ts';
import { showList } from './routes/list.ts';
import { PublicationRoutes } from './routes/publications.ts';
import { PublishRoutes } from './routes/publish.ts';
import { SignInRoutes } from './routes/sign-in.ts';
import { refuse, Serving } from './serve.ts';

/**
 * The management screen as an Express router, to be mounted at a path of the public URL's host, before any parser of
 * bodies: `app.use('/manage', createManagement({ … }))`. No site may be served from the same origin without a sandbox.
 *
 * @throws TypeError unless exactly one of `sessions` and `authenticate` is given, and `publicUrl` is http or https.
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
  const assets = loadAssets();
  const serving = new Serving(screen, assets);
  const router = Router({ strict: false });
  router.use((request, response, next) => takeRequest(request, response, next));
  router.get('/assets/:name', (request, response, next) => {
    if (!assets.serve(request.params.name, request, response)) next();
  });
  router.get(
    '/',
    serving.page((visit) => showList(screen, visit)),
  );
  mountPublishing(router, serving, screen);
  mountPublications(router, serving, screen);
  mountKeys(router, serving, screen);
  mountSignIn(router, serving, screen);
  router.use(serving.open(async (visit) => refuse(visit, 404, 'notFoundTitle', 'notFoundText')));
  return router;
}

function mountPublishing(router: Router, serving: Serving, screen: Screen): void {
  const routes = new PublishRoutes(screen);
  router.post(
    '/publish',
    serving.upload((visit) => routes.publishForm(visit)),
  );
  router.post(
    '/upload',
    serving.upload((visit) => routes.publishUpload(visit)),
  );
}

function mountPublications(router: Router, serving: Serving, screen: Screen): void {
  const routes = new PublicationRoutes(screen);
  router.get(
    '/publications/:id',
    serving.page((visit) => routes.show(visit)),
  );
  router.get(
    '/publications/:id/stop',
    serving.page((visit) => routes.askToStop(visit)),
  );
  router.post(
    '/publications/:id/stop',
    serving.form((visit) => routes.stop(visit)),
  );
  router.post(
    '/publications/:id/pin',
    serving.form((visit) => routes.pin(visit)),
  );
  router.post(
    '/publications/:id/unpin',
    serving.form((visit) => routes.unpin(visit)),
  );
  router.post(
    '/publications/:id/renew',
    serving.form((visit) => routes.renew(visit)),
  );
  router.post(
    '/publications/:id/rename',
    serving.form((visit) => routes.rename(visit)),
  );
  router.post(
    '/publications/:id/password',
    serving.form((visit) => routes.password(visit)),
  );
}

function mountKeys(router: Router, serving: Serving, { keys }: Screen): void {
  if (keys === undefined) return;
  const routes = new KeyRoutes(keys);
  router.get(
    '/keys',
    serving.page((visit) => routes.show(visit)),
  );
  router.post(
    '/keys',
    serving.form((visit) => routes.create(visit)),
  );
  router.post(
    '/keys/:key/revoke',
    serving.form((visit) => routes.revoke(visit)),
  );
}

function mountSignIn(router: Router, serving: Serving, { sessions }: Screen): void {
  if (sessions === undefined) return;
  const routes = new SignInRoutes(sessions, serving);
  router.get(
    '/sign-in',
    serving.open((visit) => routes.show(visit)),
  );
  router.post(
    '/sign-in',
    serving.openForm((visit) => routes.signIn(visit)),
  );
  router.post(
    '/sign-out',
    serving.form((visit) => routes.signOut(visit)),
  );
}
