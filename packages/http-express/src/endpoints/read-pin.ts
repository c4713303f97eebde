import type { DayOfViews } from '@pinfold/core';
import { dayText } from '@pinfold/core/internal';
import { readingEndpoint } from '../endpoint.ts';
import * as T from '../schema.ts';
import { exampleOf, memberOf, schemasOf, wireOf } from '../wire/members.ts';
import { examplePin, pinAnswer, pinOf, pinSchema } from '../wire/pin.ts';
import { pinId } from './path-parameters.ts';

const of = memberOf<DayOfViews>();
const VIEWS = {
  day: of(T.string({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }), '2026-11-20', ({ day }) => dayText(day)),
  views: of(
    T.count('Pages of the site that people opened; files that belong to pages are not counted.'),
    18,
    ({ views }) => views,
  ),
  refused_passwords: of(T.count('Passwords that were wrong.'), 0, ({ refusedPasswords }) => refusedPasswords),
};

const viewedPinAnswer = T.named('ViewedPinAnswer', () =>
  T.object({
    pin: pinSchema,
    views: T.optional(
      T.array(T.object(schemasOf(VIEWS)), {
        description:
          'Only with `include=views`: the last 30 days in UTC, newest first, without days on which nothing was counted. ' +
          'Counts are up to 10 seconds old.',
      }),
    ),
  }),
);

export const readPin = readingEndpoint({
  method: 'GET',
  path: '/api/v1/pins/{id}',
  id: 'readPin',
  summary: 'Read a publication in any state',
  parameter: pinId,
  query: {
    include: {
      description: 'Adds how often it was viewed on each of the last 30 days.',
      schema: T.oneOf(['views']),
      needs: 'views',
    },
  },
  answers: ({ publicUrl, offered }) => {
    const pin = examplePin(publicUrl);
    const earlier = { day: '2026-11-18', views: 3, refused_passwords: 2 };
    return {
      200: offered.views
        ? {
            description: 'The pin, with its views where they were asked for.',
            schema: viewedPinAnswer,
            examples: { pin: { pin }, with_views: { pin, views: [exampleOf(VIEWS), earlier] } },
          }
        : { description: 'The pin.', schema: pinAnswer, examples: { pin: { pin } } },
    };
  },
  handle: async (service, { caller, signal }, { named: id, query: { include } }) => {
    const { useCases, views, publicUrl } = service;
    const found = await useCases.read({ by: caller.account, id, signal });
    if (found.kind === 'refused') return found;
    const pin = pinOf(found.publication, publicUrl);
    if (include === undefined || views === undefined) return { status: 200, json: { pin } };
    return { status: 200, json: { pin, views: (await views.of(id)).map((day) => wireOf(VIEWS, day)) } };
  },
});
