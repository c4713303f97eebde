import { parseSha256 } from '@pinfold/core/administration';
import { refuseRequest } from '../problems/problem.ts';
import type { TakedownQuery } from '../reading/query.ts';
import type { Outcome, Service } from '../service.ts';
import { takedownOf } from './pin-json.ts';
import type { AdminCall } from './routes.ts';

/** `GET /admin/v1/takedowns`: those in force, newest first. */
export async function listTakedowns(
  _service: Service,
  { administration }: AdminCall,
  query: TakedownQuery,
): Promise<Outcome> {
  const listed = await administration.listTakedowns(query);
  if (listed.kind === 'refused') return listed;
  const { takedowns, next } = listed;
  return { status: 200, json: { takedowns: takedowns.map(takedownOf), next_cursor: next ?? null } };
}

/** `DELETE /admin/v1/takedowns/{sha256}`: lifts the ban; what was taken down stays stopped. */
export async function liftTakedown(
  _service: Service,
  { administration, cause }: AdminCall,
  segment: string,
): Promise<Outcome> {
  const sha256 = parseSha256(segment);
  if (sha256 === undefined) return refuseRequest('not_found');
  const lifted = await administration.liftTakedown(sha256, cause);
  return lifted.kind === 'refused' ? lifted : { status: 204 };
}
