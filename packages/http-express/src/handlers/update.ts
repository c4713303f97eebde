import {
  days,
  defaultLimits,
  type Limits,
  parsePassword,
  parseTitle,
  type RoleId,
  type Update,
} from '@pinfold/core';
import type { JsonObject } from '../openapi/json-schema.ts';
import { type AnyRefusal, refuseRequest } from '../problems/problem.ts';
import { refusedBy } from '../problems/state-refusal.ts';
import { type JsonBody, readJson } from '../reading/json-body.ts';
import { hasMediaType } from '../reading/media-type.ts';
import { checkOf } from '../reading/schema-check.ts';
import type { Call, Outcome, Service } from '../service.ts';
import { pinOf } from './pin.ts';

type UpdateBody =
  | { readonly title: string | null }
  | { readonly password: string | null }
  | { readonly reset_expiration: true };

/** What the body of an update may be. */
export function updateSchema({
  titleCharacters,
  passwordMinCharacters,
  passwordMaxBytes,
  renewal,
}: Limits): JsonObject & {
  readonly properties: JsonObject;
} {
  return {
    type: 'object',
    minProperties: 1,
    maxProperties: 1,
    additionalProperties: false,
    properties: {
      title: {
        type: ['string', 'null'],
        maxLength: titleCharacters,
        description: 'Sets the title; an empty string or null clears it.',
      },
      reset_expiration: {
        const: true,
        description: `Lets a published, unpinned role expire exactly ${renewal / days(1)} days from now.`,
      },
      password: {
        type: ['string', 'null'],
        description:
          `At least ${passwordMinCharacters} characters and at most ${passwordMaxBytes} bytes in UTF-8; ` +
          'an empty string or null removes the protection.',
      },
    },
  };
}

/** The core says what a title or a password may be, since each has a code of its own. */
const { properties, ...shape } = updateSchema(defaultLimits);
const checkUpdate = checkOf<UpdateBody>({
  ...shape,
  properties: { ...properties, title: true, password: true },
});

/** Reads what is to change. */
export async function readUpdate(
  { useCases: { clock, limits }, bodyTimeouts }: Service,
  { request, again }: Call,
): Promise<{ readonly kind: 'body'; readonly body: Update } | AnyRefusal> {
  if (!hasMediaType(request, 'application/json')) return refuseRequest('unsupported_media_type');
  const body = await readJson(request, { clock, ...bodyTimeouts });
  const wanted = (await again()) ?? (await updateOf(body, limits));
  return 'kind' in wanted ? wanted : { kind: 'body', body: wanted };
}

/** `PATCH /api/v1/pins/{id}`: changes exactly one attribute. */
export async function update(
  { useCases, publicUrl }: Service,
  { caller, cause, credential, signal }: Call,
  id: RoleId,
  wanted: Update,
): Promise<Outcome> {
  const outcome = await useCases.update({ by: caller.account, id, cause, credential, signal }, wanted);
  if (outcome.kind === 'refused') {
    return refusedBy(outcome, wanted.type === 'reset_expiration' ? 'reset_expiration' : 'change');
  }
  return { status: 200, json: { pin: pinOf(outcome.publication, publicUrl) } };
}

/** What is wrong with a value is told before the role is looked for. Limits count it as sent, so that is handed on. */
async function updateOf({ value, members }: JsonBody, limits: Limits): Promise<Update | AnyRefusal> {
  const update = await checkUpdate(value);
  if (update === undefined || members !== 1) return refuseRequest('invalid_update');
  if ('reset_expiration' in update) return { type: 'reset_expiration' };
  if ('title' in update) {
    const title = parseTitle(update.title, limits);
    return title !== null && typeof title === 'object' ? title : { type: 'set_title', title: update.title };
  }
  const password = parsePassword(update.password, limits);
  return password !== null && typeof password === 'object'
    ? password
    : { type: 'set_password', password: update.password };
}
