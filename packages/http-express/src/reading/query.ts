import type { Request } from 'express';
import type { Offered } from '../endpoint.ts';
import { type HttpRefusal, refuseRequest } from '../problems/problem.ts';
import { integer, type Schema, string } from '../schema.ts';
import { checkOf } from './schema-check.ts';

export interface Parameter<Value> {
  readonly description: string;
  readonly schema: Schema<Value>;
  /** Whether it excludes all other parameters. */
  readonly alone?: true;
  /** Known only to services that offer this. */
  readonly needs?: keyof Offered;
}

export type Parameters = Readonly<Record<string, Parameter<unknown>>>;

export type QueryOf<P extends Parameters> = {
  readonly [Name in keyof P]?: P[Name] extends Parameter<infer Value> ? Value : never;
};

/** The maximum number of entries of a page if the request has no `limit`. */
export const DEFAULT_LIMIT = 20;

export function pageParameters(cursor: string): {
  readonly cursor: Parameter<string>;
  readonly limit: Parameter<number>;
} {
  return {
    cursor: { description: cursor, schema: string({ minLength: 1 }) },
    limit: {
      description: 'The maximum number of entries on a page.',
      schema: integer({ minimum: 1, maximum: 100, default: DEFAULT_LIMIT }),
    },
  };
}

export function offeredParameters(parameters: Parameters, offered: Offered): Parameters {
  const named = Object.entries(parameters).filter(([, { needs }]) => needs === undefined || offered[needs]);
  return Object.fromEntries(named);
}

type ReadQuery<Query> = (
  request: Request,
  offered: Offered,
) => Promise<{ readonly kind: 'query'; readonly query: Query } | HttpRefusal>;

/** Returns a function that reads a query, and refuses unknown and repeated parameters. */
export function queryReader<P extends Parameters>(parameters: P, document: string): ReadQuery<QueryOf<P>> {
  const named = Object.entries(parameters);
  const check = checkOf<QueryOf<P>>({
    type: 'object',
    properties: Object.fromEntries(named.map(([name, { schema }]) => [name, schema])),
    additionalProperties: false,
    dependencies: Object.fromEntries(
      named.filter(([, { alone }]) => alone).map(([name]) => [name, { maxProperties: 1 }]),
    ),
  });
  return async (request, offered) => {
    const query = await check(queryOf(request, offeredParameters(parameters, offered), parameters));
    return query === undefined ? wrongQuery(document) : { kind: 'query', query };
  };
}

function searchOf({ url }: Pick<Request, 'url'>): URLSearchParams {
  const mark = url.indexOf('?');
  return new URLSearchParams(mark === -1 ? '' : url.slice(mark));
}

/** The parameters by name; undefined if one is repeated or not offered. */
function queryOf(request: Request, offered: Parameters, all: Parameters): unknown {
  const pairs = [...searchOf(request)];
  const isCount = (name: string) => Object.hasOwn(offered, name) && offered[name]?.schema.type === 'integer';
  const query = Object.fromEntries(
    pairs.map(([name, text]) => [name, isCount(name) ? numberOf(text) : text]),
  );
  const isOffered = pairs.every(([name]) => Object.hasOwn(offered, name) || !Object.hasOwn(all, name));
  return isOffered && Object.keys(query).length === pairs.length ? query : undefined;
}

/** Converts a number in its usual notation; returns any other text, such as `1e1` and `010`, unchanged. */
function numberOf(text: string): string | number {
  return String(Number(text)) === text ? Number(text) : text;
}

function wrongQuery(document: string): HttpRefusal {
  return refuseRequest('invalid_request', {
    detail: `Send only query parameters that ${document} names, each once and with a value that it may have.`,
  });
}
