import {
  type Filename,
  type IdempotencyKey,
  type Limits,
  parseFilename,
  parseIdempotencyKey,
  parsePassword,
  parseTitle,
  type Refusal,
  type Title,
} from '@pinfold/core';
import { percentDecoded } from '@pinfold/core/internal';
import {
  type BodyFailure,
  type FormFailure,
  type FormField,
  type FormFile,
  type FormReader,
  headerValues,
} from '@pinfold/http/internal';
import type { Request } from 'express';
import { credentialsOf } from '../authentication.ts';
import { type AnyRefusal, type HttpRefusal, refuseRequest } from '../problems/problem.ts';
import { archiveError, type RequestProblem, requestError } from '../problems/problem-details.ts';

export interface PublicationFields {
  readonly filename: Filename;
  /** An invalid title is reported only after the caller was authenticated again. */
  readonly title: Title | null | Refusal<'invalid_title'> | HttpRefusal;
}

/** Includes `text/plain`, which stands for a part without a type. */
const ARCHIVE_TYPES: ReadonlySet<string> = new Set([
  'application/zip',
  'application/x-zip-compressed',
  'application/x-zip',
  'application/x-compressed',
  'application/x-compressed-zip',
  'multipart/x-zip',
  'application/octet-stream',
  'text/plain',
]);

/** Advice for a boundary that needs quotes since it is not a token (RFC 2045, section 5.1; RFC 2046, section 5.1.1). */
function boundaryAdvice(contentType: string): string {
  const [, boundary = ''] = /;\s*boundary=([\w'()+,./:=?-]{1,70})(?:;|$)/i.exec(contentType) ?? [];
  if (!/[(),/:=?]/.test(boundary)) return '';
  return ` Put the boundary in Content-Type in quotation marks, as it has other characters than a token may have: boundary="${boundary}".`;
}

/** Reads the form of a publication: one file named `archive`, and at most one text named `title`. */
export class PublicationForm implements FormReader<PublicationFields, AnyRefusal> {
  readonly #limits: Limits;
  readonly #contentType: string;
  #filename: Filename | undefined;
  #title: string | undefined;
  #isTitleCut = false;

  constructor(limits: Limits, contentType = '') {
    this.#limits = limits;
    this.#contentType = contentType;
  }

  field({ name, text, cut }: FormField): HttpRefusal | undefined {
    if (name === 'archive') return invalid({ rule: 'filename' });
    if (name !== 'title') return invalid({ rule: 'unknown_field' });
    if (this.#title !== undefined) return invalid({ rule: 'field_twice', field: name });
    if (text === undefined) return invalid({ rule: 'title_encoding' });
    this.#title = text;
    this.#isTitleCut = cut;
    return undefined;
  }

  file({ name, filename, type }: FormFile): HttpRefusal | undefined {
    if (name === 'title') return invalid({ rule: 'title_file' });
    if (name !== 'archive') return invalid({ rule: 'unknown_field' });
    if (this.#filename !== undefined) return invalid({ rule: 'field_twice', field: name });
    if (!ARCHIVE_TYPES.has(type)) {
      return refuseRequest('unsupported_media_type', {
        detail: 'Send the archive as application/zip or application/octet-stream.',
      });
    }
    const parsed = parseFilename(filename ?? '');
    if (typeof parsed !== 'string') return invalid({ rule: 'filename' });
    this.#filename = parsed;
    return undefined;
  }

  end(): { readonly kind: 'fields'; readonly fields: PublicationFields } | AnyRefusal {
    const title = this.#isTitleCut
      ? refuseRequest('invalid_title')
      : parseTitle(this.#title ?? null, this.#limits);
    if (this.#filename === undefined) return invalid({ rule: 'archive_missing' });
    return { kind: 'fields', fields: { filename: this.#filename, title } };
  }

  refuse(reason: FormFailure): HttpRefusal {
    switch (reason) {
      case 'archive_too_large': {
        const errors = [archiveError({ rule: reason, limit: this.#limits.archiveBytes })];
        return refuseRequest(reason, { errors });
      }
      case 'broken':
        return refuseRequest('invalid_request', {
          detail: `Send the form whole and well-formed, up to its closing boundary, as RFC 7578 says: part of it cannot be read.${boundaryAdvice(this.#contentType)}`,
        });
      case 'no_archive':
        return invalid({ rule: 'archive_missing' });
      case 'unreadable_part':
        return invalid({ rule: this.#filename === undefined ? 'archive_unreadable' : 'part_unreadable' });
      default:
        return refuseBody(reason, 'Send nothing in the form but the archive and the title.');
    }
  }
}

export function refuseBody(reason: BodyFailure, tooLong: string): HttpRefusal {
  switch (reason) {
    case 'broken_off':
      return refuseRequest('invalid_request', { detail: 'Send the body whole: it broke off.' });
    case 'read_before':
      return refuseRequest('invalid_request', {
        detail:
          'The server read the body before the API could: its operator must mount the API before any parser of bodies.',
      });
    case 'stalled':
      return refuseRequest('request_timeout');
    case 'too_long':
      return refuseRequest('invalid_request', { detail: tooLong });
    default:
      return reason satisfies never;
  }
}

function invalid(problem: RequestProblem): HttpRefusal {
  return refuseRequest('invalid_form', { errors: [requestError(problem)] });
}

export function idempotencyKeyOf(request: Request, limits: Limits): IdempotencyKey | AnyRefusal {
  const [value, ...further] = headerValues(request, 'idempotency-key');
  if (value === undefined) return refuseRequest('idempotency_key_required');
  if (further.length > 0) {
    return refuseRequest('invalid_idempotency_key', { errors: [requestError({ rule: 'twice' })] });
  }
  return parseIdempotencyKey(value, limits, credentialsOf(request));
}

/** Reads the header Pinfold-Password. Returns the password as entered, since limits apply to that. */
export function passwordOf(request: Request, limits: Limits): string | undefined | AnyRefusal {
  const [value, ...further] = headerValues(request, 'pinfold-password');
  if (value === undefined) return undefined;
  if (further.length > 0) {
    return refuseRequest('invalid_request', { detail: 'Send one Pinfold-Password header.' });
  }
  const decoded = /^[\x20-\x7e]+$/.test(value) ? percentDecoded(value) : undefined;
  if (decoded === undefined) {
    return refuseRequest('invalid_password', { errors: [requestError({ rule: 'password_header' })] });
  }
  const password = parsePassword(decoded, limits);
  return typeof password === 'object' && password !== null ? password : decoded;
}
