import type { PublicUrl } from '@pinfold/http';
import type { WireAccount } from '../administration/account-json.ts';
import { accountUpdateSchema } from '../administration/accounts.ts';
import { serviceUpdateSchema, type WireService } from '../administration/service.ts';
import { examplePin } from '../handlers/pin.ts';
import type { WireCode } from '../problems/problem-table.ts';
import { accountParameters, adminEventParameters } from '../reading/query.ts';
import { exampleEvent } from './examples.ts';
import { count, instant, type JsonObject, nextCursor, object, schemaRef } from './json-schema.ts';
import { documented, idParameter } from './parameters.ts';
import { problems, success } from './responses.ts';

/** Codes that every operation here may answer: without the scope, all is 404. */
const EVERYWHERE: readonly WireCode[] = [
  'invalid_request',
  'unauthorized',
  'not_found',
  'internal_error',
  'unavailable',
];

/** The tag of these operations. */
export const administrationTag: JsonObject = {
  name: 'administration',
  description:
    'For keys of the scope `admin`, which the command alone makes. To any other key nothing is here: 404, whatever the ' +
    'path and method. No rate is taken from.',
};

const exampleAccount: WireAccount = {
  name: 'web-team',
  blocked: { reason: 'Phishing', sites: 'keep', at: '2026-11-20T09:30:00.000Z' },
  limits: { requests: null, publications: '100/1d', sites: 200, bytes: 'off' },
  used: { sites: 12, bytes: 34_603_008, publications_24h: 3 },
  last_published_at: '2026-11-20T09:00:00.000Z',
};

const rateSet: JsonObject = { type: ['string', 'null'], description: 'Null: what holds for all does.' };

const quotaSet: JsonObject = {
  oneOf: [{ type: 'integer', minimum: 0 }, { const: 'off' }, { type: 'null' }],
  description: 'Null: what holds for all does.',
};

/** Every path of the administration with its operations. */
export function administrationPaths(publicUrl: PublicUrl): JsonObject {
  return {
    '/admin/v1/accounts': { get: listOperation },
    '/admin/v1/accounts/{name}': {
      parameters: [
        {
          name: 'name',
          in: 'path',
          required: true,
          description: 'The account, percent-encoded once.',
          schema: { type: 'string' },
          example: 'web-team',
        },
      ],
      get: readOperation,
      patch: changeOperation,
    },
    '/admin/v1/pins/{id}': {
      parameters: [idParameter],
      get: pinOperation(publicUrl),
    },
    '/admin/v1/events': { get: eventsOperation },
    '/admin/v1/service': { get: serviceOperation, patch: changeServiceOperation },
  };
}

const listOperation: JsonObject = operation({
  operationId: 'listAccounts',
  summary: 'List all accounts with what they use, by name',
  parameters: documented(accountParameters),
  responses: {
    200: answer('A page.', 'AccountList', { page: { accounts: [exampleAccount], next_cursor: null } }),
    ...problems(EVERYWHERE, false, []),
  },
});

const readOperation: JsonObject = operation({
  operationId: 'readAccount',
  summary: 'Read an account',
  responses: {
    200: answer('The account.', 'AccountAnswer', { account: { account: exampleAccount } }),
    ...problems(EVERYWHERE, false, []),
  },
});

const changeOperation: JsonObject = operation({
  operationId: 'updateAccount',
  summary: 'Change the limits of an account, block or unblock it',
  description:
    'A name that is not known yet is made known. A blocked account reads and revokes keys; all else is 403 ' +
    '`account_blocked`.',
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: schemaRef('AccountUpdate'),
        examples: {
          limits: { value: { limits: { publications: '100/1d', sites: 200, bytes: null } } },
          block: { value: { blocked: { reason: 'Phishing', sites: 'keep' } } },
          unblock: { value: { blocked: false } },
        },
      },
    },
  },
  responses: {
    200: answer('The account as it is now.', 'AccountAnswer', { account: { account: exampleAccount } }),
    ...problems([...EVERYWHERE, 'request_timeout', 'unsupported_media_type', 'invalid_update'], false, []),
  },
});

function pinOperation(publicUrl: PublicUrl): JsonObject {
  const pin = {
    ...examplePin(publicUrl),
    account: 'web-team',
    archive_bytes: 120_334,
    sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    taken_down: null,
  };
  return operation({
    operationId: 'readAnyPin',
    summary: 'Read a publication of any account in any state',
    responses: {
      200: answer('The pin.', 'AdministeredPinAnswer', { pin: { pin } }),
      ...problems(EVERYWHERE, false, []),
    },
  });
}

const eventsOperation: JsonObject = operation({
  operationId: 'listAllEvents',
  summary: 'List what happened to all accounts and to the service, newest first',
  parameters: documented(adminEventParameters),
  responses: {
    200: answer('A page.', 'EventList', { page: { events: [exampleEvent], next_cursor: null } }),
    ...problems(EVERYWHERE, false, []),
  },
});

const exampleService: WireService = {
  mode: 'read_only',
  message: 'Back at noon, when the database has moved.',
};

const serviceOperation: JsonObject = operation({
  operationId: 'readService',
  summary: 'Read how the service runs',
  responses: {
    200: answer('How it runs.', 'ServiceAnswer', { service: { service: exampleService } }),
    ...problems(EVERYWHERE, false, []),
  },
});

const changeServiceOperation: JsonObject = operation({
  operationId: 'updateService',
  summary: 'Make the service read-only, or normal again',
  description:
    'While it is read-only, what accounts would change is 503 `unavailable` with `Retry-After: 60` and the message as ' +
    '`detail`. Views, passwords, sign-in, keys that are used or revoked, and what stands here go on. The answer comes when ' +
    'no change that began before can be stored any more. In the normal mode the message is null.',
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: schemaRef('ServiceUpdate'),
        examples: {
          read_only: { value: exampleService },
          normal: { value: { mode: 'normal' } },
        },
      },
    },
  },
  responses: {
    200: answer('How it runs now.', 'ServiceAnswer', { service: { service: exampleService } }),
    ...problems([...EVERYWHERE, 'request_timeout', 'unsupported_media_type', 'invalid_update'], false, []),
  },
});

/** The schemas of these operations. */
export const administrationSchemas: JsonObject = {
  Account: object({
    name: { type: 'string', minLength: 1, maxLength: 255 },
    blocked: {
      oneOf: [
        object({ reason: { type: 'string' }, sites: { enum: ['keep', 'hide'] }, at: instant() }),
        { type: 'null' },
      ],
    },
    limits: object({
      requests: rateSet,
      publications: rateSet,
      sites: quotaSet,
      bytes: quotaSet,
    }),
    used: object({
      sites: count('Publications in service.'),
      bytes: count('Bytes of their archives.'),
      publications_24h: count('Publications of the last 24 hours, in service or not.'),
    }),
    last_published_at: { ...instant(), type: ['string', 'null'] },
  }),
  AccountAnswer: object({ account: schemaRef('Account') }),
  AccountList: object({
    accounts: { type: 'array', items: schemaRef('Account'), maxItems: 100, description: 'By name.' },
    next_cursor: nextCursor('this as cursor'),
  }),
  AccountUpdate: accountUpdateSchema,
  ServiceAnswer: object({
    service: object({
      mode: { enum: ['normal', 'read_only'] },
      message: { type: ['string', 'null'], maxLength: 255 },
    }),
  }),
  ServiceUpdate: serviceUpdateSchema,
  AdministeredPinAnswer: object({
    pin: {
      allOf: [
        schemaRef('Pin'),
        object({
          account: { type: 'string' },
          archive_bytes: count('Bytes of the ZIP.'),
          sha256: { type: 'string', pattern: '^[0-9a-f]{64}$', description: 'Of the ZIP.' },
          taken_down: {
            oneOf: [object({ reason: { type: 'string' }, at: instant() }), { type: 'null' }],
          },
        }),
      ],
    },
  }),
};

function operation(told: JsonObject): JsonObject {
  return { tags: [administrationTag.name], ...told };
}

function answer(description: string, schema: string, examples: Readonly<Record<string, object>>): JsonObject {
  const values = Object.entries(examples).map(([name, value]) => [name, { value }]);
  return success(description, { schema: schemaRef(schema), examples: Object.fromEntries(values) }, [], []);
}
