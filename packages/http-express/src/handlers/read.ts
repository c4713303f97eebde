import { parseRoleId } from '@pinfold/core';
import { pinOf } from '../pin.ts';
import { refuseRequest } from '../problem.ts';
import { readNoQuery } from '../query.ts';
import type { Handle } from './handler.ts';

/** `GET /api/v1/pins/{id}`: a role of the account, in any state. */
export const read: Handle = async ({ useCases, publicUrl }, { exchange, caller }, path) => {
  const query = readNoQuery(exchange.request);
  if (query.kind === 'refused') return query;
  const id = parseRoleId(path);
  if (id === undefined) return refuseRequest('not_found');
  exchange.role = id;
  const found = await useCases.read.read(caller.account, id, exchange.signal);
  if (found.kind === 'refused') return found;
  return { status: 200, json: { pin: pinOf(found.role, publicUrl, useCases.clock.now()) } };
};
