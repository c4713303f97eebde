import type { IncomingMessage } from 'node:http';
import { isBytes } from '@pinfold/core/internal';
import { announcesBody, BodyError, type BodyLimits, readWhole } from '@pinfold/http/internal';
import { type HttpRefusal, refuseRequest } from '../problems/problem.ts';
import { refuseBody } from './publication-form.ts';

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
