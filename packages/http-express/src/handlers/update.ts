import { type Limits, parsePassword, parseRoleId, parseTitle, type Update } from '@pinfold/core';
import { type JsonBody, readJson } from '../json-body.ts';
import { hasMediaType } from '../media-type.ts';
import { pinOf } from '../pin.ts';
import { type AnyRefusal, refuseRequest } from '../problem.ts';
import { readNoQuery } from '../query.ts';
import { checkOf } from '../schema-check.ts';
import { refusedBy } from '../state-refusal.ts';
import type { Handle } from './handler.ts';

type UpdateBody =
  | { readonly title: unknown }
  | { readonly password: unknown }
  | { readonly reset_expiration: true };

/** One known member; what a title or a password may be, the core says, since each has a code of its own. */
const isUpdate = checkOf<UpdateBody>({
  type: 'object',
  minProperties: 1,
  maxProperties: 1,
  additionalProperties: false,
  properties: { title: true, password: true, reset_expiration: { const: true } },
});

/** `PATCH /api/v1/pins/{id}`: changes exactly one attribute. */
export const update: Handle = async (service, { exchange, caller }, path) => {
  const { useCases, publicUrl } = service;
  const query = readNoQuery(exchange.request);
  if (query.kind === 'refused') return query;
  if (!hasMediaType(exchange.request, 'application/json')) return refuseRequest('unsupported_media_type');
  const body = await readJson(exchange.request, { clock: useCases.clock, ...service.bodyTimeouts });
  const wanted = readUpdate(body, useCases.limits);
  if ('kind' in wanted) return wanted;
  const id = parseRoleId(path);
  if (id === undefined) return refuseRequest('not_found');
  exchange.role = id;
  const request = { by: caller.account, id, signal: exchange.signal };
  const outcome = await useCases.update.update(request, wanted);
  if (outcome.kind === 'refused') {
    return refusedBy(outcome, wanted.type === 'reset_expiration' ? 'reset_expiration' : 'change');
  }
  return { status: 200, json: { pin: pinOf(outcome.role, publicUrl, useCases.clock.now()) } };
};

function readUpdate({ value, members }: JsonBody, limits: Limits): Update | AnyRefusal {
  if (!isUpdate(value) || members !== 1) return refuseRequest('invalid_update');
  if ('reset_expiration' in value) return { type: 'reset_expiration' };
  if ('title' in value) {
    const title = parseTitle(value.title, limits);
    return title !== null && typeof title === 'object' ? title : { type: 'set_title', title };
  }
  const password = parsePassword(value.password, limits);
  return password !== null && typeof password === 'object' ? password : { type: 'set_password', password };
}
