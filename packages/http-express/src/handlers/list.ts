import { type Publication, parseIdempotencyKey } from '@pinfold/core';
import { credentialsOf } from '../authentication.ts';
import { refuseRequest } from '../problems/problem.ts';
import { tell } from '../problems/tell.ts';
import { DEFAULT_LIMIT, type KeyQuery, type ListQuery } from '../reading/query.ts';
import type { Call, Outcome, Service } from '../service.ts';
import { pinOf } from './pin.ts';

/** `GET /api/v1/pins`: the account's publications, newest first, or the one that an Idempotency-Key published. */
export async function list(
  service: Service,
  { request, caller }: Call,
  query: ListQuery | KeyQuery,
): Promise<Outcome> {
  const { useCases } = service;
  if ('idempotency_key' in query) {
    const key = parseIdempotencyKey(query.idempotency_key, useCases.limits, credentialsOf(request));
    if (typeof key !== 'string') return refuseRequest('invalid_request', tell(key));
    const found = await useCases.findByKey({ by: caller.account, key });
    return page(service, found === undefined ? [] : [found], undefined);
  }
  const listed = await useCases.list({ by: caller.account, limit: DEFAULT_LIMIT, ...query });
  if (listed.kind === 'refused') return listed;
  return page(service, listed.publications, listed.next);
}

function page({ publicUrl }: Service, found: readonly Publication[], next: string | undefined): Outcome {
  const pins = found.map((publication) => pinOf(publication, publicUrl));
  return { status: 200, json: { pins, next_cursor: next ?? null } };
}
