import type { RoleId } from '@pinfold/core';
import { refusedBy } from '../problems/state-refusal.ts';
import type { Call, Outcome, Service } from '../service.ts';

/** `DELETE /api/v1/pins/{id}`: stops a publication at once. */
export async function stop(
  { useCases }: Service,
  { caller, cause, credential, signal }: Call,
  id: RoleId,
): Promise<Outcome> {
  const outcome = await useCases.stop({ by: caller.account, id, cause, credential, signal });
  return outcome.kind === 'refused' ? refusedBy(outcome, 'stop') : { status: 204 };
}
