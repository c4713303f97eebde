import {
  type DayOfViews,
  days,
  defaultLimits,
  type Limits,
  type Publication,
  parseIdempotencyKey,
  parsePassword,
  parseTitle,
  type Update,
} from '@pinfold/core';
import { dayText, ROLE_STATES } from '@pinfold/core/internal';
import { credentialsOf } from '../authentication.ts';
import { readingEndpoint, writingEndpoint } from '../endpoint.ts';
import { type AnyRefusal, refuseRequest } from '../problems/problem.ts';
import { problemDetails, refusedBy } from '../problems/problem-details.ts';
import { DEFAULT_LIMIT, pageParameters } from '../reading/query.ts';
import { jsonBody } from '../reading/request-body.ts';
import * as T from '../schema.ts';
import { exampleOf, memberOf, oneAnswer, pageAnswer, pageOf, schemasOf, wireOf } from '../wire/members.ts';
import { examplePin, pinAnswer, pinOf, pinSchema } from '../wire/pin.ts';
import { pinId } from './path-parameters.ts';

export const listPins = readingEndpoint({
  method: 'GET',
  path: '/api/v1/pins',
  id: 'listPins',
  summary: 'List the publications of the account, newest first',
  query: {
    ...pageParameters('The next_cursor of an earlier page of the account, with the same state.'),
    state: {
      description: 'Only pins in this state. Without it, all but deleted ones.',
      schema: T.oneOf(ROLE_STATES),
    },
    idempotency_key: {
      description: 'Only the pin that this key published, in any state. No other parameter may come with it.',
      schema: T.string(),
      alone: true,
    },
  },
  answers: ({ publicUrl }) =>
    pageAnswer('PinList', 'pins', [pinSchema, examplePin(publicUrl)], {
      nextBy: 'this as cursor and the same parameters',
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
    if (!offered.views) return oneAnswer('The pin.', 'pin', pinAnswer, pin);
    const earlier = { day: '2026-11-18', views: 3, refused_passwords: 2 };
    return {
      200: {
        description: 'The pin, with its views if you requested them.',
        schema: viewedPinAnswer,
        examples: { pin: { pin }, with_views: { pin, views: [exampleOf(VIEWS), earlier] } },
      },
    };
  },
  handle: async (service, { caller, signal }, { pathValue: id, query: { include } }) => {
    const { useCases, views, publicUrl } = service;
    const found = await useCases.read({ by: caller.account, id, signal });
    if (found.kind === 'refused') return found;
    const pin = pinOf(found.publication, publicUrl);
    if (include === undefined || views === undefined) return { status: 200, json: { pin } };
    return { status: 200, json: { pin, views: (await views.of(id)).map((day) => wireOf(VIEWS, day)) } };
  },
});

type SentUpdate = T.ValueOf<ReturnType<typeof updateSchema>>;

function updateSchema({ titleCharacters, passwordMinCharacters, passwordMaxBytes, renewal }: Limits) {
  const text = T.nullable(T.string());
  return T.closedObject(
    {
      title: T.optional<string | null>({
        ...text,
        maxLength: titleCharacters,
        description: 'Sets the title; an empty string or null clears it.',
      }),
      reset_expiration: T.optional(
        T.constant(true, {
          description: `Lets a published, unpinned publication expire exactly ${renewal / days(1)} days from now.`,
        }),
      ),
      password: T.optional<string | null>({
        ...text,
        description:
          `At least ${passwordMinCharacters} characters and at most ${passwordMaxBytes} bytes in UTF-8; ` +
          'an empty string or null removes the protection.',
      }),
    },
    { minProperties: 1, maxProperties: 1 },
  );
}

/** Without titles and passwords: the core checks them, with a refusal code for each. */
const { properties, ...shape } = updateSchema(defaultLimits);

const updateBody = jsonBody<SentUpdate, Update>({
  name: 'Update',
  describe: updateSchema,
  schema: { ...shape, properties: { ...(properties as T.JsonObject), title: true, password: true } },
  examples: {
    title: { title: 'Summer catalogue' },
    password: { password: 'correct horse battery' },
    remove_password: { password: null },
    reset_expiration: { reset_expiration: true },
  },
  expected: 'exactly one of "title", "password" and "reset_expiration", which can only be true',
  parse: parseUpdate,
});

export const updatePin = writingEndpoint({
  method: 'PATCH',
  path: '/api/v1/pins/{id}',
  id: 'updatePin',
  summary: 'Change the title, the password or the expiration',
  description: 'Resetting the expiration and any change of the password cut off every viewer at once.',
  parameter: pinId,
  body: updateBody,
  codes: ['invalid_state', 'invalid_title', 'invalid_password'],
  answers: ({ publicUrl }) => oneAnswer('The pin as it is now.', 'pin', pinAnswer, examplePin(publicUrl)),
  handle: async ({ useCases, publicUrl }, call, { pathValue: id, body: update }) => {
    const { caller, cause, credential, signal } = call;
    const outcome = await useCases.update({ by: caller.account, id, cause, credential, signal }, update);
    if (outcome.kind === 'refused') {
      return refusedBy(outcome, update.type === 'reset_expiration' ? 'reset_expiration' : 'change');
    }
    return { status: 200, json: { pin: pinOf(outcome.publication, publicUrl) } };
  },
});

/** Refuses an invalid value before the role is read. Returns values as sent, since limits apply to them. */
function parseUpdate(sent: SentUpdate, limits: Limits): Update | AnyRefusal {
  if (sent.title !== undefined) {
    const title = parseTitle(sent.title, limits);
    return title !== null && typeof title === 'object' ? title : { type: 'set_title', title: sent.title };
  }
  if (sent.password === undefined) return { type: 'reset_expiration' };
  const password = parsePassword(sent.password, limits);
  return password !== null && typeof password === 'object'
    ? password
    : { type: 'set_password', password: sent.password };
}

export const stopPin = writingEndpoint({
  method: 'DELETE',
  path: '/api/v1/pins/{id}',
  id: 'stopPin',
  summary: 'Stop a publication at once',
  parameter: pinId,
  codes: ['invalid_state'],
  answers: () => ({ 204: { description: 'Stopped.' } }),
  handle: async ({ useCases }, { caller, cause, credential, signal }, { pathValue: id }) => {
    const outcome = await useCases.stop({ by: caller.account, id, cause, credential, signal });
    return outcome.kind === 'refused' ? refusedBy(outcome, 'stop') : { status: 204 };
  },
});
