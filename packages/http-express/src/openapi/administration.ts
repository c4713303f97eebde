import type { PublicUrl } from '@pinfold/http';
import type { WireAccount } from '../administration/account-json.ts';
import { accountUpdateSchema } from '../administration/accounts.ts';
import { accountParameters, adminEventParameters } from '../reading/query.ts';
import { answer, CHANGING, EVERYWHERE, operation, WITH_BODY } from './administered.ts';
import { publicationPaths, publicationSchemas } from './administered-pins.ts';
import { servicePaths, serviceSchemas } from './administered-service.ts';
import { exampleEvent } from './examples.ts';
import { count, instant, type JsonObject, nextCursor, object, schemaRef } from './json-schema.ts';
import { documented } from './parameters.ts';
import { problems } from './responses.ts';

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
    '/admin/v1/accounts': { get: listOperation() },
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
      get: readOperation(),
      patch: changeOperation(),
    },
    ...publicationPaths(publicUrl),
    '/admin/v1/events': { get: eventsOperation() },
    ...servicePaths(),
  };
}

const listOperation = (): JsonObject =>
  operation({
    operationId: 'listAccounts',
    summary: 'List all accounts with what they use, by name',
    parameters: documented(accountParameters),
    responses: {
      200: answer('A page.', 'AccountList', { page: { accounts: [exampleAccount], next_cursor: null } }),
      ...problems(EVERYWHERE, []),
    },
  });

const readOperation = (): JsonObject =>
  operation({
    operationId: 'readAccount',
    summary: 'Read an account',
    responses: {
      200: answer('The account.', 'AccountAnswer', { account: { account: exampleAccount } }),
      ...problems(EVERYWHERE, []),
    },
  });

const changeOperation = (): JsonObject =>
  operation({
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
      ...problems([...CHANGING, ...WITH_BODY], []),
    },
  });

const eventsOperation = (): JsonObject =>
  operation({
    operationId: 'listAllEvents',
    summary: 'List what happened to all accounts and to the service, newest first',
    parameters: documented(adminEventParameters),
    responses: {
      200: answer('A page.', 'EventList', { page: { events: [exampleEvent], next_cursor: null } }),
      ...problems(EVERYWHERE, []),
    },
  });

/** The schemas of these operations. */
export const administrationSchemas = (): JsonObject => ({
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
  ...publicationSchemas(),
  ...serviceSchemas(),
});
