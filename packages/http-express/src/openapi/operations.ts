import type { Limits } from '@pinfold/core';
import type { PublicUrl } from '@pinfold/http';
import { wireLimits } from '../handlers/limits.ts';
import { examplePin } from '../handlers/pin.ts';
import type { WireCode } from '../problems/problem-table.ts';
import { eventParameters, listParameters, pinParameters, publishParameters } from '../reading/query.ts';
import { exampleEvent, exampleLeft, exampleUnbounded, exampleViews, exampleWarnings } from './examples.ts';
import { type JsonObject, schemaRef } from './json-schema.ts';
import { documented, idParameter } from './parameters.ts';
import { problems, success } from './responses.ts';

/** Codes that every operation with a key may answer. */
const EVERYWHERE: readonly WireCode[] = [
  'invalid_request',
  'unauthorized',
  'forbidden',
  'rate_limited',
  'internal_error',
  'unavailable',
];

/** Codes of what changes something. */
const CHANGING: readonly WireCode[] = [...EVERYWHERE, 'account_blocked'];

/** What the API offers beside publications. */
export interface Offered {
  readonly history: boolean;
  readonly views: boolean;
}

/** Every path with its operations. */
export function paths(publicUrl: PublicUrl, limits: Limits, { history, views }: Offered): JsonObject {
  const pin = examplePin(publicUrl);
  return {
    '/api/v1/pins': { get: listOperation(pin), post: publishOperation(pin, limits) },
    '/api/v1/pins/{id}': {
      parameters: [idParameter],
      get: readOperation(pin, views),
      patch: updateOperation(pin),
      delete: stopOperation(),
    },
    '/api/v1/limits': { get: limitsOperation(limits) },
    ...(history ? { '/api/v1/events': { get: eventsOperation() } } : {}),
    '/openapi.json': { get: documentOperation() },
  };
}

function publishOperation(pin: JsonObject | object, limits: Limits): JsonObject {
  const publication = { pin, warnings: exampleWarnings };
  return {
    operationId: 'publishPin',
    summary: 'Publish a ZIP as a shared URL',
    description:
      'Send one Idempotency-Key for each logical publication, and the very same request with the same key to retry. ' +
      'The key is bound by success only: after any refusal it is free for a corrected request.',
    parameters: [idempotencyKeyParameter(limits), ...documented(publishParameters)],
    requestBody: {
      required: true,
      content: {
        'multipart/form-data': {
          schema: schemaRef('PublishForm'),
          encoding: { archive: { contentType: 'application/zip' } },
        },
      },
    },
    responses: {
      201: success(
        'Published.',
        { schema: schemaRef('Publication'), examples: { published: { value: publication } } },
        ['Location'],
      ),
      200: success(
        'The publication was complete before, and is told in its state now; or a dry run found nothing wrong.',
        {
          schema: { oneOf: [schemaRef('Publication'), schemaRef('DryRun')] },
          examples: {
            replayed: { value: publication },
            dry_run: { value: { archive: { file_count: 12, size: 348_160 }, warnings: exampleWarnings } },
          },
        },
        ['Idempotent-Replayed'],
      ),
      ...problems([
        ...CHANGING,
        'quota_exceeded',
        'idempotency_key_required',
        'invalid_idempotency_key',
        'request_timeout',
        'idempotency_mismatch',
        'idempotency_in_progress',
        'archive_too_large',
        'unsupported_media_type',
        'invalid_form',
        'invalid_title',
        'invalid_archive',
      ]),
    },
  };
}

function idempotencyKeyParameter({ idempotencyKeyCharacters }: Limits): JsonObject {
  return {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      `1 to ${idempotencyKeyCharacters} characters of printable ASCII without any secret, with or without double ` +
      'quotes around. Required unless dry_run is true.',
    schema: { type: 'string', minLength: 1 },
    example: '8e03978e-40d5-43e8-bc93-6894a57f9324',
  };
}

function listOperation(pin: object): JsonObject {
  return {
    operationId: 'listPins',
    summary: 'List the publications of the account, newest first',
    parameters: documented(listParameters),
    responses: {
      200: success('A page.', {
        schema: schemaRef('PinList'),
        examples: {
          page: { value: { pins: [pin], next_cursor: null } },
        },
      }),
      ...problems(EVERYWHERE),
    },
  };
}

function readOperation(pin: object, views: boolean): JsonObject {
  return {
    operationId: 'readPin',
    summary: 'Read a publication in any state',
    ...(views ? { parameters: documented(pinParameters) } : {}),
    responses: {
      200: views ? viewedPinAnswer(pin) : pinAnswer('The pin.', pin),
      ...problems([...EVERYWHERE, 'not_found']),
    },
  };
}

function viewedPinAnswer(pin: object): JsonObject {
  const views = exampleViews;
  return success('The pin, with its views where they were asked for.', {
    schema: schemaRef('ViewedPinAnswer'),
    examples: { pin: { value: { pin } }, with_views: { value: { pin, views } } },
  });
}

function updateOperation(pin: object): JsonObject {
  return {
    operationId: 'updatePin',
    summary: 'Change the title, the password or the expiration',
    description: 'Resetting the expiration and any change of the password cut off every viewer at once.',
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: schemaRef('Update'),
          examples: {
            title: { value: { title: 'Summer catalogue' } },
            password: { value: { password: 'correct horse battery' } },
            remove_password: { value: { password: null } },
            reset_expiration: { value: { reset_expiration: true } },
          },
        },
      },
    },
    responses: {
      200: pinAnswer('The pin as it is now.', pin),
      ...problems([
        ...CHANGING,
        'not_found',
        'request_timeout',
        'invalid_state',
        'unsupported_media_type',
        'invalid_update',
        'invalid_title',
        'invalid_password',
      ]),
    },
  };
}

const stopOperation = (): JsonObject => ({
  operationId: 'stopPin',
  summary: 'Stop a publication at once',
  responses: {
    204: success('Stopped.', undefined),
    ...problems([...CHANGING, 'not_found', 'invalid_state']),
  },
});

function limitsOperation(limits: Limits): JsonObject {
  return {
    operationId: 'readLimits',
    summary: 'Read the limits in force, and what is left of rates and quotas',
    responses: {
      200: success('The limits.', {
        schema: schemaRef('LimitsAnswer'),
        examples: {
          limits: { value: { limits: wireLimits(limits), ...exampleLeft } },
          unbounded: { value: { limits: wireLimits(limits), ...exampleUnbounded } },
        },
      }),
      ...problems(EVERYWHERE),
    },
  };
}

const eventsOperation = (): JsonObject => ({
  operationId: 'listEvents',
  summary: 'List what happened to the account and its publications, newest first',
  description:
    'What the operator did has the actor {"kind": "operator", "id": null}. An expiration is told within minutes, and ' +
    'stands at its instant: a walk that began before may miss it.',
  parameters: documented(eventParameters),
  responses: {
    200: success('A page.', {
      schema: schemaRef('EventList'),
      examples: {
        page: { value: { events: [exampleEvent], next_cursor: null } },
      },
    }),
    ...problems(EVERYWHERE),
  },
});

const documentOperation = (): JsonObject => ({
  operationId: 'readDocument',
  summary: 'Read this document',
  security: [],
  responses: {
    200: success(
      'This document.',
      { schema: { type: 'object', required: ['openapi', 'info', 'paths'] } },
      ['ETag'],
      [],
    ),
    304: success(
      'Unchanged since the answer with the ETag that If-None-Match names.',
      undefined,
      ['ETag'],
      [],
    ),
  },
});

function pinAnswer(description: string, pin: object): JsonObject {
  return success(description, { schema: schemaRef('PinAnswer'), examples: { pin: { value: { pin } } } });
}
