import { pathOf, takeRequest } from '@pinfold/http/internal';
import { type Request, Router } from 'express';
import { admitAccount, admitAnyone, admitOperator } from './admission.ts';
import { readAdminDocument, readDocument } from './endpoints/documents.ts';
import { endpoints, operatorEndpoints } from './endpoints/index.ts';
import { Routes } from './routes.ts';
import { serve } from './serve.ts';
import { type ApiOptions, serviceOf } from './service.ts';

/**
 * The API as an Express router, to be mounted where `publicUrl` leads, before any parser of bodies. It answers
 * everything under `/api/`, whose only version is `/api/v1`, and `/openapi.json`; with `administration`, also `/admin/v1`
 * and `/admin/openapi.json`. Other paths are passed on. Mount routes of your own under `/api/` before it.
 *
 * @throws TypeError when `publicUrl` is no http or https URL, or `authenticate` is no function.
 * @example
 * import type { Keys, UseCases } from '@pinfold/core';
 * import { apiKeyAuthentication, createApi } from '@pinfold/http-express';
 * import express from 'express';
 *
 * declare const useCases: UseCases;
 * declare const keys: Keys;
 *
 * const app = express();
 * const authenticate = apiKeyAuthentication(keys);
 * app.use(createApi({ useCases, publicUrl: 'https://share.example', authenticate }));
 */
export function createApi(options: ApiOptions): Router {
  const service = serviceOf(options);
  const { publicUrl, offered } = service;
  const operator = { routes: new Routes(operatorEndpoints, offered), admit: admitOperator };
  const areas = {
    api: { base: '/api/v1', routes: new Routes(endpoints, offered), admit: admitAccount, logsRoles: true },
    administration: { ...operator, base: '/admin/v1' },
    administrationDocument: { ...operator, base: '' },
    document: { base: '', routes: new Routes([readDocument], offered), admit: admitAnyone },
    // Checks no key: its 404 reveals nothing.
    nothing: { base: '/api', routes: new Routes([], offered), admit: admitAnyone },
  } as const;
  const router = Router({ caseSensitive: true, strict: true });
  router.use((request, response, next) => {
    expectMounted(request, pathOf(publicUrl));
    takeRequest(request, response, next);
  });
  router.use('/api/v1', (request, response) => serve(service, areas.api, request, response));
  router.use('/api', (request, response) => serve(service, areas.nothing, request, response));
  if (service.administration !== undefined) {
    router.use('/admin/v1', (request, response) => serve(service, areas.administration, request, response));
    router.all(readAdminDocument.path, (request, response) =>
      serve(service, areas.administrationDocument, request, response),
    );
  }
  router.all(readDocument.path, (request, response) => serve(service, areas.document, request, response));
  return router;
}

/** Throws if the API is mounted elsewhere: requests meant for it would reach other handlers. */
function expectMounted({ baseUrl, originalUrl }: Request, path: string): void {
  if (baseUrl === path || !originalUrl.startsWith(path)) return;
  if (!/^\/(?:api\/|openapi\.json$)/.test(originalUrl.slice(path.length))) return;
  const [is, meant] = [baseUrl === '' ? '/' : baseUrl, path === '' ? '/' : path];
  throw new Error(
    `The API is mounted at ${is}: mount it at ${meant}, where publicUrl leads. A proxy in front has to pass the path on.`,
  );
}
