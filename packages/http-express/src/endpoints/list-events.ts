import { type Actor, OPERATOR, parseRoleId, type RoleId } from '@pinfold/core';
import { type Outcome, operatorEndpoint, readingEndpoint } from '../endpoint.ts';
import { refuseRequest } from '../problems/problem.ts';
import { pageParameters } from '../reading/query.ts';
import { string } from '../schema.ts';
import type { Service } from '../service.ts';
import { accountFilter } from '../wire/account.ts';
import { eventOf, eventSchema, exampleEvent } from '../wire/event.ts';
import { pageAnswer } from '../wire/members.ts';

const pin = {
  description: 'Only the events of this publication; its id in any letter case.',
  schema: string({ pattern: '^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$' }),
};

const answers = () =>
  pageAnswer('EventList', 'events', [eventSchema, exampleEvent], {
    asked: 'this as cursor and the same pin',
  });

export const listEvents = readingEndpoint({
  method: 'GET',
  path: '/api/v1/events',
  id: 'listEvents',
  needs: 'history',
  summary: 'List what happened to the account and its publications, newest first',
  description:
    'Actions of the operator have the actor {"kind": "operator", "id": null}. An expiration is recorded within minutes, ' +
    'with the instant at which it happened: a walk that began earlier may miss it.',
  query: {
    ...pageParameters('The next_cursor of an earlier page of the account, with the same pin.'),
    pin,
  },
  answers,
  handle: (service, { caller }, { query }) => listed(service, caller.account, query),
});

export const listAllEvents = operatorEndpoint({
  method: 'GET',
  path: '/admin/v1/events',
  id: 'listAllEvents',
  needs: 'history',
  summary: 'List what happened to all accounts and to the service, newest first',
  query: {
    ...pageParameters('The next_cursor of an earlier page with the same account and pin.'),
    pin,
    account: { description: 'Only the events of this account.', schema: accountFilter },
  },
  answers,
  handle: (service, _call, { query }) => listed(service, OPERATOR, query),
});

interface EventQuery {
  readonly cursor?: string;
  readonly limit?: number;
  readonly pin?: string;
  readonly account?: string;
}

async function listed({ history }: Service, by: Actor, { pin: id, ...query }: EventQuery): Promise<Outcome> {
  if (history === undefined) return refuseRequest('not_found');
  const page = await history.list({
    by,
    ...query,
    ...(id === undefined ? {} : { pin: parseRoleId(id) as RoleId }),
  });
  if (page.kind === 'refused') return page;
  return { status: 200, json: { events: page.events.map(eventOf), next_cursor: page.next ?? null } };
}
