import type { IncomingMessage } from 'node:http';
import type { Limits } from '@pinfold/core';
import { isBytes } from '@pinfold/core/internal';
import { announcesBody, BodyError, type BodyLimits, readWhole } from '@pinfold/http/internal';
import type { Call } from '../endpoint.ts';
import { type AnyRefusal, type HttpRefusal, refuseRequest } from '../problems/problem.ts';
import { type JsonObject, named, type Schema } from '../schema.ts';
import type { Service } from '../service.ts';
import { refuseBody } from './publication-form.ts';
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

/** The longest body of JSON, in bytes. */
const MAX_LENGTH = 16_384;

/** A JSON body, with the number of members in the text of its object: of repeated names, `value` has only the last. */
interface JsonBody {
  readonly kind: 'json';
  readonly value: unknown;
  readonly members: number;
}

const EMPTY: JsonBody = { kind: 'json', value: {}, members: 0 };

/** Reads JSON (RFC 8259). A missing body is `{}` if it `isOptional`; another media type is refused with `wrongType`. */
export async function readJson(
  request: IncomingMessage & { readonly body?: unknown },
  {
    isOptional = false,
    wrongType,
    ...limits
  }: Omit<BodyLimits, 'bytes'> & {
    readonly isOptional?: boolean | undefined;
    readonly wrongType: HttpRefusal;
  },
): Promise<JsonBody | HttpRefusal> {
  if (isOptional && !announcesBody(request)) return EMPTY;
  const isJson = hasMediaType(request, 'application/json');
  const mayBeEmpty = isOptional && request.headers['content-type'] === undefined;
  if (!isJson && !mayBeEmpty) return wrongType;
  if (request.readableDidRead) return parsedBefore(request.body);
  try {
    const bytes = await readWhole(request, { ...limits, bytes: MAX_LENGTH });
    if (isOptional && bytes.length === 0) return EMPTY;
    return isJson ? parse(bytes) : wrongType;
  } catch (error) {
    if (!(error instanceof BodyError)) throw error;
    return refuseBody(error.reason, 'Send at most 16 KiB of JSON.');
  }
}

function parsedBefore(body: unknown): JsonBody | HttpRefusal {
  return typeof body === 'object' && body !== null && !isBytes(body)
    ? { kind: 'json', value: body, members: Object.keys(body).length }
    : refuseBody('read_before', '');
}

/** Parses JSON; ignores a byte order mark (RFC 8259, section 8.1). */
function parse(bytes: Uint8Array): JsonBody | HttpRefusal {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { kind: 'json', value: JSON.parse(text), members: countMembers(text) };
  } catch {
    return refuseRequest('invalid_request', { detail: 'Send the body as well-formed JSON in UTF-8.' });
  }
}

function countMembers(text: string): number {
  const outsideStrings = text.replace(/"(?:[^"\\]|\\.)*"?/gs, '');
  let depth = 0;
  let members = 0;
  for (const character of outsideStrings) {
    if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    else if (character === ':' && depth === 1) members += 1;
  }
  return members;
}

/** Whether the request's body has a media type, and is not compressed. */
export function hasMediaType(request: IncomingMessage, type: string): boolean {
  const { 'content-type': sent = '', 'content-encoding': coding = 'identity' } = request.headers;
  return sent.split(/[; \t]/, 1)[0]?.toLowerCase() === type && coding.toLowerCase() === 'identity';
}
