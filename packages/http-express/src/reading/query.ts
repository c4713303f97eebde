import type { RoleState } from '@pinfold/core';
import { ROLE_STATES } from '@pinfold/core/adapter';
import type { Request } from 'express';
import type { JsonObject } from '../openapi/json-schema.ts';
import { type HttpRefusal, refuseRequest } from '../problems/problem.ts';
import { checkOf } from './schema-check.ts';

/** One parameter of a query: requests are checked by what the API document says of it. */
export interface Parameter {
  readonly description: string;
  readonly schema: JsonObject;
  /** Whether no other parameter may come with it. */
  readonly alone?: true;
}

/** The parameters of a query by name. */
export type Parameters = Readonly<Record<string, Parameter>>;

/** Reads a request's query, of which every parameter must be known and come once. */
export type ReadQuery<Query> = (
  request: Request,
) => Promise<{ readonly kind: 'query'; readonly query: Query } | HttpRefusal>;

/** What `POST /api/v1/pins` may be asked for. */
export interface PublishQuery {
  readonly dry_run?: 'true' | 'false';
}

export const publishParameters: Parameters = {
  dry_run: {
    description: 'Only checks the archive; nothing is stored, and no Idempotency-Key is needed.',
    schema: { enum: ['true', 'false'], default: 'false' },
  },
};

/** What `GET /api/v1/pins/{id}` may be asked for. */
export interface PinQuery {
  readonly include?: 'views';
}

export const pinParameters: Parameters = {
  include: {
    description: 'Also how often it was viewed on each of the last 30 days.',
    schema: { enum: ['views'] },
  },
};

/** What `GET /api/v1/pins` may be asked for; absent members were not sent. */
export interface ListQuery {
  readonly cursor?: string;
  readonly limit?: number;
  readonly state?: RoleState;
}

/** `GET /api/v1/pins?idempotency_key=…`, which stands alone. */
export interface KeyQuery {
  readonly idempotency_key: string;
}

/** What `GET /api/v1/events` may be asked for; absent members were not sent. */
export interface EventQuery {
  readonly cursor?: string;
  readonly limit?: number;
  readonly pin?: string;
}

/** What `GET /admin/v1/events` may be asked for; absent members were not sent. */
export interface AdminEventQuery extends EventQuery {
  readonly account?: string;
}

/** What `GET /admin/v1/accounts` may be asked for; absent members were not sent. */
export interface AccountQuery {
  readonly cursor?: string;
  readonly limit?: number;
}

/** What `GET /admin/v1/pins` may be asked for; absent members were not sent. */
export interface AdminPinQuery {
  readonly cursor?: string;
  readonly limit?: number;
  readonly account?: string;
  readonly state?: RoleState;
  readonly search?: string;
}

/** What `GET /admin/v1/takedowns` may be asked for; absent members were not sent. */
export interface TakedownQuery {
  readonly cursor?: string;
  readonly limit?: number;
}

/** How many pins or events a page has at most when the request does not say. */
export const DEFAULT_LIMIT = 20;

/** Where a page begins and how long it is. */
function pageParameters(cursor: string): Parameters {
  return {
    cursor: { description: cursor, schema: { type: 'string', minLength: 1 } },
    limit: {
      description: 'The most there may be on a page.',
      schema: { type: 'integer', minimum: 1, maximum: 100, default: DEFAULT_LIMIT },
    },
  };
}

export const eventParameters: Parameters = {
  ...pageParameters('What an earlier page of the account gave as next_cursor, with the same pin.'),
  pin: {
    description: 'Only the events of this publication; its id in any letter case.',
    schema: { type: 'string', pattern: '^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$' },
  },
};

const accountName: JsonObject = { type: 'string', pattern: '^[^\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}]{1,255}$' };

export const adminEventParameters: Parameters = {
  ...eventParameters,
  ...pageParameters('What an earlier page gave as next_cursor, with the same account and pin.'),
  account: { description: 'Only the events of this account.', schema: accountName },
};

export const accountParameters: Parameters = {
  ...pageParameters('What an earlier page gave as next_cursor.'),
};

export const adminPinParameters: Parameters = {
  ...pageParameters('What an earlier page gave as next_cursor, with the same account, state and search.'),
  account: { description: 'Only pins of this account.', schema: accountName },
  state: {
    description: 'Only pins in this state; without it all but deleted ones.',
    schema: { enum: ROLE_STATES },
  },
  search: {
    description: 'A text in the title, in any letter case and width, or in the id. A page may be short then.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
};

export const takedownParameters: Parameters = {
  ...pageParameters('What an earlier page gave as next_cursor.'),
};

export const listParameters: Parameters = {
  ...pageParameters('What an earlier page of the account gave as next_cursor, with the same state.'),
  state: {
    description: 'Only pins in this state; without it all but deleted ones.',
    schema: { enum: ROLE_STATES },
  },
  idempotency_key: {
    description: 'Only the pin that this key published, in any state. It stands alone.',
    schema: { type: 'string' },
    alone: true,
  },
};

/** No parameter at all. */
export const readNoQuery: ReadQuery<object> = readerOf<object>({});

export const readPublishQuery: ReadQuery<PublishQuery> = readerOf<PublishQuery>(publishParameters);

export const readPinQuery: ReadQuery<PinQuery> = readerOf<PinQuery>(pinParameters);

export const readListQuery: ReadQuery<ListQuery | KeyQuery> = readerOf<ListQuery | KeyQuery>(listParameters);

export const readEventQuery: ReadQuery<EventQuery> = readerOf<EventQuery>(eventParameters);

export const readAdminEventQuery: ReadQuery<AdminEventQuery> =
  readerOf<AdminEventQuery>(adminEventParameters);

export const readAdminPinQuery: ReadQuery<AdminPinQuery> = readerOf<AdminPinQuery>(adminPinParameters);

export const readTakedownQuery: ReadQuery<TakedownQuery> = readerOf<TakedownQuery>(takedownParameters);

export const readAccountQuery: ReadQuery<AccountQuery> = readerOf<AccountQuery>(accountParameters);

function readerOf<Query>(parameters: Parameters): ReadQuery<Query> {
  const named = Object.entries(parameters);
  const check = checkOf<Query>({
    type: 'object',
    properties: Object.fromEntries(named.map(([name, { schema }]) => [name, schema])),
    additionalProperties: false,
    dependencies: Object.fromEntries(
      named.filter(([, { alone }]) => alone).map(([name]) => [name, { maxProperties: 1 }]),
    ),
  });
  return async (request) => {
    const query = await check(queryOf(request, parameters));
    return query === undefined ? wrongQuery() : { kind: 'query', query };
  };
}

/** Whether a request to publish asks for the checks alone. */
export function isDryRun({ url }: Request): boolean {
  return String(searchOf(url)) === 'dry_run=true';
}

function searchOf(url: string): URLSearchParams {
  const mark = url.indexOf('?');
  return new URLSearchParams(mark === -1 ? '' : url.slice(mark));
}

/** The parameters by name; `undefined` when one comes twice. */
function queryOf({ url }: Request, parameters: Parameters): unknown {
  const isCount = (name: string) =>
    Object.hasOwn(parameters, name) && parameters[name]?.schema.type === 'integer';
  const pairs = [...searchOf(url)];
  const query = Object.fromEntries(
    pairs.map(([name, text]) => [name, isCount(name) ? numberOf(text) : text]),
  );
  return Object.keys(query).length === pairs.length ? query : undefined;
}

/** A text counts as a number only when the number is written so: `1e1` and `010` are none. */
function numberOf(text: string): string | number {
  return String(Number(text)) === text ? Number(text) : text;
}

function wrongQuery(): HttpRefusal {
  return refuseRequest('invalid_request', {
    detail:
      'Send only query parameters that /openapi.json names, each once and with a value that it may have.',
  });
}
