import { parseIdempotencyKey, type Role } from '@pinfold/core';
import type { Answer } from '../answer.ts';
import { credentialsOf } from '../credentials.ts';
import { pinOf } from '../pin.ts';
import { refuseRequest } from '../problem.ts';
import { readListQuery } from '../query.ts';
import { tell } from '../tell.ts';
import type { Handle, Service } from './handler.ts';

const DEFAULT_LIMIT = 20;

/** `GET /api/v1/pins`: the account's roles, newest first, or the one that an Idempotency-Key published. */
export const list: Handle = async (service, { exchange, caller }) => {
  const read = readListQuery(exchange.request);
  if (read.kind === 'refused') return read;
  const { useCases } = service;
  if ('idempotency_key' in read.query) {
    const key = parseIdempotencyKey(
      read.query.idempotency_key,
      useCases.limits,
      credentialsOf(exchange.request),
    );
    if (typeof key !== 'string') return refuseRequest('invalid_request', tell(key));
    const role = await useCases.read.findByKey(caller.account, key);
    return page(service, role === undefined ? [] : [role], undefined);
  }
  const { limit, ...filter } = read.query;
  const listed = await useCases.read.list({
    by: caller.account,
    limit: limit === undefined ? DEFAULT_LIMIT : Number(limit),
    ...filter,
  });
  if (listed.kind === 'refused') return listed;
  return page(service, listed.roles, listed.next);
};

function page({ useCases, publicUrl }: Service, roles: readonly Role[], next: string | undefined): Answer {
  const now = useCases.clock.now();
  const pins = roles.map((role) => pinOf(role, publicUrl, now));
  return { status: 200, json: { pins, next_cursor: next ?? null } };
}
