import { days, type Limits } from '@pinfold/core';
import { readNoQuery } from '../query.ts';
import type { Handle } from './handler.ts';

/** `GET /api/v1/limits`: the limits in force. */
export const limits: Handle = async ({ useCases }, { exchange }) => {
  const query = readNoQuery(exchange.request);
  if (query.kind === 'refused') return query;
  return { status: 200, json: { limits: wireLimits(useCases.limits) } };
};

/** The JSON of the limits (contract, section 2). */
export function wireLimits(inForce: Limits): Readonly<Record<string, number>> {
  return {
    archive_bytes: inForce.archiveBytes,
    expanded_bytes: inForce.expandedBytes,
    files: inForce.files,
    file_bytes: inForce.fileBytes,
    title_characters: inForce.titleCharacters,
    idempotency_key_characters: inForce.idempotencyKeyCharacters,
    password_min_characters: inForce.passwordMinCharacters,
    password_max_bytes: inForce.passwordMaxBytes,
    lifetime_days: inForce.lifetime / days(1),
  };
}
