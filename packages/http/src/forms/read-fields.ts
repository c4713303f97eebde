import type { IncomingMessage } from 'node:http';
import { parse } from 'node:querystring';
import { BodyError, type BodyFailure, type BodyLimits, readWhole } from '../body/watched-body.ts';

/** The fields of a form without a file; a repeated field is a list. */
export type FormFields = Readonly<Record<string, unknown>>;

export type ReadFields =
  | { readonly kind: 'fields'; readonly fields: FormFields }
  | { readonly kind: 'unread'; readonly reason: Exclude<BodyFailure, 'read_before'> | 'media_type' };

const FORM = /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i;
const MAX_FIELDS = 50;

/** Reads an urlencoded form; uses `request.body` if a body parser has read it before. */
export async function readFields(request: IncomingMessage, limits: BodyLimits): Promise<ReadFields> {
  const { 'content-type': type = '', 'content-encoding': coding = 'identity' } = request.headers;
  if (!FORM.test(type) || coding.toLowerCase() !== 'identity')
    return { kind: 'unread', reason: 'media_type' };
  try {
    const body = await readWhole(request, limits);
    return { kind: 'fields', fields: parse(body.toString('utf8'), '&', '=', { maxKeys: MAX_FIELDS }) };
  } catch (error) {
    if (!(error instanceof BodyError)) throw error;
    const { reason } = error;
    return reason === 'read_before'
      ? { kind: 'fields', fields: parsedBody(request) }
      : { kind: 'unread', reason };
  }
}

function parsedBody(request: IncomingMessage): FormFields {
  const body = 'body' in request ? request.body : undefined;
  return typeof body === 'object' && body !== null ? { ...body } : {};
}
