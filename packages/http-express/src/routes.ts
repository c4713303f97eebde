import { CHANGE_COST } from '@pinfold/core/internal';
import type { Endpoint, Offered } from './endpoint.ts';

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
