import { type Publication, parseIdempotencyKey } from '@pinfold/core';
import { ROLE_STATES } from '@pinfold/core/internal';
import { credentialsOf } from '../authentication.ts';
import { readingEndpoint } from '../endpoint.ts';
import { refuseRequest } from '../problems/problem.ts';
import { problemDetails } from '../problems/problem-details.ts';
import { DEFAULT_LIMIT, pageParameters } from '../reading/query.ts';
import { oneOf, string } from '../schema.ts';
import { pageAnswer, pageOf } from '../wire/members.ts';
import { examplePin, pinOf, pinSchema } from '../wire/pin.ts';

export const listPins = readingEndpoint({
  method: 'GET',
  path: '/api/v1/pins',
  id: 'listPins',
  summary: 'List the publications of the account, newest first',
  query: {
    ...pageParameters('The next_cursor of an earlier page of the account, with the same state.'),
    state: {
      description: 'Only pins in this state. Without it, all but deleted ones.',
      schema: oneOf(ROLE_STATES),
    },
    idempotency_key: {
      description: 'Only the pin that this key published, in any state. No other parameter may come with it.',
      schema: string(),
      alone: true,
    },
  },
  answers: ({ publicUrl }) =>
    pageAnswer('PinList', 'pins', [pinSchema, examplePin(publicUrl)], {
      asked: 'this as cursor and the same parameters',
    }),
  handle: async (
    { useCases, publicUrl },
    { request, caller },
    { query: { idempotency_key: sent, ...query } },
  ) => {
    const pinFor = (publication: Publication) => pinOf(publication, publicUrl);
    if (sent !== undefined) {
      const key = parseIdempotencyKey(sent, useCases.limits, credentialsOf(request));
      if (typeof key !== 'string') return refuseRequest('invalid_request', problemDetails(key));
      const found = await useCases.findByKey({ by: caller.account, key });
      return { status: 200, json: { pins: found === undefined ? [] : [pinFor(found)], next_cursor: null } };
    }
    const listed = await useCases.list({ by: caller.account, limit: DEFAULT_LIMIT, ...query });
    return pageOf('pins', listed, ({ publications }) => publications.map(pinFor));
  },
});
