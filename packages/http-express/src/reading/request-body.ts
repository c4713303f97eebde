import type { Limits } from '@pinfold/core';
import type { Call } from '../endpoint.ts';
import { type AnyRefusal, type ProblemDetails, refuseRequest } from '../problems/problem.ts';
import { type JsonObject, named, type Schema } from '../schema.ts';
import type { Service } from '../service.ts';
import { hasMediaType, mayBeAbsent, readJson, readOptionalJson } from './json-body.ts';
import { checkOf } from './schema-check.ts';

/** The body of a request. */
export interface RequestBody<Body> {
  readonly mediaType: string;
  /** Its media type object of the API document. */
  readonly content: JsonObject;
  /** Whether a request without a body is read as `{}`. */
  readonly isOptional?: true;
  /** Absent: the handler reads it. */
  readonly read?: (
    service: Service,
    call: Pick<Call, 'request' | 'again'>,
  ) => Promise<{ readonly kind: 'body'; readonly body: Body } | AnyRefusal>;
}

/** Options of {@link jsonBody}. */
interface JsonBodyOptions<Sent extends object, Body extends object> {
  /** The name of the schema in the API document. */
  readonly name: string;
  /** Checks the body before `parse`. */
  readonly schema: Schema<Sent>;
  /** What the document says where that is more than `schema` checks. */
  readonly describe?: (limits: Limits) => Schema<Sent>;
  readonly examples?: Readonly<Record<string, Sent>>;
  readonly isOptional?: true;
  /** The expected members, for the detail of a refusal. */
  readonly expected?: string;
  /** Checks what a schema cannot; undefined is refused as a body that is not as the schema says. */
  readonly parse?: (sent: Sent, limits: Limits) => Body | AnyRefusal | undefined;
}

/** A body of JSON, whose members each come once. */
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
  const [wrongType, wrong] = wordsOf(expected);
  return {
    mediaType: 'application/json',
    ...(isOptional === undefined ? {} : { isOptional }),
    content: {
      schema: named(name, describe),
      ...(values === undefined ? {} : { examples: Object.fromEntries(values) }),
    },
    read: async ({ useCases: { clock, limits }, bodyTimeouts }, { request, again }) => {
      const needsType = isOptional !== true || !mayBeAbsent(request);
      if (needsType && !hasMediaType(request, 'application/json'))
        return refuseRequest('unsupported_media_type', wrongType);
      const readBody = isOptional === true ? readOptionalJson : readJson;
      const { value, members } = await readBody(request, { clock, ...bodyTimeouts });
      const refused = await again();
      if (refused !== undefined) return refused;
      const sent = await check(value);
      const isOnce = sent !== undefined && members === Object.keys(sent).length;
      const body = isOnce ? parse(sent, limits) : undefined;
      if (body === undefined) return refuseRequest('invalid_update', wrong);
      return isRefusal(body) ? body : { kind: 'body', body };
    },
  };
}

function wordsOf(expected: string | undefined): readonly [ProblemDetails?, ProblemDetails?] {
  if (expected === undefined) return [];
  const detail = `Send an object with ${expected}, as the API document describes it.`;
  return [{ detail: 'Send a body of application/json.' }, { detail }];
}

function isRefusal(body: object): body is AnyRefusal {
  return 'kind' in body && body.kind === 'refused';
}
