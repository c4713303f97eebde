import type { Request } from 'express';
import { type AnyRefusal, refuseRequest } from '../problems/problem.ts';
import { type JsonBody, readJson } from '../reading/json-body.ts';
import { hasMediaType } from '../reading/media-type.ts';
import type { Service } from '../service.ts';

/** The JSON of a request of the administration. */
export async function readAdminJson(
  { useCases: { clock }, bodyTimeouts }: Service,
  request: Request,
): Promise<JsonBody | AnyRefusal> {
  if (!hasMediaType(request, 'application/json')) {
    return refuseRequest('unsupported_media_type', { detail: 'Send a body of application/json.' });
  }
  return readJson(request, { clock, ...bodyTimeouts });
}
