import { days, defaultLimits, type Limits, parsePassword, parseTitle, type Update } from '@pinfold/core';
import { writingEndpoint } from '../endpoint.ts';
import type { AnyRefusal } from '../problems/problem.ts';
import { refusedBy } from '../problems/state-refusal.ts';
import { jsonBody } from '../reading/request-body.ts';
import * as T from '../schema.ts';
import { examplePin, pinAnswer, pinOf } from '../wire/pin.ts';
import { pinId } from './path-parameters.ts';

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

/** The core checks titles and passwords, since each has a code of its own. */
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
  answers: ({ publicUrl }) => ({
    200: {
      description: 'The pin as it is now.',
      schema: pinAnswer,
      examples: { pin: { pin: examplePin(publicUrl) } },
    },
  }),
  handle: async ({ useCases, publicUrl }, call, { named: id, body: update }) => {
    const { caller, cause, credential, signal } = call;
    const outcome = await useCases.update({ by: caller.account, id, cause, credential, signal }, update);
    if (outcome.kind === 'refused') {
      return refusedBy(outcome, update.type === 'reset_expiration' ? 'reset_expiration' : 'change');
    }
    return { status: 200, json: { pin: pinOf(outcome.publication, publicUrl) } };
  },
});

/** Refuses a wrong value before the role is looked for. Passes values on as sent, since limits count them so. */
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
