import type { PublicUrl } from '@pinfold/http';
import type { AdministeredPin, WireTakedown } from '../administration/pin-json.ts';
import { takedownSchema } from '../administration/pins.ts';
import { examplePin } from '../handlers/pin.ts';
import { adminPinParameters, takedownParameters } from '../reading/query.ts';
import { answer, CHANGING, EVERYWHERE, operation, WITH_BODY } from './administered.ts';
import { count, instant, type JsonObject, nextCursor, object, schemaRef } from './json-schema.ts';
import { documented, idParameter } from './parameters.ts';
import { problems, success } from './responses.ts';

const AT = '2026-11-21T08:15:00.000Z';
const SHA256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const COPY = '7d1e0b52-93c4-4f0a-8a65-2f4b9c0d1e3f';

/** The paths of the administration that are about publications. */
export function publicationPaths(publicUrl: PublicUrl): JsonObject {
  const pin: AdministeredPin = {
    ...examplePin(publicUrl),
    account: 'web-team',
    archive_bytes: 120_334,
    sha256: SHA256,
    taken_down: null,
  };
  return {
    '/admin/v1/pins': { get: listOperation(pin) },
    '/admin/v1/pins/{id}': { parameters: [idParameter], get: readOperation(pin) },
    '/admin/v1/pins/{id}/takedown': { parameters: [idParameter], post: takedownOperation(pin) },
    '/admin/v1/takedowns': { get: takedownsOperation(pin) },
    '/admin/v1/takedowns/{sha256}': {
      parameters: [
        {
          name: 'sha256',
          in: 'path',
          required: true,
          description: 'The SHA-256 of the ZIP, in hexadecimal digits of any letter case.',
          schema: { type: 'string' },
          example: SHA256,
        },
      ],
      delete: liftOperation(),
    },
  };
}

function listOperation(pin: AdministeredPin): JsonObject {
  return operation({
    operationId: 'listAllPins',
    summary: 'List publications of all accounts, newest first',
    parameters: documented(adminPinParameters),
    responses: {
      200: answer('A page.', 'AdministeredPinList', { page: { pins: [pin], next_cursor: null } }),
      ...problems(EVERYWHERE, []),
    },
  });
}

function readOperation(pin: AdministeredPin): JsonObject {
  return operation({
    operationId: 'readAnyPin',
    summary: 'Read a publication of any account in any state',
    responses: {
      200: answer('The pin.', 'AdministeredPinAnswer', { pin: { pin } }),
      ...problems(EVERYWHERE, []),
    },
  });
}

function takedownOperation(pin: AdministeredPin): JsonObject {
  const taken: AdministeredPin = {
    ...pin,
    state: 'deleted',
    deleted_at: AT,
    taken_down: { reason: 'Phishing', at: AT },
  };
  return operation({
    operationId: 'takeDownPin',
    summary: 'Stop a publication in any state, and forbid its archive to every account',
    description:
      'Viewers get nothing from the next request on, and bodies under way end within a MiB. Nobody can publish the same ' +
      'ZIP again: 422 `invalid_archive` with the rule `forbidden_content`. Again it changes nothing, but removes an archive ' +
      'that a `purge` was not asked for before.',
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: schemaRef('Takedown'),
          examples: { phishing: { value: { reason: 'Phishing', purge: true, copies: true } } },
        },
      },
    },
    responses: {
      200: answer('The pin, and others in service that had the same archive.', 'TakedownAnswer', {
        taken: { pin: taken, copies: [COPY] },
      }),
      ...problems([...CHANGING, ...WITH_BODY], []),
    },
  });
}

function takedownsOperation({ id, account, sha256 }: AdministeredPin): JsonObject {
  const kept: WireTakedown = { id, account, sha256, reason: 'Phishing', at: AT };
  return operation({
    operationId: 'listTakedowns',
    summary: 'List what was taken down and not lifted, newest first',
    parameters: documented(takedownParameters),
    responses: {
      200: answer('A page.', 'TakedownList', { page: { takedowns: [kept], next_cursor: null } }),
      ...problems(EVERYWHERE, []),
    },
  });
}

const liftOperation = (): JsonObject =>
  operation({
    operationId: 'liftTakedown',
    summary: 'Let an archive be published again; what was taken down stays stopped',
    responses: {
      204: success('It may be published again.', undefined, [], []),
      ...problems(CHANGING, []),
    },
  });

const reason: JsonObject = { type: 'string', minLength: 1, maxLength: 255 };
const sha256: JsonObject = { type: 'string', pattern: '^[0-9a-f]{64}$', description: 'Of the ZIP.' };
const id: JsonObject = { type: 'string', description: 'Of the publication.' };

/** The schemas of these operations. */
export const publicationSchemas = (): JsonObject => ({
  AdministeredPin: {
    allOf: [
      schemaRef('Pin'),
      object({
        account: { type: 'string' },
        archive_bytes: count('Bytes of the ZIP.'),
        sha256,
        taken_down: {
          oneOf: [object({ reason, at: instant() }), { type: 'null' }],
          description: 'Why and when it was taken down, if it was.',
        },
      }),
    ],
  },
  AdministeredPinAnswer: object({ pin: schemaRef('AdministeredPin') }),
  AdministeredPinList: object({
    pins: { type: 'array', items: schemaRef('AdministeredPin'), maxItems: 100, description: 'Newest first.' },
    next_cursor: nextCursor('the same account, state and search, and this as cursor'),
  }),
  Takedown: takedownSchema,
  TakedownAnswer: object({
    pin: schemaRef('AdministeredPin'),
    copies: {
      type: 'array',
      items: id,
      description: 'Others that were in service with the same archive; taken down too where that was asked.',
    },
  }),
  TakedownList: object({
    takedowns: {
      type: 'array',
      items: object({ id, account: { type: 'string' }, sha256, reason, at: instant() }),
      maxItems: 100,
      description: 'Newest first.',
    },
    next_cursor: nextCursor('this as cursor'),
  }),
});
