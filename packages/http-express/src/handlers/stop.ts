import { parseRoleId } from '@pinfold/core';
import { refuseRequest } from '../problem.ts';
import { readNoQuery } from '../query.ts';
import { refusedBy } from '../state-refusal.ts';
import type { Handle } from './handler.ts';

/** `DELETE /api/v1/pins/{id}`: stops a publication at once. */
export const stop: Handle = async ({ useCases }, { exchange, caller }, path) => {
  const query = readNoQuery(exchange.request);
  if (query.kind === 'refused') return query;
  const id = parseRoleId(path);
  if (id === undefined) return refuseRequest('not_found');
  exchange.role = id;
  const outcome = await useCases.stop.stop({ by: caller.account, id, signal: exchange.signal });
  return outcome.kind === 'refused' ? refusedBy(outcome, 'stop') : { status: 204 };
};
