import type { IncomingMessage } from 'node:http';
import { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Clock } from '@pinfold/core';
import { type BodyTimeouts, feedBody } from './feed-body.ts';
import { RequestRefused } from './problem.ts';

/** The longest body of JSON, in bytes. */
const LONGEST = 16_384;

/** A body of JSON, with the number of members its outermost object was written with: the last of a name wins. */
export interface JsonBody {
  readonly value: unknown;
  readonly members: number;
}

/** Reads a request's body as JSON (RFC 8259); what it refuses it throws as {@link RequestRefused}. */
export async function readJson(
  request: IncomingMessage,
  options: { readonly clock: Clock; readonly timeouts: BodyTimeouts },
): Promise<JsonBody> {
  if (Number(request.headers['content-length']) > LONGEST) throw tooLong();
  const chunks: Uint8Array[] = [];
  let length = 0;
  const sink = new Writable({
    write: (chunk: Uint8Array, _encoding, callback) => {
      length += chunk.byteLength;
      chunks.push(chunk);
      callback(length > LONGEST ? tooLong() : null);
    },
  });
  feedBody(request, sink, options);
  await finished(sink);
  const text = decode(Buffer.concat(chunks));
  return { value: parse(text), members: countMembers(text) };
}

/** A byte order mark may be there and means nothing (RFC 8259, section 8.1). */
function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) throw malformed('Send the JSON in UTF-8.');
    throw error;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw malformed('Send the body as well-formed JSON.');
    throw error;
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

function tooLong(): RequestRefused {
  return malformed('Send at most 16 KiB of JSON.');
}

function malformed(detail: string): RequestRefused {
  return new RequestRefused('invalid_request', { detail });
}
