import { pathOf, runInRequestOrder } from '@pinfold/http/internal';
import { type Request, type Response, Router } from 'express';
import { admitAccount, admitAnyone, admitOperator } from './authorize.ts';
import { Routes } from './endpoint.ts';
import { readAgentGuide, readDocument } from './endpoints/documents.ts';
import { endpoints, operatorEndpoints } from './endpoints/index.ts';
import { type Area, serve, targetPathOf } from './serve.ts';
import { type ApiOptions, serviceOf } from './service.ts';

/**
 * The API as an Express router: mount it at the path of `publicUrl`, before any body parser. It answers known paths below
 * `/api/v1`, `/openapi.json` and `/llms.txt`; with `administration`, also those below `/admin/v1` and
 * `/admin/openapi.json`. It passes on other paths, unless `unknownPaths` is `refuse`.
 *
 * @throws TypeError when `publicUrl` is not an http or https URL, or `authenticate` is not a function.
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
  const mounted = <C>(area: Area<C>) => ({
    base: area.base,
    knows: (path: string) => area.routes.find(path) !== undefined,
    serve: (request: Request, response: Response) => void serve(service, area, request, response),
  });
  const areas = [
    mounted({
      base: '/api/v1',
      routes: new Routes(endpoints, offered),
      admit: admitAccount,
      logsRoles: true,
    }),
    ...(service.administration === undefined
      ? []
      : [
          mounted({
            base: '/admin/v1',
            routes: new Routes(operatorEndpoints, offered),
            admit: admitOperator,
          }),
        ]),
    // These areas need no key: their answers are public.
    mounted({ base: '', routes: new Routes([readDocument, readAgentGuide], offered), admit: admitAnyone }),
    mounted({ base: '/api', routes: new Routes([], offered), admit: admitAnyone }),
  ];
  const refuses = service.unknownPaths === 'refuse';
  const router = Router({ caseSensitive: true, strict: true });
  router.use((request, response, next) => {
    requireMountPath(request, pathOf(publicUrl));
    const path = targetPathOf(request);
    const isBelow = (base: string): boolean => refuses && (path === base || path.startsWith(`${base}/`));
    const area = areas.find(({ base, knows }) => knows(path) || (base !== '' && isBelow(base)));
    if (area === undefined) next();
    else runInRequestOrder(request, response, () => area.serve(request, response));
  });
  return router;
}

/** Throws if the API is mounted at another path: other handlers would receive its requests. */
function requireMountPath({ baseUrl, originalUrl }: Request, path: string): void {
  if (baseUrl === path || !originalUrl.startsWith(path)) return;
  if (!/^\/(?:api\/v1\/|openapi\.json$|llms\.txt$)/.test(originalUrl.slice(path.length))) return;
  const [actual, expected] = [baseUrl === '' ? '/' : baseUrl, path === '' ? '/' : path];
  throw new Error(
    `The API is mounted at ${actual}: mount it at ${expected}, where publicUrl leads. A proxy in front has to pass the path on.`,
  );
}
