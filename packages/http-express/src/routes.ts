import type { Handler } from './handlers/handler.ts';
import { limits } from './handlers/limits.ts';
import { list } from './handlers/list.ts';
import { publish } from './handlers/publish.ts';
import { read } from './handlers/read.ts';
import { stop } from './handlers/stop.ts';
import { update } from './handlers/update.ts';

/** One path of the API with its methods. */
export interface Route {
  /** As it stands in the API document and in logs. */
  readonly pattern: string;
  readonly methods: Readonly<Record<string, Handler>>;
}

const pins: Route = {
  pattern: '/api/v1/pins',
  methods: {
    GET: { scope: 'pins:read', handle: list },
    POST: { scope: 'pins:write', handle: publish },
  },
};

const pin: Route = {
  pattern: '/api/v1/pins/{id}',
  methods: {
    GET: { scope: 'pins:read', handle: read },
    PATCH: { scope: 'pins:write', handle: update },
    DELETE: { scope: 'pins:write', handle: stop },
  },
};

const limitsInForce: Route = {
  pattern: '/api/v1/limits',
  methods: { GET: { scope: 'pins:read', handle: limits } },
};

/** Every route under `/api/v1`. */
export const routes: readonly Route[] = [pins, pin, limitsInForce];

/** The route of a path below `/api/v1`, with the id in it. */
export function routeOf(path: string): { readonly route: Route; readonly id: string } | undefined {
  if (path === '/pins') return { route: pins, id: '' };
  if (path === '/limits') return { route: limitsInForce, id: '' };
  const [, id] = /^\/pins\/([^/]+)$/.exec(path) ?? [];
  return id === undefined ? undefined : { route: pin, id };
}

/** What `Allow` lists for a route: HEAD is answered as GET is. */
export function allowedMethods({ methods }: Route): readonly string[] {
  return Object.keys(methods).flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
}
