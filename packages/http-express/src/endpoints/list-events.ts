import { type Actor, OPERATOR, parseRoleId, type RoleId, seconds } from '@pinfold/core';
import type { History } from '@pinfold/core/history';
import { untilHalfClosed } from '@pinfold/http/internal';
import { type Call, type Outcome, operatorEndpoint, readingEndpoint } from '../endpoint.ts';
import { EXAMPLE_FEED_CURSOR } from '../openapi/responses.ts';
import { refuseRequest } from '../problems/problem.ts';
import { pageParameters, type QueryOf } from '../reading/query.ts';
import * as T from '../schema.ts';
import type { Service } from '../service.ts';
import { accountFilter } from '../wire/account.ts';
import { eventOf, eventSchema, exampleEvent } from '../wire/event.ts';
import { pageOf } from '../wire/members.ts';

/** `Retry-After` of a request that could not wait for events. */
const RETRY_AFTER = '5';

const parameters = (cursor: string) => ({
  ...pageParameters(`${cursor} With order=desc only.`),
  pin: {
    description: 'Only the events of this publication; its id in any letter case.',
    schema: T.string({ pattern: '^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$' }),
  },
  order: {
    description:
      '`desc`: newest first, by (`at`, `id`). `asc`: the feed, in the order in which events were recorded; a client that continues with `after` gets every event once.',
    schema: T.oneOf(['desc', 'asc'], { default: 'desc' }),
  },
  after: {
    description:
      'Where the page begins: a `next_cursor` or one of `cursors` of a page with order=asc, or `latest` for the end of the feed. Absent, the feed begins at its oldest event. With order=asc only.',
    schema: T.string({ minLength: 1 }),
  },
  wait: {
    description:
      'If there is no event, the seconds to wait for one. Only a few requests of an account can wait at once; further ones get their page without waiting, with Retry-After. With order=asc only.',
    schema: T.integer({ minimum: 0, maximum: 30, default: 0 }),
  },
  include: {
    description: '`cursors` adds the cursor after each event. With order=asc only.',
    schema: T.oneOf(['cursors']),
  },
});

const listSchema = T.named('EventList', () =>
  T.object({
    events: T.array(eventSchema, { maxItems: 100, description: 'In the requested order.' }),
    next_cursor: T.nullable(T.string(), {
      description:
        'Ask for the next page with this as `cursor` and the same filters; null on the last page. With order=asc as `after`; never null.',
    }),
    cursors: T.optional(T.array(T.string(), { description: 'The cursor after each of `events`.' })),
  }),
);

const answers = () => ({
  200: {
    description: 'A page.',
    schema: listSchema,
    examples: {
      page: { events: [exampleEvent], next_cursor: null },
      feed: { events: [exampleEvent], next_cursor: EXAMPLE_FEED_CURSOR },
    },
    headers: ['Retry-After'],
  },
});

export const listEvents = readingEndpoint({
  method: 'GET',
  path: '/api/v1/events',
  id: 'listEvents',
  needs: 'history',
  summary: 'List what happened to the account and its publications',
  description:
    'Actions of the operator have the actor {"kind": "operator", "id": null}. An expiration is recorded within minutes, ' +
    'with the instant at which it happened: reading with order=desc may miss it, reading with order=asc does not.',
  query: parameters('The next_cursor of an earlier page of the account, with the same pin.'),
  codes: ['cursor_expired'],
  answers,
  handle: (service, call, { query }) => answer(service, call.caller.account, call, query),
});

export const listAllEvents = operatorEndpoint({
  method: 'GET',
  path: '/admin/v1/events',
  id: 'listAllEvents',
  needs: 'history',
  summary: 'List what happened to all accounts and to the service',
  query: {
    ...parameters('The next_cursor of an earlier page with the same account and pin.'),
    account: { description: 'Only the events of this account.', schema: accountFilter },
  },
  codes: ['cursor_expired'],
  answers,
  handle: (service, call, { query }) => answer(service, OPERATOR, call, query),
});

type EventQuery = QueryOf<ReturnType<typeof parameters>> & { readonly account?: string };

async function answer(
  { history }: Service,
  by: Actor,
  call: Call,
  { pin: id, order, ...query }: EventQuery,
): Promise<Outcome> {
  if (history === undefined) return refuseRequest('not_found');
  const pin = id === undefined ? {} : { pin: parseRoleId(id) as RoleId };
  if (order === 'asc') return readFeed(history, call, { by, ...pin, ...query });
  const { after, wait, include, ...page } = query;
  if (after !== undefined || wait !== undefined || include !== undefined) {
    return refuseRequest('invalid_request', { detail: 'Send after, wait and include with order=asc only.' });
  }
  return pageOf('events', await history.list({ by, ...pin, ...page }), ({ events }) => events.map(eventOf));
}

async function readFeed(
  history: History,
  call: Call,
  { cursor, include, wait = 0, ...request }: Omit<EventQuery, 'pin' | 'order'> & { readonly by: Actor },
): Promise<Outcome> {
  if (cursor !== undefined) {
    return refuseRequest('invalid_request', { detail: 'With order=asc, send "next_cursor" as after.' });
  }
  const { signal } = call;
  const stopWaiting = wait === 0 ? undefined : untilHalfClosed(call.request, call.response);
  const page = await history.feed({ ...request, wait: seconds(wait), signal, stopWaiting });
  if (page.kind === 'refused') return page;
  const refused = page.hasWaited ? await call.authenticateAgain() : undefined;
  if (refused !== undefined) return refused;
  return {
    status: 200,
    headers: page.isCrowded ? { 'Retry-After': RETRY_AFTER } : {},
    json: {
      events: page.items.map(({ event }) => eventOf(event)),
      next_cursor: page.next,
      ...(include === undefined ? {} : { cursors: page.items.map((item) => item.cursor) }),
    },
  };
}
