import { parseRoleId, type RoleId, type Scope } from '@pinfold/core';
import { CHANGE_COST } from '@pinfold/core/adapter';
import type { Request } from 'express';
import { events } from './handlers/events.ts';
import { limits } from './handlers/limits.ts';
import { list } from './handlers/list.ts';
import { publish } from './handlers/publish.ts';
import { read } from './handlers/read.ts';
import { stop } from './handlers/stop.ts';
import { readUpdate, update } from './handlers/update.ts';
import { type AnyRefusal, refuseRequest } from './problems/problem.ts';
import {
  isDryRun,
  type ReadQuery,
  readEventQuery,
  readListQuery,
  readNoQuery,
  readPinQuery,
  readPublishQuery,
} from './reading/query.ts';
import type { Call, Outcome, Service } from './service.ts';

/** One path of the API with its methods. */
export interface Route {
  /** As it stands in the API document and in logs. */
  readonly pattern: string;
  readonly methods: Readonly<Record<string, Operation>>;
}

/** One method of a path. */
export interface Operation {
  /** What its caller needs. */
  readonly scope: Scope;
  /** Whether it changes anything, which a blocked account may not, and nobody while the service is read-only. */
  readonly changes: boolean;
  /** Whether a request of it publishes, so that what is wrong says what becomes of the Idempotency-Key. */
  readonly publishes: (request: Request) => boolean;
  /** @param role what the path names; null where it names none, or nothing that is an id. */
  readonly handle: (service: Service, call: Call, role: RoleId | null) => Promise<Outcome>;
}

const CHANGES: ReadonlySet<string> = new Set(['PATCH', 'PUT', 'DELETE']);

const pins: Route = {
  pattern: '/api/v1/pins',
  methods: {
    GET: onAll({ scope: 'pins:read', query: readListQuery, handle: list }),
    POST: onAll({
      scope: 'pins:write',
      changes: true,
      query: readPublishQuery,
      handle: publish,
      publishes: (request) => !isDryRun(request),
    }),
  },
};

const pin: Route = {
  pattern: '/api/v1/pins/{id}',
  methods: {
    GET: onOne({
      scope: 'pins:read',
      query: ({ views }) => (views === undefined ? readNoQuery : readPinQuery),
      handle: (service, call, id, _body, query) => read(service, call, id, query),
    }),
    PATCH: onOne({ scope: 'pins:write', changes: true, body: readUpdate, handle: update }),
    DELETE: onOne({ scope: 'pins:write', changes: true, handle: stop }),
  },
};

const boundsOf: Route = {
  pattern: '/api/v1/limits',
  methods: { GET: onAll({ scope: 'pins:read', query: readNoQuery, handle: limits }) },
};

const history: Route = {
  pattern: '/api/v1/events',
  methods: { GET: onAll({ scope: 'pins:read', query: readEventQuery, handle: events }) },
};

/** Every route under `/api/v1`. */
export const routes: readonly Route[] = [pins, pin, boundsOf, history];

/** The route of a path below `/api/v1`, with the role that it names. */
export function routeOf(
  path: string,
  offered: Pick<Service, 'history'>,
): { readonly route: Route; readonly role: RoleId | null } | undefined {
  if (path === '/pins') return { route: pins, role: null };
  if (path === '/limits') return { route: boundsOf, role: null };
  if (path === '/events' && offered.history !== undefined) return { route: history, role: null };
  const [, id] = /^\/pins\/([^/]+)$/.exec(path) ?? [];
  return id === undefined ? undefined : { route: pin, role: parseRoleId(id) ?? null };
}

/**
 * What a request costs of the account's rate. Path and method alone decide: the rate comes before both are checked. To
 * publish is bounded by a rate of its own, and costs no more than to read.
 */
export function costOf(method: string, route: Route | undefined): number {
  const changes = method === 'POST' ? route !== undefined && route !== pins : CHANGES.has(method);
  return changes ? CHANGE_COST : 1;
}

/** What `Allow` lists for a route: HEAD is answered as GET is. */
export function allowedMethods({ methods }: { readonly methods: object }): readonly string[] {
  return Object.keys(methods).flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
}

/** On the publications as a whole: the query says what is wanted. */
function onAll<Query>(operation: {
  readonly scope: Scope;
  readonly query: ReadQuery<Query>;
  readonly handle: (service: Service, call: Call, query: Query) => Promise<Outcome>;
  readonly changes?: boolean;
  readonly publishes?: Operation['publishes'];
}): Operation {
  const { scope, changes = false, query, handle, publishes = () => false } = operation;
  return {
    scope,
    changes,
    publishes,
    handle: async (service, call) => {
      const read = await query(call.request);
      return read.kind === 'refused' ? read : handle(service, call, read.query);
    },
  };
}

/** On one publication: the query, which has no parameter unless it is said; then the body, where there is one; then the id. */
function onOne<Body = undefined, Query extends object = object>(operation: {
  readonly scope: Scope;
  readonly changes?: boolean;
  readonly query?: (service: Service) => ReadQuery<Query>;
  readonly body?: (
    service: Service,
    call: Call,
  ) => Promise<{ readonly kind: 'body'; readonly body: Body } | AnyRefusal>;
  readonly handle: (service: Service, call: Call, id: RoleId, body: Body, query: Query) => Promise<Outcome>;
}): Operation {
  const { scope, changes = false, query = () => readNoQuery as ReadQuery<Query>, body, handle } = operation;
  return {
    scope,
    changes,
    publishes: () => false,
    handle: async (service, call, role) => {
      const asked = await query(service)(call.request);
      if (asked.kind === 'refused') return asked;
      const sent = await body?.(service, call);
      if (sent?.kind === 'refused') return sent;
      if (role === null) return refuseRequest('not_found');
      return handle(service, call, role, sent?.body as Body, asked.query);
    },
  };
}
