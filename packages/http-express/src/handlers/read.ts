import type { RoleId } from '@pinfold/core';
import type { Call, Outcome, Service } from '../service.ts';
import { pinOf } from './pin.ts';

/** `GET /api/v1/pins/{id}`: a role of the account, in any state. */
export async function read(
  { useCases, publicUrl }: Service,
  { caller, signal }: Call,
  id: RoleId,
): Promise<Outcome> {
  const found = await useCases.read({ by: caller.account, id, signal });
  if (found.kind === 'refused') return found;
  return { status: 200, json: { pin: pinOf(found.role, publicUrl, useCases.clock.now()) } };
}
