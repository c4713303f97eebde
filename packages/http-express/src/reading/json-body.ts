import type { IncomingMessage } from 'node:http';
import { BodyError, type BodyLimits, readWhole } from '@pinfold/http/internal';
import { RequestRefused } from '../problems/problem.ts';
import { refuseBody } from './publication-form.ts';

/** The longest body of JSON, in bytes. */
const LONGEST = 16_384;

/** A body of JSON, with the number of members its outermost object was written with: the last of a name wins. */
export interface JsonBody {
  readonly value: unknown;
  readonly members: number;
}

const EMPTY: JsonBody = { value: {}, members: 0 };

/** Reads a request's body as JSON (RFC 8259); what it refuses it throws as {@link RequestRefused}. */
export async function readJson(
  request: IncomingMessage & { readonly body?: unknown },
  limits: Omit<BodyLimits, 'bytes'>,
): Promise<JsonBody> {
  return request.readableDidRead ? parsedBefore(request.body) : parse(await readBytes(request, limits));
}

/** Reads a body that may be absent, and is if it is empty; one without a media type must be. */
export async function readOptionalJson(
  request: IncomingMessage & { readonly body?: unknown },
  limits: Omit<BodyLimits, 'bytes'>,
): Promise<JsonBody> {
  if (hasNoBody(request)) return EMPTY;
  if (request.readableDidRead) return parsedBefore(request.body);
  const bytes = await readBytes(request, limits);
  if (bytes.length === 0) return EMPTY;
  if (request.headers['content-type'] === undefined) throw new RequestRefused('unsupported_media_type');
  return parse(bytes);
}

async function readBytes(request: IncomingMessage, limits: Omit<BodyLimits, 'bytes'>): Promise<Uint8Array> {
  return readWhole(request, { ...limits, bytes: LONGEST }).catch((error: unknown) => {
    if (!(error instanceof BodyError)) throw error;
    const { code, told } = refuseBody(error.trouble, 'Send at most 16 KiB of JSON.');
    throw new RequestRefused(code, told);
  });
}

/** What a parser of bodies that stands before the API has made of it. */
function parsedBefore(body: unknown): JsonBody {
  if (typeof body === 'object' && body !== null && !(body instanceof Uint8Array)) {
    return { value: body, members: Object.keys(body).length };
  }
  const { code, told } = refuseBody('read_before', '');
  throw new RequestRefused(code, told);
}

/** A byte order mark may be there and means nothing (RFC 8259, section 8.1). */
function parse(bytes: Uint8Array): JsonBody {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { value: JSON.parse(text), members: countMembers(text) };
  } catch {
    throw new RequestRefused('invalid_request', { detail: 'Send the body as well-formed JSON in UTF-8.' });
  }
}

/** Members of the outermost object of a text that is JSON. */
function countMembers(text: string): number {
  const outsideStrings = text.replace(/"(?:[^"\\]|\\.)*"/g, '');
  let depth = 0;
  let members = 0;
  for (const character of outsideStrings) {
    if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    else if (character === ':' && depth === 1) members += 1;
  }
  return members;
}

/** Whether the request's body is of a media type, and not compressed. */
export function hasMediaType(request: IncomingMessage, type: string): boolean {
  const { 'content-type': sent = '', 'content-encoding': coding = 'identity' } = request.headers;
  return sent.split(/[; \t]/, 1)[0]?.toLowerCase() === type && coding.toLowerCase() === 'identity';
}

/** Whether a request declares no body, or one without a media type, which may be empty. */
export function mayBeAbsent(request: IncomingMessage): boolean {
  return hasNoBody(request) || request.headers['content-type'] === undefined;
}

/** Whether a request says that it has no body (RFC 9112, section 6.3). */
function hasNoBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
}
