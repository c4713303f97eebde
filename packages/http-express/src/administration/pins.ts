import type { RoleId } from '@pinfold/core';
import type { AdministeredPublication } from '@pinfold/core/administration';
import type { JsonObject } from '../openapi/json-schema.ts';
import { refuseRequest } from '../problems/problem.ts';
import type { AdminPinQuery } from '../reading/query.ts';
import { checkOf } from '../reading/schema-check.ts';
import type { Outcome, Service } from '../service.ts';
import { readBody, reasonSchema } from './body.ts';
import { type AdministeredPin, administeredPinOf } from './pin-json.ts';
import type { AdminCall } from './routes.ts';

/** What the body of a takedown is. */
interface TakedownWish {
  readonly reason: string;
  readonly purge: boolean;
  readonly copies?: boolean;
}

/** What the body of a takedown may be. */
export const takedownSchema: JsonObject = {
  type: 'object',
  required: ['reason', 'purge'],
  additionalProperties: false,
  properties: {
    reason: reasonSchema,
    purge: {
      type: 'boolean',
      description: 'Whether the archive is removed before the answer, rather than by a later sweep.',
    },
    copies: {
      type: 'boolean',
      default: false,
      description: 'Whether every publication in service of the same archive is taken down, too.',
    },
  },
};

const checkWish = checkOf<TakedownWish>(takedownSchema);

const WRONG = refuseRequest('invalid_update', {
  detail: 'Send an object with "reason", "purge" and, if you like, "copies", as /openapi.json describes it.',
});

/** `GET /admin/v1/pins`: publications of all accounts, newest first. */
export async function listPins(
  service: Service,
  { administration }: Pick<AdminCall, 'administration'>,
  query: AdminPinQuery,
): Promise<Outcome> {
  const listed = await administration.listRoles(query);
  if (listed.kind === 'refused') return listed;
  return {
    status: 200,
    json: { pins: listed.publications.map(written(service)), next_cursor: listed.next ?? null },
  };
}

/** `GET /admin/v1/pins/{id}`: a publication of any account, in any state. */
export async function showPin(
  service: Service,
  { administration, signal }: Pick<AdminCall, 'administration' | 'signal'>,
  id: RoleId,
): Promise<Outcome> {
  const found = await administration.showRole(id, signal);
  if (found.kind === 'refused') return found;
  return { status: 200, json: { pin: written(service)(found) } };
}

/** `POST /admin/v1/pins/{id}/takedown`: stops a publication in any state, and forbids its archive. */
export async function takePinDown(
  service: Service,
  call: AdminCall,
  id: RoleId | undefined,
): Promise<Outcome> {
  const { cause, administration } = call;
  const wish = await readBody(service, call, checkWish, WRONG);
  if ('kind' in wish) return wish;
  if (id === undefined) return refuseRequest('not_found');
  const taken = await administration.takeDown({ id, ...wish, cause });
  if (taken.kind === 'refused') return taken;
  const found = await administration.showRole(id);
  if (found.kind === 'refused') return found;
  return { status: 200, json: { pin: written(service)(found), copies: taken.copies } };
}

function written({ publicUrl }: Service): (found: AdministeredPublication) => AdministeredPin {
  return (found) => administeredPinOf(found, publicUrl);
}
