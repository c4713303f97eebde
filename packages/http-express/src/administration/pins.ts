import { OPERATOR, type RoleId } from '@pinfold/core';
import { pinOf } from '../handlers/pin.ts';
import type { Outcome, Service } from '../service.ts';
import type { AdminCall } from './routes.ts';

/** `GET /admin/v1/pins/{id}`: a role of any account, in any state. */
export async function showPin(
  { useCases, publicUrl }: Service,
  { signal }: Pick<AdminCall, 'signal'>,
  id: RoleId,
): Promise<Outcome> {
  const found = await useCases.read({ by: OPERATOR, id, signal });
  if (found.kind === 'refused') return found;
  const { role } = found;
  const pin = {
    ...pinOf(role, publicUrl, useCases.clock.now()),
    account: role.account,
    archive_bytes: role.archiveBytes,
    sha256: role.sha256,
    // Stores keep no takedowns.
    taken_down: null,
  };
  return { status: 200, json: { pin } };
}
