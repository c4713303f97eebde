import type { Request } from 'express';
import { type HttpRefusal, refuseRequest } from '../problems/problem.ts';
import { checkOf } from './schema-check.ts';

/** What `GET /api/v1/pins` may be asked for; absent members were not sent. */
export interface ListQuery {
  readonly cursor?: string;
  readonly limit?: string;
  readonly state?: 'published' | 'expired' | 'deleted';
}

/** `GET /api/v1/pins?idempotency_key=…`, which stands alone. */
export interface KeyQuery {
  readonly idempotency_key: string;
}

/** What `GET /api/v1/events` may be asked for; absent members were not sent. */
export interface EventQuery {
  readonly cursor?: string;
  readonly limit?: string;
  readonly pin?: string;
}

/** What `POST /api/v1/pins` may be asked for. */
export interface PublishQuery {
  readonly dry_run?: 'true' | 'false';
}

/** Reads a request's query, of which every parameter must be known and come once. */
export type ReadQuery<Query> = (
  request: Request,
) => { readonly kind: 'query'; readonly query: Query } | HttpRefusal;

/** No parameter at all. */
export const readNoQuery: ReadQuery<object> = reader<object>({ type: 'object', additionalProperties: false });

export const readPublishQuery: ReadQuery<PublishQuery> = reader<PublishQuery>({
  type: 'object',
  properties: { dry_run: { enum: ['true', 'false'] } },
  additionalProperties: false,
});

export const readListQuery: ReadQuery<ListQuery | KeyQuery> = reader<ListQuery | KeyQuery>({
  type: 'object',
  oneOf: [
    {
      properties: {
        cursor: { type: 'string', minLength: 1 },
        limit: { type: 'string', pattern: '^(?:[1-9][0-9]?|100)$' },
        state: { enum: ['published', 'expired', 'deleted'] },
      },
      additionalProperties: false,
    },
    {
      properties: { idempotency_key: { type: 'string' } },
      required: ['idempotency_key'],
      additionalProperties: false,
    },
  ],
});

export const readEventQuery: ReadQuery<EventQuery> = reader<EventQuery>({
  type: 'object',
  properties: {
    cursor: { type: 'string', minLength: 1 },
    limit: { type: 'string', pattern: '^(?:[1-9][0-9]?|100)$' },
    pin: { type: 'string', pattern: '^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$' },
  },
  additionalProperties: false,
});

function reader<Query>(schema: object): ReadQuery<Query> {
  const isQuery = checkOf<Query>(schema);
  return (request) => {
    const sent = queryOf(request);
    return sent !== undefined && isQuery(sent) ? { kind: 'query', query: sent } : wrongQuery();
  };
}

/** The parameters by name; `undefined` when one comes twice. */
function queryOf({ url }: Request): Readonly<Record<string, string>> | undefined {
  const mark = url.indexOf('?');
  const pairs = [...new URLSearchParams(mark === -1 ? '' : url.slice(mark))];
  const query = Object.fromEntries(pairs);
  return Object.keys(query).length === pairs.length ? query : undefined;
}

function wrongQuery(): HttpRefusal {
  return refuseRequest('invalid_request', {
    detail:
      'Send only query parameters that /openapi.json names, each once and with a value that it may have.',
  });
}
