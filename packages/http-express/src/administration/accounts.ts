import { type AccountId, type AccountLimits, accountId } from '@pinfold/core';
import { type BlockWish, isAccountLimit } from '@pinfold/core/administration';
import type { JsonObject } from '../openapi/json-schema.ts';
import { type AnyRefusal, refuseRequest } from '../problems/problem.ts';
import type { AccountQuery } from '../reading/query.ts';
import { checkOf } from '../reading/schema-check.ts';
import type { Outcome, Service } from '../service.ts';
import { accountOf } from './account-json.ts';
import { readBody, reasonSchema } from './body.ts';
import type { AdminCall } from './routes.ts';

type AccountUpdate = { readonly limits: Partial<AccountLimits> } | { readonly blocked: false | BlockWish };

const rate: JsonObject = {
  type: ['string', 'null'],
  description: 'Such as `600/1h`; `off` for none; null for what holds for all.',
};

const quota: JsonObject = {
  oneOf: [
    { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    { const: 'off' },
    { type: 'null' },
  ],
  description: 'A whole number; `off` for none; null for what holds for all.',
};

/** What the body of a change of an account may be. */
export const accountUpdateSchema: JsonObject = {
  type: 'object',
  minProperties: 1,
  maxProperties: 1,
  additionalProperties: false,
  properties: {
    limits: {
      type: 'object',
      minProperties: 1,
      additionalProperties: false,
      properties: { requests: rate, publications: rate, sites: quota, bytes: quota },
      description: 'Those that are not there stay as they are.',
    },
    blocked: {
      oneOf: [
        { const: false },
        {
          type: 'object',
          required: ['reason', 'sites'],
          additionalProperties: false,
          properties: {
            reason: reasonSchema,
            sites: {
              enum: ['keep', 'hide'],
              description: 'Whether its sites go on being shown, or answer as stopped ones.',
            },
          },
        },
      ],
      description: 'Ends a block, or blocks.',
    },
  },
};

const checkUpdate = checkOf<AccountUpdate>(accountUpdateSchema);

const WRONG = refuseRequest('invalid_update', {
  detail: 'Send an object with exactly one of "limits" and "blocked", as /openapi.json describes it.',
});

/** `GET /admin/v1/accounts`: all accounts, by name. */
export async function listAccounts(
  _service: Service,
  { administration }: AdminCall,
  query: AccountQuery,
): Promise<Outcome> {
  const listed = await administration.listAccounts(query);
  if (listed.kind === 'refused') return listed;
  return {
    status: 200,
    json: { accounts: listed.accounts.map(accountOf), next_cursor: listed.next ?? null },
  };
}

/** `GET /admin/v1/accounts/{name}` */
export async function showAccount(
  _service: Service,
  { administration }: AdminCall,
  name: AccountId,
): Promise<Outcome> {
  const found = await administration.showAccount(name);
  if (found === undefined) return refuseRequest('not_found');
  return { status: 200, json: { account: accountOf(found) } };
}

/** `PATCH /admin/v1/accounts/{name}`: changes limits, or blocks and unblocks; a new name is made known. */
export async function changeAccount(service: Service, call: AdminCall, segment: string): Promise<Outcome> {
  const { cause, administration } = call;
  const read = await readAccountUpdate(service, call);
  if ('kind' in read) return read;
  const name = accountNameOf(segment);
  if (name === undefined) return refuseRequest('not_found');
  const changed = await ('limits' in read
    ? administration.limitAccount(name, read.limits, cause)
    : read.blocked === false
      ? administration.unblockAccount(name, cause)
      : administration.blockAccount(name, read.blocked, cause));
  return { status: 200, json: { account: accountOf(changed) } };
}

/** Percent-encoded once; `undefined` when it is no account's name. */
export function accountNameOf(segment: string): AccountId | undefined {
  try {
    const name = decodeURIComponent(segment);
    // As the last segment of a path, clients take these away.
    return name === '.' || name === '..' ? undefined : accountId(name);
  } catch (error) {
    if (error instanceof URIError || error instanceof TypeError) return undefined;
    throw error;
  }
}

async function readAccountUpdate(service: Service, call: AdminCall): Promise<AccountUpdate | AnyRefusal> {
  const read = await readBody(service, call, checkUpdate, WRONG);
  return 'limits' in read && !areLimits(read.limits) ? WRONG : read;
}

function areLimits(limits: Partial<AccountLimits>): boolean {
  return Object.entries(limits).every(([name, value]) => isAccountLimit(name, value));
}
