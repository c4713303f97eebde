import { OPERATOR_TEXT } from '@pinfold/core/administration';
import type { JsonObject } from '../openapi/json-schema.ts';
import { type AnyRefusal, refuseRequest } from '../problems/problem.ts';
import { readJson } from '../reading/json-body.ts';
import { hasMediaType } from '../reading/media-type.ts';
import type { Check } from '../reading/schema-check.ts';
import type { Call, Service } from '../service.ts';

/** Why something was done to an account or a publication. */
export const reasonSchema: JsonObject = {
  type: 'string',
  ...OPERATOR_TEXT,
  description: 'Why, without control characters.',
};

/** Reads a body that `check` takes, whose members each come once; `wrong` says what it should be. */
export async function readBody<Body extends object>(
  { useCases: { clock }, bodyTimeouts }: Service,
  { request, again }: Pick<Call, 'request' | 'again'>,
  check: Check<Body>,
  wrong: AnyRefusal,
): Promise<Body | AnyRefusal> {
  if (!hasMediaType(request, 'application/json')) {
    return refuseRequest('unsupported_media_type', { detail: 'Send a body of application/json.' });
  }
  const { value, members } = await readJson(request, { clock, ...bodyTimeouts });
  const refused = await again();
  if (refused !== undefined) return refused;
  const body = await check(value);
  return body !== undefined && members === Object.keys(body).length ? body : wrong;
}
