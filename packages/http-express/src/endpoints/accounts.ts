import type { AccountLimits } from '@pinfold/core';
import type { NewBlock } from '@pinfold/core/administration';
import { isAccountLimit } from '@pinfold/core/internal';
import { operatorEndpoint } from '../endpoint.ts';
import { refuseRequest } from '../problems/problem.ts';
import { pageParameters } from '../reading/query.ts';
import { emptyBody, jsonBody } from '../reading/request-body.ts';
import * as T from '../schema.ts';
import {
  accountAnswer,
  accountLimits,
  accountOf,
  accountSchema,
  exampleAccount,
  SITES,
} from '../wire/account.ts';
import { oneAnswer, operatorText, pageAnswer, pageOf } from '../wire/members.ts';
import { accountName } from './path-parameters.ts';

const erasingExample = {
  ...exampleAccount,
  blocked: { reason: 'The account is being erased.', sites: 'hide', at: '2026-11-20T09:30:00.000Z' },
  erasing: true,
};

export const listAccounts = operatorEndpoint({
  method: 'GET',
  path: '/admin/v1/accounts',
  id: 'listAccounts',
  summary: 'List all accounts with what they use, by name',
  query: pageParameters('The next_cursor of an earlier page.'),
  answers: () =>
    pageAnswer('AccountList', 'accounts', [accountSchema, exampleAccount], {
      nextBy: 'this as cursor',
      order: 'By name.',
    }),
  handle: async (_service, { administration }, { query }) =>
    pageOf('accounts', await administration.listAccounts(query), ({ accounts }) => accounts.map(accountOf)),
});

export const readAccount = operatorEndpoint({
  method: 'GET',
  path: '/admin/v1/accounts/{name}',
  id: 'readAccount',
  summary: 'Read an account',
  parameter: accountName,
  answers: () => oneAnswer('The account.', 'account', accountAnswer, exampleAccount),
  handle: async (_service, { administration }, { pathValue: name }) => {
    const found = await administration.showAccount(name);
    if (found === undefined) return refuseRequest('not_found');
    return { status: 200, json: { account: accountOf(found) } };
  },
});

const { requests, publications, sites, bytes } = accountLimits;

const updateSchema = T.closedObject(
  {
    limits: T.optional(
      T.closedObject(
        {
          requests: T.optional(requests),
          publications: T.optional(publications),
          sites: T.optional(sites),
          bytes: T.optional(bytes),
        },
        { minProperties: 1, description: 'Absent members keep their values.' },
      ),
    ),
    blocked: T.optional(
      T.either(
        T.constant(false),
        T.closedObject({
          reason: operatorText(),
          sites: T.oneOf(SITES, {
            description: 'Whether its sites stay online, or answer as stopped ones.',
          }),
        }),
        { description: 'False ends a block; an object blocks the account.' },
      ),
    ),
  },
  { minProperties: 1, maxProperties: 1 },
);

type AccountUpdate = { readonly limits: Partial<AccountLimits> } | { readonly blocked: false | NewBlock };

export const updateAccount = operatorEndpoint({
  method: 'PATCH',
  path: '/admin/v1/accounts/{name}',
  id: 'updateAccount',
  summary: 'Change the limits of an account, block or unblock it',
  description:
    'Creates an account that does not exist. A blocked account can read and revoke keys; everything else is 403 ' +
    '`account_blocked`.',
  parameter: accountName,
  body: jsonBody<T.ValueOf<typeof updateSchema>, AccountUpdate>({
    name: 'AccountUpdate',
    schema: updateSchema,
    examples: {
      limits: { limits: { publications: '100/1d', sites: 200, bytes: null } },
      block: { blocked: { reason: 'Phishing', sites: 'keep' } },
      unblock: { blocked: false },
    },
    expected: 'exactly one of "limits" and "blocked"',
    parse: ({ limits, blocked }) =>
      blocked !== undefined ? { blocked } : areLimits(limits) ? { limits } : undefined,
  }),
  codes: ['invalid_state'],
  answers: () => oneAnswer('The account as it is now.', 'account', accountAnswer, exampleAccount),
  handle: async (_service, { administration, cause }, { pathValue: name, body }) => {
    const changed = await ('limits' in body
      ? administration.limitAccount(name, body.limits, cause)
      : body.blocked === false
        ? administration.unblockAccount(name, cause)
        : administration.blockAccount(name, body.blocked, cause));
    if ('code' in changed) return changed;
    return { status: 200, json: { account: accountOf(changed) } };
  },
});

export const eraseAccount = operatorEndpoint({
  method: 'POST',
  path: '/admin/v1/accounts/{name}/erase',
  id: 'eraseAccount',
  summary: 'Erase an account',
  description:
    'Blocks the account, hides its sites and begins to erase it; sweeps of any node continue, also while the service is ' +
    'read-only. Repeating the request answers 202 until that has ended, then 404. Records that other accounts and ' +
    'takedowns need stay under an account `erased:…`, without the person. It cannot be undone.',
  parameter: accountName,
  body: emptyBody('Erasure'),
  codes: ['invalid_state'],
  answers: () => ({
    202: {
      description: 'The account, which is being erased.',
      schema: accountAnswer,
      examples: { erasing: { account: erasingExample } },
    },
  }),
  handle: async (_service, { administration, cause }, { pathValue: name }) => {
    const begun = await administration.eraseAccount(name, cause);
    if (begun.kind === 'refused') return begun;
    const found = await administration.showAccount(name);
    // Another process may have erased it meanwhile.
    if (found === undefined) return refuseRequest('not_found');
    return { status: 202, json: { account: accountOf(found) } };
  },
});

function areLimits(limits: object = {}): limits is Partial<AccountLimits> {
  return Object.entries(limits).every(([name, value]) => isAccountLimit(name, value));
}
