import type { Mode } from '@pinfold/core';
import { OPERATOR_TEXT } from '@pinfold/core/administration';
import type { JsonObject } from '../openapi/json-schema.ts';
import { refuseRequest } from '../problems/problem.ts';
import { checkOf } from '../reading/schema-check.ts';
import type { Outcome, Service } from '../service.ts';
import { readBody } from './body.ts';
import type { AdminCall } from './routes.ts';

/** How the service runs, as JSON. */
export interface WireService {
  readonly mode: Mode['kind'];
  readonly message: string | null;
}

/** What the body of a change of the mode may be. */
export const serviceUpdateSchema: JsonObject = {
  type: 'object',
  required: ['mode'],
  additionalProperties: false,
  properties: {
    mode: { enum: ['normal', 'read_only'] },
    message: {
      type: ['string', 'null'],
      ...OPERATOR_TEXT,
      description: 'What those are told whose changes are refused, without control characters.',
    },
  },
};

interface ServiceUpdate {
  readonly mode: Mode['kind'];
  readonly message?: string | null;
}

const checkUpdate = checkOf<ServiceUpdate>(serviceUpdateSchema);

const WRONG = refuseRequest('invalid_update', {
  detail: 'Send an object with "mode" and, if you like, "message", as /openapi.json describes it.',
});

/**
 * The JSON of the mode.
 *
 * @example
 * import { serviceOf } from '@pinfold/http-express';
 *
 * serviceOf({ kind: 'read_only', message: 'Back at noon' }).mode; // 'read_only'
 */
export function serviceOf({ kind, message }: Mode): WireService {
  return { mode: kind, message };
}

/** `GET /admin/v1/service` */
export async function showService(_service: Service, { administration }: AdminCall): Promise<Outcome> {
  return { status: 200, json: { service: serviceOf(await administration.showService()) } };
}

/** `PATCH /admin/v1/service`: answers once no change that began before can be stored any more. */
export async function changeService(service: Service, call: AdminCall): Promise<Outcome> {
  const { cause, administration } = call;
  const read = await readBody(service, call, checkUpdate, WRONG);
  if ('kind' in read) return read;
  const wanted = { kind: read.mode, message: read.message ?? null };
  return { status: 200, json: { service: serviceOf(await administration.changeService(wanted, cause)) } };
}
