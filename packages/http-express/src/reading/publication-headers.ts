import { type IdempotencyKey, type Limits, parseIdempotencyKey, parsePassword } from '@pinfold/core';
import { percentDecoded } from '@pinfold/core/internal';
import { headerValues } from '@pinfold/http/internal';
import type { Request } from 'express';
import { credentialsOf } from '../authentication.ts';
import { type AnyRefusal, refuseRequest } from '../problems/problem.ts';
import { requestError } from '../problems/problem-details.ts';

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
