import { days, type Limits } from '@pinfold/core';
import type { Outcome, Service } from '../service.ts';

/** `GET /api/v1/limits`: the limits in force. */
export async function limits({ useCases }: Service): Promise<Outcome> {
  return { status: 200, json: { limits: wireLimits(useCases.limits) } };
}

/** The JSON of the limits. */
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
