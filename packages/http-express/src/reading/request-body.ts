import type { Limits } from '@pinfold/core';
import type { Call } from '../endpoint.ts';
import { type AnyRefusal, refuseRequest } from '../problems/problem.ts';
import { type JsonObject, named, type Schema } from '../schema.ts';
import type { Service } from '../service.ts';
import { readJson } from './json-body.ts';
import { checkOf } from './schema-check.ts';

export interface RequestBody<Body> {
  readonly mediaType: string;
  /** The media type object in the API document. */
  readonly content: JsonObject;
  readonly isOptional?: true | undefined;
  /** Absent: the handler reads it. */
  readonly read?: (
    service: Service,
    call: Pick<Call, 'request' | 'again'>,
  ) => Promise<{ readonly kind: 'body'; readonly body: Body } | AnyRefusal>;
}

interface JsonBodyOptions<Sent extends object, Body extends object> {
  readonly name: string;
  readonly schema: Schema<Sent>;
  /** The schema in the API document, if it has more details than `schema`. */
  readonly describe?: (limits: Limits) => Schema<Sent>;
  readonly examples?: Readonly<Record<string, Sent>>;
  readonly isOptional?: true;
  /** The expected members, for the detail of a refusal. */
  readonly expected: string;
  /** Checks what a schema cannot; undefined is refused like a body that does not match the schema. */
  readonly parse?: (sent: Sent, limits: Limits) => Body | AnyRefusal | undefined;
}

/** A JSON body, in which repeated members are refused. */
export function jsonBody<Sent extends object, Body extends object = Sent>({
  name,
  schema,
  describe = () => schema,
  examples,
  isOptional,
  expected,
  parse = (sent) => sent as object as Body,
}: JsonBodyOptions<Sent, Body>): RequestBody<Body> {
  const check = checkOf<Sent>(schema);
  const values =
    examples && Object.entries(examples).map(([example, value]) => [example, { value }] as const);
  const wrongType = refuseRequest('unsupported_media_type', { detail: 'Send a body of application/json.' });
  const wrong = refuseRequest('invalid_update', {
    detail: `Send an object with ${expected}, as the API document describes it.`,
  });
  return {
    mediaType: 'application/json',
    isOptional,
    content: {
      schema: named(name, describe),
      ...(values === undefined ? {} : { examples: Object.fromEntries(values) }),
    },
    read: async ({ useCases: { clock, limits }, bodyTimeouts }, { request, again }) => {
      const json = await readJson(request, { clock, ...bodyTimeouts, isOptional, wrongType });
      if (json.kind === 'refused') return json;
      const refused = await again();
      if (refused !== undefined) return refused;
      const sent = await check(json.value);
      const hasNoRepeatedMember = sent !== undefined && json.members === Object.keys(sent).length;
      const body = hasNoRepeatedMember ? parse(sent, limits) : undefined;
      if (body === undefined) return wrong;
      return isRefusal(body) ? body : { kind: 'body', body };
    },
  };
}

/** An optional body without members. */
export function emptyBody(name: string): RequestBody<object> {
  const schema = { type: 'object', maxProperties: 0 };
  return jsonBody<object>({ name, schema, isOptional: true, expected: 'no members' });
}

function isRefusal(body: { readonly kind?: unknown }): body is AnyRefusal {
  return body.kind === 'refused';
}
