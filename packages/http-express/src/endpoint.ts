import type { Account, Caller, Cause, Credential, Limits, Rate, RoleId, Scope } from '@pinfold/core';
import type { Administration } from '@pinfold/core/administration';
import { CHANGE_COST } from '@pinfold/core/internal';
import type { PublicUrl } from '@pinfold/http';
import type { Answer } from '@pinfold/http/internal';
import type { Request, Response } from 'express';
import { type AnyRefusal, refuseRequest } from './problems/problem.ts';
import type { WireCode } from './problems/problem-table.ts';
import { type Parameters, type QueryOf, queryReader } from './reading/query.ts';
import type { RequestBody } from './reading/request-body.ts';
import type { JsonObject, Schema } from './schema.ts';
import type { Service } from './service.ts';

export interface Offered {
  readonly history: boolean;
  readonly views: boolean;
  readonly grants: boolean;
  readonly archives: boolean;
}

export interface Call {
  readonly request: Request;
  readonly response: Response;
  /** Authenticates again if the body came after the head. Call it after reading a body, before using it. */
  readonly again: () => Promise<AnyRefusal | undefined>;
  /** Authenticates again in any case. Call it after a wait. */
  readonly authenticateAgain: () => Promise<AnyRefusal | undefined>;
  readonly cause: Cause;
  /** Aborts if the client leaves before its answer was sent. */
  readonly signal: AbortSignal;
}

export interface AccountCall extends Call {
  readonly caller: Caller;
  /** The store checks it with each change, and refuses one if the key was revoked meanwhile. */
  readonly credential: Credential;
  readonly account: Account | undefined;
  readonly requestRate: Rate | null;
}

export interface OperatorCall extends Call {
  readonly administration: Administration;
}

/** A handler's answer; `role` is the published one. */
export type Outcome = (Answer & { readonly role?: RoleId }) | AnyRefusal;

export interface DocumentContext {
  readonly publicUrl: PublicUrl;
  readonly limits: Limits;
  readonly offered: Offered;
}

export interface DescribedAnswer {
  readonly description: string;
  readonly schema?: Schema<unknown>;
  /** `application/json` when absent. */
  readonly mediaType?: string;
  readonly examples?: Readonly<Record<string, unknown>>;
  /** Headers of this answer alone. */
  readonly headers?: readonly string[];
}

/** The part of a path in braces. */
export interface PathParameter<Value> {
  readonly name: string;
  readonly description: string;
  readonly example: string;
  /** Parses the segment, percent-encoded as sent; undefined is refused. */
  readonly parse: (segment: string) => Value | undefined;
  /** The code of the refusal before the body is read. Absent: 404 after it was read. */
  readonly refusedAs?: WireCode;
}

/** One operation: its route, its checks, its part of the API document and its handler. */
interface EndpointOptions<C, P extends Parameters, Body, Value> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  /** Offered only by services that have this. */
  readonly needs?: keyof Offered;
  readonly parameter?: PathParameter<Value>;
  readonly query?: P;
  /** Headers that the request may have, as the document describes them. */
  readonly headers?: (limits: Limits) => readonly JsonObject[];
  readonly body?: RequestBody<Body>;
  /** Whether a request publishes, so that a problem's suggestion mentions the Idempotency-Key. */
  readonly publishes?: (request: Request) => boolean;
  readonly inReadOnly?: true;
  /** Whether it costs the account's rate what a change costs, although it changes nothing. */
  readonly costsAsChange?: true;
  /** Its error codes, in addition to those that follow from its other properties. */
  readonly codes?: readonly WireCode[];
  readonly answers: (context: DocumentContext) => Readonly<Record<number, DescribedAnswer>>;
  readonly handle: (
    service: Service,
    call: C,
    input: { readonly query: QueryOf<P>; readonly body: Body; readonly pathValue: Value },
  ) => Promise<Outcome>;
}

/** An endpoint whose input is read and checked by {@link Endpoint.answer}. */
export interface Endpoint<C> extends Omit<EndpointOptions<C, Parameters, unknown, unknown>, 'handle'> {
  /** The scope that its caller needs; null: no key is needed. */
  readonly scope: Scope | null;
  /** Reads the query, then the body, then calls the handler. */
  readonly answer: (service: Service, call: C, segment: string) => Promise<Outcome>;
}

export const readingEndpoint = endpointFactory<AccountCall>('pins:read');
export const writingEndpoint = endpointFactory<AccountCall>('pins:write');
/** An endpoint that needs no key, and ignores the query. */
export const publicEndpoint = endpointFactory<Pick<Call, 'request' | 'again'>>(null);
export const operatorEndpoint = endpointFactory<OperatorCall>('admin');

function endpointFactory<C extends Pick<Call, 'request' | 'again'>>(scope: Scope | null) {
  return <P extends Parameters, Body, Value>(options: EndpointOptions<C, P, Body, Value>): Endpoint<C> => {
    const { handle, ...described } = options;
    const { body, parameter } = described;
    const document = documentOf(options.path);
    const readQuery = scope === null ? undefined : queryReader(options.query ?? ({} as P), document);
    return {
      ...(described as Omit<Endpoint<C>, 'answer' | 'scope'>),
      scope,
      answer: async (service, call, segment) => {
        const parsedQuery = await readQuery?.(call.request, service.offered);
        if (parsedQuery?.kind === 'refused') return parsedQuery;
        const pathValue = parameter?.parse(segment);
        if (parameter?.refusedAs !== undefined && pathValue === undefined) {
          return refuseRequest(parameter.refusedAs);
        }
        const sent = await body?.read?.(service, call);
        if (sent?.kind === 'refused') return sent;
        if (parameter !== undefined && pathValue === undefined) return refuseRequest('not_found');
        return handle(service, call, {
          query: parsedQuery?.query ?? {},
          body: sent?.body as Body,
          pathValue: pathValue as Value,
        });
      },
    };
  };
}

export function documentOf(path: string): string {
  return path.startsWith('/admin/') ? '/admin/openapi.json' : '/openapi.json';
}

export interface Route<C> {
  /** The path with parameters in braces, as the API document and logs show it. */
  readonly pattern: string;
  readonly methods: Readonly<Record<string, Endpoint<C>>>;
}

export interface FoundRoute<C> {
  readonly route: Route<C>;
  /** The value of the path's parameter, percent-encoded as sent. */
  readonly segment: string;
}

/** Finds the routes of endpoints by path, among those that a service offers. */
export class Routes<C> {
  readonly #routes: readonly { readonly route: Route<C>; readonly path: RegExp }[];

  constructor(endpoints: readonly Endpoint<C>[], offered: Offered) {
    const available = endpoints.filter(({ needs }) => needs === undefined || offered[needs]);
    this.#routes = [...Map.groupBy(available, ({ path }) => path)].map(([pattern, all]) => ({
      route: { pattern, methods: Object.fromEntries(all.map((endpoint) => [endpoint.method, endpoint])) },
      path: new RegExp(`^${pattern.replace(/\{[^{}]+\}/, '([^/]+)')}$`),
    }));
  }

  find(path: string): FoundRoute<C> | undefined {
    for (const { route, path: known } of this.#routes) {
      const match = known.exec(path);
      if (match !== null) return { route, segment: match[1] ?? '' };
    }
    return undefined;
  }
}

/** The endpoint for a request's method: HEAD answers as GET does. */
export function endpointOf<C>({ methods }: Route<C>, method: string): Endpoint<C> | undefined {
  const name = method === 'HEAD' ? 'GET' : method;
  return Object.hasOwn(methods, name) ? methods[name] : undefined;
}

export function allowedMethods({ methods }: Pick<Route<never>, 'methods'>): readonly string[] {
  return Object.keys(methods).flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
}

const CHANGES: ReadonlySet<string> = new Set(['PATCH', 'PUT', 'DELETE']);

/** The cost of a request against the account's rate. Publishing has its own rate, so it costs as little as reading. */
export function costOf<C>(method: string, found: FoundRoute<C> | undefined): number {
  const { publishes, costsAsChange } = found?.route.methods[method] ?? {};
  const changes = method === 'POST' ? found !== undefined && publishes === undefined : CHANGES.has(method);
  return changes || costsAsChange ? CHANGE_COST : 1;
}
