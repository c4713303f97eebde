import { parseIdempotencyKey, type Role } from '@pinfold/core';
import { credentialsOf } from '../authentication.ts';
import { refuseRequest } from '../problems/problem.ts';
import { tell } from '../problems/tell.ts';
import { DEFAULT_LIMIT, type KeyQuery, type ListQuery } from '../reading/query.ts';
import type { Call, Outcome, Service } from '../service.ts';
import { pinOf } from './pin.ts';

/** `GET /api/v1/pins`: the account's roles, newest first, or the one that an Idempotency-Key published. */
export async function list(
  service: Service,
  { request, caller }: Call,
  query: ListQuery | KeyQuery,
): Promise<Outcome> {
  const { useCases } = service;
  if ('idempotency_key' in query) {
    const key = parseIdempotencyKey(query.idempotency_key, useCases.limits, credentialsOf(request));
    if (typeof key !== 'string') return refuseRequest('invalid_request', tell(key));
    const role = await useCases.findByKey({ by: caller.account, key });
    return page(service, role === undefined ? [] : [role], undefined);
  }
  const listed = await useCases.list({ by: caller.account, limit: DEFAULT_LIMIT, ...query });
  if (listed.kind === 'refused') return listed;
  return page(service, listed.roles, listed.next);
}

function page({ useCases, publicUrl }: Service, roles: readonly Role[], next: string | undefined): Outcome {
  const now = useCases.clock.now();
  const pins = roles.map((role) => pinOf(role, publicUrl, now));
  return { status: 200, json: { pins, next_cursor: next ?? null } };
}
